"""Costs are counted, and the limit on them holds for any number of callers and processes."""

import asyncio
import sqlite3
import threading
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import builders
from support.callers import MODEL, Answering, call
from support.processes import run_each

from pytest_compaction.models import Accounts, Call, CallReply, ModelError, Total, Usage, prices_at
from pytest_compaction.models.calls.accounts import LimitReachedError
from pytest_compaction.models.calls.endpoint import AttemptError, RetryingCaller
from pytest_compaction.models.calls.spending_limit import SpendingLimit, SpentError, most_usage
from pytest_compaction.models.calls.store import Store

PRICES = prices_at(None)
A_CALL = Usage(1, 1000, 0, 500)
LONGEST = Usage(1, 4, 0, 500)
"""The most that a call can take: it reads a few tokens and may write 500."""


def most(asked):
    """The US dollars set aside for a call."""
    counted = most_usage(asked, builders.COUNTER)
    return PRICES.cost(MODEL, Usage(1, int(counted.input_tokens * 1.25), 0, counted.output_tokens))


COST = PRICES.cost(MODEL, A_CALL)


@pytest.fixture
def accounts(tmp_path):
    return Accounts(tmp_path / "accounts.sqlite")


def spending(endpoint, accounts, limit=None, prices=PRICES):
    return SpendingLimit(endpoint, accounts, prices, builders.COUNTER, limit)


def ask(caller, *calls):
    async def all_of_them():
        return await asyncio.gather(*map(caller.call, calls), return_exceptions=True)

    return asyncio.run(all_of_them())


def questions(count):
    return [call(f"Question {number}?") for number in range(count)]


def test_what_is_paid_is_counted_by_role_and_model(accounts):
    caller = spending(Answering(), accounts)
    ask(caller, call("a"), call("b"), call("c", role="judge"))
    assert accounts.totals() == [
        Total("judge", MODEL, A_CALL, pytest.approx(COST), 0),
        Total("responder", MODEL, A_CALL + A_CALL, pytest.approx(2 * COST), 0),
    ]
    assert accounts.spent() == pytest.approx(3 * COST)


def test_a_model_without_a_price_is_counted_in_tokens_alone(accounts):
    caller = spending(Answering(), accounts, prices=prices_at("http://localhost:1/v1"))
    ask(caller, call())
    (total,) = accounts.totals()
    assert (total.paid, total.usd) == (A_CALL, None)
    assert accounts.spent() == 0


def test_a_call_that_fails_costs_nothing(accounts):
    caller = spending(Answering(fails={1}), accounts, limit=1.0)
    (error,) = ask(caller, call())
    assert isinstance(error, ModelError)
    assert not isinstance(error, SpentError)
    assert accounts.totals() == []
    ask(caller, call())
    assert accounts.spent() == pytest.approx(COST)


SAID = {"choices": [{"message": {"content": "It is 45."}}]}


class Unsaid(Answering):
    """An endpoint that does not say how many tokens it took."""

    async def call(self, call):
        await super().call(call)
        return CallReply(SAID, self.usage)


@pytest.mark.parametrize("usage", [Usage(1), Usage(1, 0, 0, 7), Usage(1, 9, 0, 0)])
def test_a_reply_that_does_not_say_what_it_took_stays_set_aside_at_its_most(accounts, usage):
    endpoint = Unsaid(usage)
    limit = 3.5 * most(call())
    replies = ask(spending(endpoint, accounts, limit), *questions(10))
    assert len(endpoint.calls) == 3
    assert sum(isinstance(reply, SpentError) for reply in replies) == 7
    assert accounts.spent() == pytest.approx(3 * most(questions(1)[0]), rel=0.05)
    (note,) = accounts.notes
    assert "not all replies say how many tokens they took" in note
    assert "held against --compaction-max-cost at the most" in note


class Sending(Answering):
    """Fails as given, request by request: the endpoint charges for it (lost), or not (free)."""

    def __init__(self, *fates, usage=A_CALL):
        super().__init__(usage)
        self.fates = fates

    async def call(self, call):
        fate = self.fates[len(self.calls)]
        await super().call(call)
        if fate == "answered":
            return CallReply(SAID, self.usage)
        raise AttemptError("it did not come", charged=fate == "lost", passing=True, wait=0.001)


def repeated(endpoint, accounts, limit, count):
    """A caller that sends each call up to ``count`` times and books each time."""
    return RetryingCaller(spending(endpoint, accounts, limit), 60, count - 1)


@pytest.mark.parametrize(
    ("fates", "lost", "answered"),
    [
        (["free"], 0, 0),
        (["lost"], 1, 0),
        (["lost", "lost", "lost"], 3, 0),
        (["lost", "free"], 1, 0),
        (["free", "lost", "answered"], 1, 1),
        (["lost", "lost", "answered"], 2, 1),
    ],
)
@pytest.mark.parametrize("limit", [None, 1.0])
def test_each_request_that_may_be_charged_for_is_booked(accounts, limit, fates, lost, answered):
    endpoint = Sending(*fates)
    ask(repeated(endpoint, accounts, limit, len(fates)), call())
    assert len(endpoint.calls) == len(fates)
    assert sum(total.paid.calls for total in accounts.totals()) == lost + answered
    assert accounts.spent() == pytest.approx(lost * most(call()) + answered * COST)


