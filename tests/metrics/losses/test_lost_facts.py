"""Which facts were lost: by all strategies, by one alone, and most often."""

from support.loss_records import event, fact, lossy

from pytest_compaction.metrics import Drop, compared_losses, most_lost

KEPT, GONE = (True,), (False,)


def arm(first, second, third, **changes):
    made = [fact("one", first), fact("two", second), fact("three", third)]
    return [lossy("a", made, **changes)]


def texts(facts):
    return [each.text for each in facts]


def test_facts_lost_by_all_and_by_one_alone_are_told_apart():
    arms = {"x": arm(GONE, GONE, KEPT), "y": arm(GONE, KEPT, KEPT)}
    found = compared_losses(arms)
    assert found.facts == 3
    assert texts(found.by_all) == ["one"]
    assert {name: texts(facts) for name, facts in found.alone.items()} == {"x": ["two"], "y": []}


def test_a_strategy_that_kept_a_fact_in_one_trial_did_not_lose_it():
    arms = {
        "x": [*arm(GONE, GONE, KEPT), *arm(GONE, KEPT, KEPT, trial=2)],
        "y": arm(KEPT, KEPT, KEPT),
    }
    assert texts(compared_losses(arms).alone["x"]) == ["one"]


def test_only_facts_that_all_were_asked_for_are_compared_and_not_with_the_control():
    other = [lossy("a", [fact("one", GONE)])]
    found = compared_losses({"x": arm(GONE, GONE, KEPT), "y": other, "none": arm(*[KEPT] * 3)})
    assert (found.strategies, found.facts, texts(found.by_all)) == (("x", "y"), 1, ["one"])
    assert compared_losses({"x": arm(GONE, GONE, KEPT), "none": arm(KEPT, KEPT, KEPT)}) is None


def test_the_most_lost_come_first_then_what_is_gone_then_what_went_early():
    first = [
        fact("kept", KEPT),
        fact("once, late", (True, False)),
        fact("once, early", (False, False)),
        fact("once, can be read again", (False, False), recoverable=True),
        fact("twice", (False, False), evidence=["m4", "m9"]),
    ]
    second = [fact("twice", (True, False))]
    events = [event(), event(point="p2")]
    arms = {"x": [lossy("a", first, events)], "y": [lossy("a", second, events)]}
    found = most_lost(arms)
    assert texts(found) == ["twice", "once, early", "once, late", "once, can be read again"]
    assert (found[0].times, found[0].asked, found[0].drop) == (2, 2, Drop("p1", 1))
    assert found[0].evidence == ("m4", "m9")
    assert found[2].drop == Drop("p2", 2)
    assert texts(most_lost(arms, 2)) == texts(found)[:2]
    assert most_lost({"none": [lossy("a", [fact("x", GONE)])]}) == []


def test_a_fact_that_several_probes_ask_for_is_lost_more_often():
    probes = [lossy("a", [fact("asked twice", GONE)], probe=name) for name in ("p", "q")]
    found = most_lost({"x": [*probes, lossy("a", [fact("asked once", GONE)], probe="r")]})
    told = [(each.text, each.times, each.asked) for each in found]
    assert told == [("asked twice", 2, 2), ("asked once", 1, 1)]
