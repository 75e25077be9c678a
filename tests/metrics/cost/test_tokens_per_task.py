"""Tokens per task: the parts of the estimate, its laws, and what it leaves out."""

from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.loss_records import event, fact, lossy

from pytest_compaction.metrics import (
    Pricing,
    Ratios,
    Sizes,
    cheapest,
    requests_cost,
    tokens_per_task,
)

RATIOS = Ratios(0.1, 1.25, 5)
PRICING = Pricing("test", RATIOS, 2.0)
NEEDED = {"how": "used", "message": "m9", "why": "needed by m9: edit of a.py"}
GONE = (False,)
PARTS = ("requests", "read_again", "summaries")
counts = st.integers(0, 10**6)


def lost(text="lost", message="m1", tokens=100, **changes):
    """A needed fact that the view does not state, and that one call reads again."""
    source = {"message": message, "tokens": tokens}
    return fact(text, GONE, **{"needed": NEEDED, "recoverable": True, "source": source, **changes})


def later(requests=2, added=300, sent=400, **changes):
    return event(**{"requests": requests, "added": added, "sent": sent, **changes})


def session(case="a", facts=(), events=None, **changes):
    facts = [fact("kept", needed=NEEDED), *facts]
    return lossy(case, facts, [later()] if events is None else events, **changes)


def only(*records):
    (found,) = tokens_per_task(records, PRICING).sessions
    return found


@given(st.tuples(counts, counts), st.lists(counts, max_size=8), st.integers(0, 10**6))
def test_each_request_reads_the_one_before_it_and_writes_what_is_new(view, new, more):
    prefix, written = view
    ends = list(accumulate(new))
    cached, cost = prefix, 0.0
    for end in ends:
        size = prefix + written + end
        cost += cached * RATIOS.read + (size - cached) * RATIOS.write
        cached = size
    given_ = (len(new), ends[-1] if ends else 0, sum(ends), RATIOS)
    found = requests_cost(Sizes(0, prefix + written, prefix), *given_)
    assert found == pytest.approx(cost)
    # A larger view is never cheaper, whether the cache holds what it has more or not.
    for held in (prefix, prefix + more):
        larger = requests_cost(Sizes(0, prefix + written + more, held), *given_)
        assert larger >= found or larger == pytest.approx(found)


def test_the_parts_are_later_requests_what_is_read_again_and_summaries():
    # The view has 5,000 tokens, 1,000 of them in the cache; the requests add 100 and 300.
    calls = {"calls": 1, "input_tokens": 9_000, "cached_tokens": 4_000, "output_tokens": 600}
    found = only(session("a", [lost()], [later(**calls)]))
    read, written = 1_000 + 5_100, 4_100 + 200
    assert found.requests == pytest.approx(read * 0.1 + written * 1.25)
    assert found.read_again == 125
    assert found.summaries == pytest.approx(5_000 + 400 + 3_000)
    assert (found.later, found.sent) == (2, 10_400)
    dollars = tokens_per_task([session("a", [lost()], [later(**calls)])], PRICING).usd
    assert dollars == pytest.approx(found.total * 2 / 1e6)


@st.composite
def sessions(draw):
    kinds = st.sampled_from(["kept", "back", "gone", "stated only"])
    made = []
    for case in draw(st.sets(st.sampled_from("abcdefg"), min_size=1)):
        facts = {
            "kept": lambda n: fact(f"f{n}", needed=NEEDED),
            "back": lambda n: lost(f"f{n}", f"m{n % 3}", 10 + n % 3),
            "gone": lambda n: lost(f"f{n}", recoverable=False),
            "stated only": lambda n: fact(f"f{n}", GONE, recoverable=True),
        }
        asked = [facts[kind](n) for n, kind in enumerate(draw(st.lists(kinds, max_size=5)))]
        used = {"input_tokens": draw(counts), "output_tokens": draw(counts)}
        made.append(session(case, asked, [later(draw(st.integers(1, 9)), **used)]))
    return made


@given(sessions())
def test_the_parts_add_up_and_nothing_is_read_again_where_nothing_needed_is_missing(records):
    found = tokens_per_task(records, PRICING)
    means = [found.mean(part).value for part in PARTS]
    assert found.mean("total").value == pytest.approx(sum(means))
    for each in found.sessions:
        assert each.total == each.requests + each.read_again + each.summaries
    for each in records:
        each["facts"] = [f for f in each["facts"] if not (f.get("needed") and f["recoverable"])]
    assert tokens_per_task(records, PRICING).mean("read_again").value == 0