def test_a_request_is_not_sent_again_where_there_is_no_money_for_another_loss(accounts):
    endpoint = Sending("lost", "lost", "lost", "answered")
    limit = 2.5 * most(call())
    (error,) = ask(repeated(endpoint, accounts, limit, 4), call())
    assert isinstance(error, SpentError)
    assert len(endpoint.calls) == 2
    assert accounts.spent() == pytest.approx(2 * most(call()))
    assert accounts.spent() <= limit


def given_up(caller):
    """Cancel a call that has not come back."""

    async def work():
        work = asyncio.ensure_future(caller.call(call()))
        await asyncio.sleep(0.1)
        work.cancel()
        await asyncio.gather(work, return_exceptions=True)

    asyncio.run(work())


def test_a_call_that_is_given_up_while_it_is_under_way_stays_booked(accounts):
    class Hanging(Answering):
        async def call(self, call):
            await asyncio.sleep(60)

    given_up(spending(Hanging(), accounts, 1.0))
    (total,) = accounts.totals()
    assert total.paid.calls == 1
    assert accounts.spent() == pytest.approx(most(call()))


def test_a_call_that_is_given_up_between_two_requests_costs_nothing(accounts):
    class Busy(Answering):
        async def call(self, call):
            raise AttemptError("it is busy", passing=True, wait=30)

    given_up(RetryingCaller(spending(Busy(), accounts, 1.0), 60))
    assert accounts.totals() == []


@pytest.fixture
def next_call(accounts):
    """What a call returns, soon, that the limit has no room for beside the call before it."""

    def make():
        caller = spending(Answering(), accounts, 1.5 * most(call()))
        return asyncio.run(asyncio.wait_for(caller.call(call()), 5))

    return make


def test_a_call_that_is_given_up_while_it_is_settled_is_settled(accounts, monkeypatch, next_call):
    for name in ("settle", "note"):
        work = getattr(accounts, name)

        def slow(*how, work=work):
            time.sleep(0.3)
            return work(*how)

        monkeypatch.setattr(accounts, name, slow)
    given_up(spending(Unsaid(Usage(1)), accounts, 1.5 * most(call())))
    (total,) = accounts.totals()
    assert total.paid.calls == 1
    assert len(accounts.notes) == 1
    with pytest.raises(SpentError):
        next_call()


def test_a_reply_to_a_call_that_is_given_up_while_it_is_settled_is_stored(
    accounts, monkeypatch, tmp_path
):
    settle, settling = accounts.settle, threading.Event()

    def slow(*how):
        settling.set()
        time.sleep(0.3)
        return settle(*how)

    monkeypatch.setattr(accounts, "settle", slow)
    store = Store(tmp_path / "store", spending(Answering(), accounts, 1.0), accounts=accounts)

    async def give_up():
        asked = asyncio.ensure_future(store.call(call()))
        while not settling.is_set():
            await asyncio.sleep(0.001)
        asked.cancel()
        await asyncio.wait([asked])
        return asked.cancelled(), await store.find(call())

    given_up, found = asyncio.run(give_up())
    assert given_up
    assert found is not None


def test_a_call_is_settled_even_if_its_note_cannot_be_kept(accounts, monkeypatch, next_call):
    def broken(text):
        raise sqlite3.OperationalError("disk I/O error")

    monkeypatch.setattr(accounts, "note", broken)
    (error,) = ask(spending(Unsaid(Usage(1)), accounts, 1.5 * most(call())), call())
    assert isinstance(error, sqlite3.Error)
    with pytest.raises(SpentError):
        next_call()


@pytest.mark.parametrize("affordable", [0, 1, 3, 10])
def test_no_call_is_made_that_the_limit_has_no_room_for(accounts, affordable):
    endpoint = Answering(usage=LONGEST)
    least = most(questions(1)[0])
    limit = (affordable - 1) * PRICES.cost(MODEL, LONGEST) + least if affordable else least / 2
    replies = ask(spending(endpoint, accounts, limit), *questions(30))
    refused = [reply for reply in replies if isinstance(reply, Exception)]
    assert len(endpoint.calls) == affordable
    assert len(refused) == 30 - affordable
    assert all(isinstance(error, SpentError) for error in refused)
    assert f"--compaction-max-cost={limit:g}" in str(refused[0])
    assert accounts.spent() <= limit
    assert accounts.limit_reached


def test_a_call_waits_while_one_in_flight_may_still_turn_out_cheaper(accounts):
    endpoint = Answering(usage=Usage(1, 10, 0, 1))
    replies = ask(spending(endpoint, accounts, limit=1.5 * most(call())), *questions(8))
    assert not [reply for reply in replies if isinstance(reply, Exception)]
    assert endpoint.most_at_once == 1, "each was set aside at its most, so none had company"
    assert len(endpoint.calls) == 8


