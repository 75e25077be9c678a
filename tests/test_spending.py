"""Spending: what is paid is counted, and the limit holds whoever asks, and how many at once."""

import asyncio
import multiprocessing
from pathlib import Path

import builders
import pytest
from callers import MODEL, Answering, call
from hypothesis import given
from hypothesis import strategies as st

from pytest_compaction.models.calls import Call, CallReply
from pytest_compaction.models.ledger import Ledger, LimitReachedError, Total
from pytest_compaction.models.prices import prices_at
from pytest_compaction.models.protocol import ModelError
from pytest_compaction.models.spending import Spending, SpentError, most_usage
from pytest_compaction.models.store import Store
from pytest_compaction.models.usage import Usage

PRICES = prices_at(None)
A_CALL = Usage(1, 1000, 0, 500)
LONGEST = Usage(1, 4, 0, 500)
"""What a call can take at most: it reads a few tokens and may write 500."""


def most(asked):
    """What is set aside for a call, in dollars."""
    counted = most_usage(asked, builders.COUNTER)
    return PRICES.cost(MODEL, Usage(1, int(counted.input_tokens * 1.25), 0, counted.output_tokens))


COST = PRICES.cost(MODEL, A_CALL)


@pytest.fixture
def ledger(tmp_path):
    return Ledger(tmp_path / "ledger.sqlite")


def spending(endpoint, ledger, limit=None, prices=PRICES):
    return Spending(endpoint, ledger, prices, builders.COUNTER, limit)


def ask(caller, *calls):
    async def all_of_them():
        return await asyncio.gather(*map(caller.call, calls), return_exceptions=True)

    return asyncio.run(all_of_them())


def questions(count):
    return [call(f"Question {number}?") for number in range(count)]


def test_what_is_paid_is_counted_by_role_and_model(ledger):
    caller = spending(Answering(), ledger)
    ask(caller, call("a"), call("b"), call("c", role="judge"))
    assert ledger.totals() == [
        Total("judge", MODEL, A_CALL, pytest.approx(COST), 0),
        Total("responder", MODEL, A_CALL + A_CALL, pytest.approx(2 * COST), 0),
    ]
    assert ledger.spent() == pytest.approx(3 * COST)


def test_a_model_without_a_price_is_counted_in_tokens_alone(ledger):
    caller = spending(Answering(), ledger, prices=prices_at("http://localhost:1/v1"))
    ask(caller, call())
    (total,) = ledger.totals()
    assert (total.paid, total.usd) == (A_CALL, None)
    assert ledger.spent() == 0


def test_a_call_that_fails_costs_nothing(ledger):
    caller = spending(Answering(fails={1}), ledger, limit=1.0)
    (error,) = ask(caller, call())
    assert isinstance(error, ModelError)
    assert not isinstance(error, SpentError)
    assert ledger.totals() == []
    ask(caller, call())
    assert ledger.spent() == pytest.approx(COST)


@pytest.mark.parametrize("affordable", [0, 1, 3, 10])
def test_no_call_is_made_that_the_limit_has_no_room_for(ledger, affordable):
    endpoint = Answering(usage=LONGEST)
    least = most(questions(1)[0])
    limit = (affordable - 1) * PRICES.cost(MODEL, LONGEST) + least if affordable else least / 2
    replies = ask(spending(endpoint, ledger, limit), *questions(30))
    refused = [reply for reply in replies if isinstance(reply, Exception)]
    assert len(endpoint.calls) == affordable
    assert len(refused) == 30 - affordable
    assert all(isinstance(error, SpentError) for error in refused)
    assert f"--compaction-max-cost={limit:g}" in str(refused[0])
    assert ledger.spent() <= limit
    assert ledger.limit_reached


def test_a_call_waits_while_one_in_flight_may_still_turn_out_cheaper(ledger):
    endpoint = Answering(usage=Usage(1, 10, 0, 1))
    replies = ask(spending(endpoint, ledger, limit=1.5 * most(call())), *questions(8))
    assert not [reply for reply in replies if isinstance(reply, Exception)]
    assert endpoint.most_at_once == 1, "each was set aside at its most, so none had company"
    assert len(endpoint.calls) == 8