def test_a_message_is_read_again_once_after_a_compaction_and_again_after_the_next():
    facts = [lost("one"), lost("two"), lost("three", "m2", 50)]
    first, second = later(), later(point="p2")
    assert only(session(facts=facts, events=[first])).read_again == 150 * 1.25
    records = [
        session(facts=facts, events=[first], probe="p"),
        session(facts=facts[:1], events=[first], probe="q"),
        session(facts=facts[:1], events=[first, second], probe="r"),
    ]
    assert only(*records).read_again == 250 * 1.25


def test_what_a_search_brought_back_for_a_needed_fact_is_read_again():
    found = fact("found", needed=NEEDED, unasked=False)
    search = {"tokens": 300, "apart": True}
    assert only(session(facts=[found], search=search)).read_again == 300 * 1.25
    known = fact("known", needed=NEEDED, unasked=True)
    stated_only = fact("found", unasked=False)
    assert only(session(facts=[known, stated_only], search=search)).read_again == 0


def test_a_needed_fact_to_which_nothing_leads_and_the_last_compaction_cost_nothing():
    found = only(session(facts=[lost("one", recoverable=False), lost("two")]))
    assert (found.needed, found.gone, found.read_again) == (3, 1, 125)
    end = later(0, 0, 0, point="p2", input_tokens=9_000, output_tokens=9_000)
    records = [session(), session(facts=[lost()], events=[later(), end], probe="q")]
    assert only(*records) == only(session())


@pytest.mark.parametrize(
    ("made", "why"),
    [
        (session(events=[later(0, 0, 0)]), "no request follows"),
        (session(events=[]), "no request follows"),
        (lossy("a", [fact()], [later()]), "no fact says what it was needed for"),
        (session(overall=None), "an item has no score"),
        (session(events=[later(before=None, after=None, prefix=None)]), "not known"),
        (session(events=[event()]), "not known"),
        (session(events=[later(sent="many")]), "not known"),
        (session(events=[later(sent=10**400)]), "not known"),
    ],
)
def test_a_case_that_tells_too_little_is_named_and_in_no_figure(made, why):
    found = tokens_per_task([made, session("b")], PRICING)
    assert list(found.left_out) == ["a"]
    assert why in found.left_out["a"]
    assert [each.case for each in found.sessions] == ["b"]
    alone = tokens_per_task([made], PRICING)
    assert (alone.sessions, alone.mean("total"), alone.usd) == ((), None, None)


def arm(*views, events=later, **changes):
    return tokens_per_task(
        [
            session(case, events=[events(after=view)], **changes)
            for case, view in zip("abcdefgh", views, strict=False)
        ],
        PRICING,
    )


def test_the_cheapest_is_one_from_which_all_others_part_and_those_that_do_not_are_named():
    small, large = arm(*[5_000] * 6), arm(*range(9_000, 9_006))
    found = cheapest({"large": large, "small": small})
    assert (found.name, found.alike) == ("small", ())
    mixed = arm(4_000, 9_000, 4_000, 9_000, 4_000, 9_000)
    found = cheapest({"same": small, "mixed": mixed, "large": arm(*[90_000] * 6)})
    assert (found.name, found.alike) == ("same", ("mixed",))
    few = cheapest({"small": arm(*[5_000] * 5), "large": arm(*[9_000] * 5)})
    assert (few.name, few.alike) == ("small", ("large",))


def test_the_cheapest_is_as_dear_as_another_at_a_cost_of_the_facts_that_it_lost():
    gone = {"facts": [lost("one", recoverable=False), lost("two", recoverable=False)]}
    cheap, kept = arm(*[5_000] * 6, **gone), arm(*[9_000] * 6)
    more = kept.mean("total").value - cheap.mean("total").value
    assert cheapest({"cheap": cheap, "kept": kept}).up_to == pytest.approx(more / 2)
    assert cheapest({"cheap": arm(*[5_000] * 6), "kept": kept}).up_to is None


def test_sessions_of_other_requests_and_views_over_the_budget_are_not_compared():
    small, large = arm(*[5_000] * 6), arm(*[9_000] * 6)
    other = arm(*[9_000] * 6, events=lambda after: later(3, after=after))
    assert cheapest({"small": small, "other": other}).alike == ("other",)
    over = arm(*[4_000] * 6, tokens={"log": 90_000, "view": 7_000, "summary": 0})
    assert cheapest({"small": small, "large": large, "over": over}).name == "small"
    assert cheapest({"small": small, "over": over}) is None
