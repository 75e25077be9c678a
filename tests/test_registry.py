"""Finding a strategy by name, by module:function, and with parameters."""

import sys
import types

import pytest

from pytest_compaction.compactors.function import FunctionCompactor
from pytest_compaction.compactors.history import HistoryCompactor
from pytest_compaction.compactors.registry import (
    Registry,
    Spec,
    UnknownCompactorError,
    describe,
    parse_spec,
)
from pytest_compaction.compactors.truncate import Truncate

SHIPPED = ["anchored", "ledger", "light", "none", "rag", "regenerate", "truncate", "window"]


def keep_all(messages, budget):
    """Keeps everything. And more words."""
    return messages


def keep_some(messages, budget, k, *, model=None, from_end=True):
    return messages[-k:]


async def keep_slowly(messages, budget):
    return messages


class Own(HistoryCompactor):
    """A strategy of one's own."""

    name = "own"
    traits = None

    def __init__(self, keep=1):
        if keep < 0:
            raise KeyError(keep)
        self.keep = keep

    async def compact(self, state, context):
        raise NotImplementedError


class NoMethods:
    """Has nothing of a compactor."""

    def compact(self):
        return None


@pytest.fixture
def own_module(monkeypatch):
    module = types.ModuleType("strategies_of_mine")
    for thing in (keep_all, keep_some, keep_slowly, Own, NoMethods):
        setattr(module, thing.__name__, thing)
    module.instance = Own(7)
    module.number = 3
    module.nested = types.SimpleNamespace(keep_all=keep_all)
    monkeypatch.setitem(sys.modules, "strategies_of_mine", module)


def create(text, **added):
    return Registry(added).create(parse_spec(text))


def refusal(text, **added):
    with pytest.raises(UnknownCompactorError) as caught:
        create(text, **added)
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "target", "parameters"),
    [
        ("anchored", "anchored", {}),
        (" roo:version=2:keep=5 ", "roo", {"version": 2, "keep": 5}),
        ("my.module:compact:k=3", "my.module:compact", {"k": 3}),
        ("k=3:my.module:compact", "my.module:compact", {"k": 3}),
        (
            "x:a=0.5:b=text:c=True:d=no:e=None",
            "x",
            {"a": 0.5, "b": "text", "c": True, "d": False, "e": None},
        ),
        ("x:a='5':b=[1, 2]:c=", "x", {"a": "5", "b": [1, 2], "c": ""}),
        ("x:some-name=a=b", "x", {"some_name": "a=b"}),
    ],
)
def test_a_specification_is_a_name_and_parameters(text, target, parameters):
    spec = parse_spec(text)
    assert spec == Spec(text.strip(), target, tuple(parameters.items()))
    assert [type(value) for _, value in spec.parameters] == list(map(type, parameters.values()))


@pytest.mark.parametrize("text", ["", " ", "k=3", ":", "a:", "a::k=3", "a:b:c"])
def test_a_specification_that_cannot_be_read_says_how_to_write_one(text):
    with pytest.raises(UnknownCompactorError, match="write a name, module:function, and :key=val"):
        parse_spec(text)


def test_the_slug_is_safe_in_an_item_id():
    assert parse_spec("my.module:compact:p=a/b [c]").slug == "my.module:compact:p=a_b__c_"


@pytest.mark.parametrize("name", SHIPPED)
def test_each_shipped_strategy_is_made_under_its_name(name):
    made = create(name)
    assert made.name == name
    assert create(name) is not made


def test_the_listing_has_one_line_a_strategy():
    lines = dict(Registry().descriptions())
    assert set(SHIPPED) <= set(lines)
    assert all(line and "\n" not in line for line in lines.values())


def test_the_listing_goes_on_past_a_strategy_that_cannot_be_loaded(monkeypatch):
    class Broken:
        name = "broken"

        def load(self):
            raise ImportError("no module named gone")

    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: [Broken()])
    lines = dict(Registry().descriptions())
    assert lines["broken"] == "cannot be loaded: ImportError: no module named gone"
    assert lines["none"] == describe(create("none"))


