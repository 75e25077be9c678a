"""The class of a fact: what a reader of figures would call it."""

import pytest

from pytest_compaction.case import Fact, FactType
from pytest_compaction.metrics import FactClass, class_of

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