def test_once_the_limit_is_reached_no_further_call_is_made_however_cheap(ledger):
    endpoint = Answering(usage=Usage(1, 4, 0, 400))
    large, small = call("large", max_tokens=1000), call("small", max_tokens=1)
    caller = spending(endpoint, ledger, most(large))
    ask(caller, large)
    (refused,) = ask(caller, call("as large", max_tokens=1000))
    assert isinstance(refused, SpentError)
    (refused,) = ask(caller, small)
    assert isinstance(refused, SpentError)
    assert len(endpoint.calls) == 1


def test_a_request_for_which_the_table_has_no_price_is_refused_under_a_limit(ledger):
    caller = spending(Answering(), ledger, 1.0, prices_at("http://localhost:1/v1"))
    (error,) = ask(caller, call())
    assert isinstance(error, ModelError)
    assert "price table" in str(error)


def test_what_was_paid_for_is_in_the_store_and_only_the_rest_is_refused(ledger, tmp_path):
    endpoint = Answering()
    limit = 2.5 * COST
    asked = questions(6)
    store = Store(tmp_path / "store", spending(endpoint, ledger, limit), accounts=ledger)
    replies = ask(store, *asked)
    paid = [
        call for call, reply in zip(asked, replies, strict=True) if not isinstance(reply, Exception)
    ]
    assert len(paid) == len(endpoint.calls) == len(list((tmp_path / "store").rglob("*.json")))
    assert 0 < len(paid) < 6
    again = Store(tmp_path / "store", spending(endpoint, Ledger(tmp_path / "new.sqlite"), 6 * COST))
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

    ledger = Ledger(tmp_path_factory.mktemp("ledger") / "ledger.sqlite")
    endpoint = Varying()
    replies = ask(spending(endpoint, ledger, limit), *[call(str(n)) for n in range(len(costs))])
    assert ledger.spent() <= limit
    made = [reply for reply in replies if not isinstance(reply, Exception)]
    assert len(made) == len(endpoint.calls)
    assert (len(made) < len(costs)) == ledger.limit_reached


def _spend(path, limit, start):
    endpoint = Answering(usage=LONGEST)
    caller = spending(endpoint, Ledger(Path(path)), limit)
    ask(caller, *[call(f"Question {start + number}?") for number in range(20)])
    Path(path).with_name(f"made-{start}").write_text(str(len(endpoint.calls)))


def test_the_limit_is_one_for_all_processes(tmp_path, ledger):
    cost = PRICES.cost(MODEL, LONGEST)
    limit = 12.5 * cost
    context = multiprocessing.get_context("spawn")
    workers = [
        context.Process(target=_spend, args=(str(ledger.path), limit, start)) for start in (0, 100)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(120)
    made = sum(int(path.read_text()) for path in tmp_path.glob("made-*"))
    assert made == 12, "what is paid makes room again, until none is left"
    assert ledger.spent() == pytest.approx(made * cost)
    assert ledger.spent() <= limit
    assert ledger.limit_reached


def test_the_calls_in_flight_of_a_dead_worker_count_at_their_most(ledger, monkeypatch):
    monkeypatch.setenv("PYTEST_XDIST_WORKER", "gw1")
    assert ledger.reserve("judge", MODEL, 0.4, 1.0) is not None
    monkeypatch.setenv("PYTEST_XDIST_WORKER", "gw0")
    assert ledger.reserve("judge", MODEL, 0.7, 1.0) is None, "it must wait for the other one"
    ledger.write_off("gw1")
    assert ledger.spent() == pytest.approx(0.4)
    assert ledger.reserve("judge", MODEL, 0.6, 1.0) is not None
    ledger.settle(2, A_CALL, 0.6)
    with pytest.raises(LimitReachedError):
        ledger.reserve("judge", MODEL, 0.1, 1.0)


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
