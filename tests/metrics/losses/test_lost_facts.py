"""Which facts were lost most often."""

from support.loss_records import event, fact, lossy

from pytest_compaction.metrics import Drop, most_lost

KEPT, GONE = (True,), (False,)


def texts(facts):
    return [each.text for each in facts]


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
    assert [(each.text, each.times, each.asked) for each in found] == [
        ("asked twice", 2, 2),
        ("asked once", 1, 1),
    ]