def test_once_the_limit_is_reached_no_further_call_is_made_however_cheap(accounts):
    endpoint = Answering(usage=Usage(1, 4, 0, 400))
    large, small = call("large", max_tokens=1000), call("small", max_tokens=1)
    caller = spending(endpoint, accounts, most(large))
    ask(caller, large)
    (refused,) = ask(caller, call("as large", max_tokens=1000))
    assert isinstance(refused, SpentError)
    (refused,) = ask(caller, small)
    assert isinstance(refused, SpentError)
    assert len(endpoint.calls) == 1


def test_a_request_for_which_the_table_has_no_price_is_refused_under_a_limit(accounts):
    caller = spending(Answering(), accounts, 1.0, prices_at("http://localhost:1/v1"))
    (error,) = ask(caller, call())
    assert isinstance(error, ModelError)
    assert "price table" in str(error)


def test_what_was_paid_for_is_in_the_store_and_only_the_rest_is_refused(accounts, tmp_path):
    endpoint = Answering()
    limit = 2.5 * COST
    asked = questions(6)
    store = Store(tmp_path / "store", spending(endpoint, accounts, limit), accounts=accounts)
    replies = ask(store, *asked)
    paid = [
        call for call, reply in zip(asked, replies, strict=True) if not isinstance(reply, Exception)
    ]
    assert len(paid) == len(endpoint.calls) == len(list((tmp_path / "store").rglob("*.json")))
    assert 0 < len(paid) < 6
    again = Store(
        tmp_path / "store", spending(endpoint, Accounts(tmp_path / "new.sqlite"), 6 * COST)
    )
    assert not [reply for reply in ask(again, *asked) if isinstance(reply, Exception)]
    assert len(endpoint.calls) == 6, "a second run pays for what is missing and nothing else"


@given(
    costs=st.lists(st.integers(0, 500), min_size=1, max_size=25),
    limit=st.floats(0, 0.003),
)
def test_the_sum_never_passes_the_limit(tmp_path_factory, costs, limit):
    class Varying(Answering):
        async def call(self, call):
            await super().call(call)
            self.usage = Usage(1, 1, 0, costs[int(call.body["messages"][0]["content"])])
            return CallReply({}, self.usage)

    accounts = Accounts(tmp_path_factory.mktemp("accounts") / "accounts.sqlite")
    endpoint = Varying()
    replies = ask(spending(endpoint, accounts, limit), *[call(str(n)) for n in range(len(costs))])
    assert accounts.spent() <= limit
    made = [reply for reply in replies if not isinstance(reply, Exception)]
    assert len(made) == len(endpoint.calls)
    assert (len(made) < len(costs)) == accounts.limit_reached


def _spend(path, limit, start):
    endpoint = Answering(usage=LONGEST)
    caller = spending(endpoint, Accounts(Path(path)), limit)
    ask(caller, *[call(f"Question {start + number}?") for number in range(20)])
    Path(path).with_name(f"made-{start}").write_text(str(len(endpoint.calls)))


def test_the_limit_is_one_for_all_processes(tmp_path, accounts):
    cost = PRICES.cost(MODEL, LONGEST)
    limit = 12.5 * cost
    run_each(_spend, *((str(accounts.path), limit, start) for start in (0, 100)))
    made = sum(int(path.read_text()) for path in tmp_path.glob("made-*"))
    assert made == 12, "what is paid makes room again, until none is left"
    assert accounts.spent() == pytest.approx(made * cost)
    assert accounts.spent() <= limit
    assert accounts.limit_reached


def test_the_calls_in_flight_of_a_dead_worker_count_at_their_most(accounts, monkeypatch):
    monkeypatch.setenv("PYTEST_XDIST_WORKER", "gw1")
    assert accounts.reserve("judge", MODEL, 0.4, 1.0) is not None
    monkeypatch.setenv("PYTEST_XDIST_WORKER", "gw0")
    assert accounts.reserve("judge", MODEL, 0.7, 1.0) is None, "it must wait for the other one"
    accounts.write_off("gw1")
    assert accounts.spent() == pytest.approx(0.4)
    number = accounts.reserve("judge", MODEL, 0.6, 1.0)
    accounts.settle(number, A_CALL, 0.6)
    with pytest.raises(LimitReachedError):
        accounts.reserve("judge", MODEL, 0.1, 1.0)


def test_images_are_not_counted_by_the_length_of_their_data():
    url = f"data:image/png;base64,{'iVBORw0KGgo' * 5000}"
    parts = [{"type": "image_url", "image_url": {"url": url}}]
    asked = call(messages=[{"role": "user", "content": parts}])
    assert most_usage(asked, builders.COUNTER).input_tokens < 1200


def test_a_call_without_a_bound_is_taken_to_write_as_much_as_it_reads():
    asked = call("word " * 200)
    body = {key: value for key, value in asked.body.items() if key != "max_tokens"}
    found = most_usage(Call("responses.compact", body), builders.COUNTER)
    assert found.output_tokens == found.input_tokens > 200
    assert most_usage(asked, builders.COUNTER).output_tokens == 500
