"""Finding a strategy by name, by module:function, and with parameters."""

import inspect
import re
import sys
import types
from typing import Literal, get_args

import pytest
from support.builders import context_of, user
from support.compacting import compacted
from support.compositions import create, refusal

from pytest_compaction.compactors import (
    FunctionCompactor,
    Registry,
    Spec,
    Truncate,
    UnknownCompactorError,
    parse_spec,
)
from pytest_compaction.compactors.base.history import HistoryCompactor
from pytest_compaction.compactors.registry import describe

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
        self.keep = keep

    async def compact(self, state, context):
        raise NotImplementedError


class Focused(HistoryCompactor):
    """Takes text, of several annotations."""

    name = "focused"
    traits = None

    def __init__(
        self,
        focus: str = "",
        mode: Literal["on", "off"] = "on",
        note: str | None = None,
        later: "str" = "",
        keep: int | str = 1,
    ):
        if focus == "escape":
            raise ValueError("no\x1b[2J")
        if focus == "odd":
            raise type("Odd\x1b[2J", (Exception,), {})("\x1b]0;title\x07")
        if focus == "leave":
            sys.exit(3)
        self.given = (focus, mode, note, later, keep)

    async def compact(self, state, context):
        raise NotImplementedError


def by_name(messages, *, budget, focus: str = ""):
    return [{"role": "user", "content": f"{budget} {focus}"}]


def budget_last(messages, k: int = 2, budget: int = 0):
    return [{"role": "user", "content": f"{budget} {k}"}]


@pytest.fixture
def own_module(monkeypatch):
    module = types.ModuleType("strategies_of_mine")
    for thing in (keep_all, keep_some, keep_slowly, Own, Focused, by_name, budget_last):
        setattr(module, thing.__name__, thing)
    module.instance = Own(7)
    module.number = 3
    module.nested = types.SimpleNamespace(keep_all=keep_all)
    monkeypatch.setitem(sys.modules, "strategies_of_mine", module)


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
        ("x:focus='see: a+b, c'", "x", {"focus": "see: a+b, c"}),
        ('x:focus="it\'s a: b":k=3', "x", {"focus": "it's a: b", "k": 3}),
        ("x:focus='it\\'s: b'", "x", {"focus": "it's: b"}),
        ("m:f:b=[1, 2]:c={'a': 1}", "m:f", {"b": [1, 2], "c": {"a": 1}}),
        ("x:focus=don't:k='a", "x", {"focus": "don't", "k": "'a"}),
    ],
)
def test_a_specification_is_a_name_and_parameters(text, target, parameters):
    spec = parse_spec(text)
    assert spec == Spec(text.strip(), target, tuple(parameters.items()))
    assert [type(value) for _, value in spec.parameters] == list(map(type, parameters.values()))


@pytest.mark.parametrize("text", ["", " ", "k=3", ":", "a:", ":compact", "a::k=3", "a:b:c"])
def test_a_specification_that_cannot_be_read_says_how_to_write_one(text):
    with pytest.raises(UnknownCompactorError, match="write a name, module:function, and :key=val"):
        parse_spec(text)


@pytest.mark.parametrize(
    "text", ["roo:keep=5:keep=4", "roo:max-output=5:max_output=5", "a:k=1+b:k=1:k=2"]
)
def test_a_value_that_is_given_twice_is_refused(text):
    with pytest.raises(UnknownCompactorError, match=r"gives '\w+' twice, as '\d' and '\d'; give"):
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


@pytest.mark.parametrize("raised", [ValueError("no\x1b[2J"), SystemExit(3)])
def test_an_entry_point_that_cannot_be_loaded_says_why(monkeypatch, raised):
    class Broken:
        name = "broken"

        def load(self):
            raise raised

    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: [Broken()])
    said = refusal("broken")
    assert "cannot load the compactor 'broken' from its entry point: " in said
    assert f"{type(raised).__name__}: " in said
    assert said.isprintable()


@pytest.mark.parametrize(
    ("text", "focus"),
    [("'the tests: a, b+c'", "the tests: a, b+c"), ("yes", "yes"), ("42", "42")],
)
def test_the_focus_of_a_summary_may_be_any_text(text, focus):
    assert create(f"claude-code:focus={text}").focus == focus


def test_parameters_reach_the_strategy():
    assert create("truncate:fraction=0.25").fraction == 0.25
    assert create("truncate").fraction == Truncate().fraction


@pytest.mark.parametrize("near", ["anchord", "Anchored", "achored"])
def test_an_unknown_name_is_told_the_nearest_and_all(near):
    said = refusal(near)
    assert f"unknown compactor {near!r}; did you mean 'anchored'?" in said
    known = ", ".join(Registry().names())
    assert f"the compactors are {known}; name your own as module:function" in said


def test_a_name_like_no_other_is_told_what_there_is_without_a_guess():
    said = refusal("zzz")
    assert "did you mean" not in said
    known = said.partition("the compactors are ")[2].partition(";")[0]
    assert set(SHIPPED) <= set(known.split(", "))
    assert "module:function" in said