def test_parameters_reach_the_strategy():
    assert create("truncate:fraction=0.25").fraction == 0.25
    assert create("truncate").fraction == Truncate().fraction


@pytest.mark.parametrize("near", ["anchord", "Anchored", "achored"])
def test_an_unknown_name_is_told_the_nearest_and_all(near):
    said = refusal(near)
    assert f"unknown compactor {near!r}; did you mean 'anchored'?" in said
    assert f"there are {', '.join(Registry().names())}; your own is named module:function" in said


def test_a_name_like_no_other_is_told_what_there_is_without_a_guess():
    said = refusal("zzz")
    assert "did you mean" not in said
    assert set(SHIPPED) <= set(said.partition("there are ")[2].partition(";")[0].split(", "))
    assert "module:function" in said


def test_added_strategies_are_known_and_suggested():
    assert create("mine", mine=Own).name == "own"
    assert "did you mean 'mine'?" in refusal("mime", mine=Own)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("truncate:fractoin=1", "'truncate:fractoin=1' does not take these parameters"),
        ("truncate:fraction=2", "must be above 0 and at most 1"),
        ("anchored:summary=1", "must be between 0 and 1"),
        ("anchored:summary=much", "does not take these parameters"),
        ("none:x=1", "does not take these parameters"),
    ],
)
def test_wrong_parameters_are_named(text, said):
    assert said in refusal(text)


@pytest.mark.usefixtures("own_module")
class TestOwnModule:
    @pytest.mark.parametrize("name", ["keep_all", "keep_slowly", "nested.keep_all"])
    def test_a_function_is_wrapped(self, name):
        made = create(f"strategies_of_mine:{name}")
        assert isinstance(made, FunctionCompactor)
        assert made.name == f"strategies_of_mine:{name}"

    def test_the_description_of_a_function_is_its_first_line(self):
        assert describe(keep_all) == "Keeps everything. And more words."
        assert describe(keep_some) == "(no description)"

    def test_a_function_takes_parameters_of_its_signature(self):
        assert create("strategies_of_mine:keep_some:k=3").name == "strategies_of_mine:keep_some"

    def test_a_missing_parameter_of_a_function_is_named(self):
        said = refusal("strategies_of_mine:keep_some")
        assert "cannot be called as f(messages, budget)" in said
        assert "'k'" in said

    def test_a_parameter_that_the_function_does_not_take_is_named(self):
        said = refusal("strategies_of_mine:keep_all:k=3")
        assert "cannot be called as f(messages, budget, k=…)" in said

    def test_a_class_is_made_with_its_parameters(self):
        made = create("strategies_of_mine:Own:keep=4")
        assert isinstance(made, Own)
        assert made.keep == 4

    def test_an_instance_is_taken_as_it_is(self):
        made = create("strategies_of_mine:instance")
        assert isinstance(made, Own)
        assert made is create("strategies_of_mine:instance")

    def test_a_class_without_the_methods_is_told_which(self):
        said = refusal("strategies_of_mine:NoMethods")
        assert "is no compactor: it has no start, observe, due, render" in said

    def test_a_class_that_cannot_be_made_says_why(self):
        assert "does not take these parameters" in refusal("strategies_of_mine:Own:keep=-1")

    def test_a_thing_that_cannot_be_called_is_refused(self):
        assert "is int; expected a function" in refusal("strategies_of_mine:number")

    def test_a_missing_attribute_is_told_the_nearest(self):
        said = refusal("strategies_of_mine:keep_al")
        assert "the module 'strategies_of_mine' has no 'keep_al'; did you mean 'keep_all'?" in said


@pytest.mark.parametrize("module", ["no_such_module_here", "json.no_such", ".relative", ""])
def test_a_module_that_cannot_be_imported_says_so(module):
    if module:
        assert "cannot import the module of the compactor" in refusal(f"{module}:compact")
    else:
        with pytest.raises(UnknownCompactorError):
            create(f"{module}:compact")


def test_a_module_that_raises_on_import_says_what(tmp_path, monkeypatch):
    (tmp_path / "raises_on_import.py").write_text("1 / 0\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert "ZeroDivisionError: division by zero" in refusal("raises_on_import:compact")
