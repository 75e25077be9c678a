"""What a strategy lost: facts by what became of them and by class, each once."""

import pytest
from hypothesis import given
from support.builders import record, unscored
from support.loss_records import event, fact, lossy, runs

from pytest_compaction.case import Fact, FactType
from pytest_compaction.metrics import Drop, FactClass, class_of, fates, strategy_losses

RUN = [
    lossy(
        "a",
        [
            fact("kept and used", used=True),
            fact("kept", **{"class": "path"}),
            fact("can be read again", (False,), recoverable=True, **{"class": "path"}),
            fact("only said once", (False,), view="contradicted", used=True),
        ],
    ),
    lossy("b", [fact("came back", (False, True)), fact("not known", (False,), recoverable=None)]),
]


def counts(records):
    return strategy_losses(records).whole


def test_facts_are_counted_by_what_became_of_them():
    found = counts(RUN)
    assert (found.facts, found.survived, found.used, found.unused) == (6, 3, 1, 2)
    assert (found.dropped, found.recoverable, found.gone, found.unknown) == (3, 1, 1, 1)
    assert found.contradicted == 1
    assert found.survival.value == 0.5
    assert found.recovery.value == 0.5
    assert found.recovery.interval is None  # both are of one case


@given(runs())
def test_the_counts_add_up_for_all_facts_and_for_every_class(records):
    found = strategy_losses(records)
    if found is None:
        assert not any(each["facts"] for each in records)
        return
    parts = list(found.classes.values())
    for whole in (found.whole, *parts):
        assert whole.facts == whole.survived + whole.dropped
        assert whole.survived == whole.used + whole.unused
        assert whole.dropped == whole.recoverable + whole.gone + whole.unknown
    for name in ("facts", "survived", "used", "dropped", "recoverable", "gone"):
        together = sum(getattr(part, name) for part in parts)
        assert together == getattr(found.whole, name)


def test_a_fact_counts_once_for_case_probe_and_trial():
    first, again = lossy("a", [fact()]), lossy("a", [fact()])
    assert counts([first, again]).facts == 1
    assert counts([first, lossy("a", [fact()], trial=2)]).facts == 2
    assert counts([first, lossy("a", [fact()], probe="other")]).facts == 2


def test_classes_come_in_a_fixed_order_and_an_unknown_one_last():
    made = [fact(name, **{"class": name}) for name in ("zebra", "instruction", "path", "number")]
    found = strategy_losses([lossy(facts=made)])
    assert list(found.classes) == ["path", "number", "instruction", "zebra"]


def test_records_without_the_class_of_facts_and_unscored_ones_tell_nothing():
    old = {name: value for name, value in fact().items() if name in {"text", "survived", "used"}}
    assert strategy_losses([record(facts=[old])]) is None
    assert strategy_losses([unscored(facts=[fact()])]) is None
    assert counts([record(facts=[old]), lossy("b", [fact()])]).facts == 1


def test_a_share_that_does_not_vary_still_has_a_width():
    found = counts([lossy(case, [fact()] * 5) for case in "abcdef"])
    assert found.survival.interval == pytest.approx((0.025 ** (1 / 6), 1.0))
    none = counts([lossy(case, [fact(stated=(False,))]) for case in "abcdef"])
    assert none.survival.interval == pytest.approx((0.0, 1 - 0.025 ** (1 / 6)))


def test_a_fact_is_dropped_at_the_first_compaction_after_which_it_is_not_stated():
    (fate,) = fates([lossy(facts=[fact(stated=(True, False, True))])])
    assert (fate.drop, fate.exposures) == (Drop("p2", 2), 2)
    (kept,) = fates([lossy(facts=[fact(stated=(True, True, True))])])
    assert (kept.drop, kept.exposures) == (None, 3)


def test_a_point_at_which_nothing_was_compacted_is_no_compaction_but_where_sizes_decide():
    idle = [event(point="p1", status="noop"), event(point="p2"), event(point="p3", status="failed")]
    (fate,) = fates([lossy(facts=[fact(stated=(True, False, False))], events=idle)])
    assert (fate.drop, fate.stated) == (Drop("p2", 1), (("p2", False),))
    by_size = [event(point="m17"), event(point="m31", status="noop")]
    (fate,) = fates([lossy(facts=[fact(stated=(True, True))], events=by_size)])
    assert fate.exposures == 2


CLASSES = {
    "path": "path",
    "error": "error",
    "decision": "decision",
    "reason": "decision",
    "constraint": "instruction",
    "next_step": "next_step",
    "identifier": "identifier",
    "command": "command",
    "state": "state",
    "value": "value",
}


def test_every_type_has_a_class_and_every_class_a_type():
    assert {type: class_of(Fact("a word", type=type)) for type in FactType.__args__} == CLASSES
    assert {*CLASSES.values(), "number"} == set(FactClass.__args__)


@pytest.mark.parametrize(
    ("fact", "found"),
    [
        pytest.param(Fact("the port is 8443"), "number", id="digit"),
        pytest.param(Fact("the port is open"), "value", id="words"),
        (Fact("the port", keys=(("port",), ("8443", "tls"))), "number"),
        (Fact("the second of 2 ports", keys=(("port",), ("open",))), "value"),
        pytest.param(Fact("exit 3", type="error"), "error", id="another type"),
    ],
)
def test_a_value_is_a_number_if_what_must_be_stated_has_a_digit(fact, found):
    assert class_of(fact) == found