def test_added_strategies_are_known_and_suggested():
    assert create("mine", mine=Own).name == "own"
    assert "did you mean 'mine'?" in refusal("mime", mine=Own)


def numeric_parameters():
    """Every parameter of a shipped strategy that is a number, with whether it may be broken."""
    for name in Registry().names():
        made = type(create(name))
        for key, parameter in inspect.signature(made, eval_str=True).parameters.items():
            annotation = parameter.annotation
            kinds = set(get_args(annotation) or (annotation,))
            if kinds & {int, float}:
                yield pytest.param(name, key, float in kinds, id=f"{name}:{key}")


@pytest.mark.parametrize(("name", "key", "broken"), list(numeric_parameters()))
def test_every_number_is_checked_when_the_strategy_is_made(name, key, broken):
    for value in ("x", "True", "-5", "1e999", "[1]", *(() if broken else ("2.5",))):
        said = refusal(f"{name}:{key}={value}")
        assert re.search(rf"do(es)? not take these parameters: {key}=.+ must be ", said), value


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "roo:kep=5",
            "there is no 'kep'; did you mean 'keep'? it takes keep, max_output, t",
        ),
        (
            "claude-code:zzz=1",
            "there is no 'zzz'; it takes files, focus, read_arguments, read_results",
        ),
        ("none:x=1", "there is no 'x'; it takes no parameters"),
        ("truncate:fractoin=1", "'truncate:fractoin=1' does not take these parameters"),
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
        assert "cannot be called as f(messages, budget, model=model): " in said
        assert "nothing tells what 'k' is: give it as :k=value" in said

    def test_a_parameter_that_the_function_does_not_take_is_named(self):
        said = refusal("strategies_of_mine:keep_all:k=3")
        assert (
            "cannot be called as f(messages, budget, k=…): there is no 'k'; it takes no parameters"
            in said
        )
        said = refusal("strategies_of_mine:by_name:focsu=a")
        assert "there is no 'focsu'; did you mean 'focus'? it takes focus" in said

    @pytest.mark.parametrize(
        ("given", "taken"),
        [
            ("focus=yes", ("yes", "on", None, "", 1)),
            ("focus='yes'", ("yes", "on", None, "", 1)),
            ("focus=5:keep=5", ("5", "on", None, "", 5)),
            ("focus=None:note=None", ("None", "on", None, "", 1)),
            ("mode=off:note=1.0", ("", "off", "1.0", "", 1)),
            ("later=True:keep=no", ("", "on", None, "True", False)),
        ],
    )
    def test_a_parameter_that_is_annotated_as_text_stays_text(self, given, taken):
        assert create(f"strategies_of_mine:Focused:{given}").given == taken

    @pytest.mark.parametrize(
        ("focus", "said"),
        [
            ("escape", r"does not take these parameters: no\x1b[2J"),
            ("odd", r"Odd\x1b[2J: \x1b]0;title\x07"),
            ("leave", "SystemExit: 3"),
        ],
    )
    def test_what_a_constructor_says_is_printed_without_its_escapes(self, focus, said):
        text = refusal(f"strategies_of_mine:Focused:focus={focus}")
        assert said in text
        assert text.isprintable()

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("by_name:focus=no", "100 no"),
            ("budget_last", "100 2"),
            ("budget_last:k=7", "100 7"),
            ("by_name:budget=9", "9 "),
        ],
    )
    def test_a_budget_that_is_not_the_second_parameter_is_given_by_its_name(self, text, said):
        made = create(f"strategies_of_mine:{text}")
        _, (message,) = compacted(made, [user("a")], context_of(100))
        assert message.text == said

    def test_a_class_is_made_with_its_parameters(self):
        made = create("strategies_of_mine:Own:keep=4")
        assert isinstance(made, Own)
        assert made.keep == 4

    def test_an_instance_is_taken_as_it_is(self):
        made = create("strategies_of_mine:instance")
        assert isinstance(made, Own)
        assert made is create("strategies_of_mine:instance")

    def test_a_thing_that_cannot_be_called_is_refused(self):
        assert "is int; expected a function" in refusal("strategies_of_mine:number")

    def test_a_missing_attribute_is_told_the_nearest(self):
        said = refusal("strategies_of_mine:keep_al")
        assert "the module 'strategies_of_mine' has no 'keep_al'; did you mean 'keep_all'?" in said


@pytest.mark.parametrize("module", ["no_such_module_here", "json.no_such", ".relative"])
def test_a_module_that_cannot_be_imported_says_so(module):
    assert "cannot import the module of the compactor" in refusal(f"{module}:compact")


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("raise ValueError('no\\x1b[2J')", r"ValueError: no\x1b[2J"),
        ("import pytest; pytest.skip('no key', allow_module_level=True)", "Skipped: no key"),
    ],
)
def test_a_module_that_raises_on_import_says_what(tmp_path, monkeypatch, source, said):
    (tmp_path / "raises_on_import.py").write_text(f"{source}\n")
    monkeypatch.syspath_prepend(tmp_path)
    text = refusal("raises_on_import:compact")
    assert said in text
    assert text.isprintable()
