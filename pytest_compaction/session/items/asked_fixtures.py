"""Whether a file has tests over cases or dialogues, read from its text: nothing is imported."""

from __future__ import annotations

import ast
import re
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatch
from typing import Final, Self

from pytest_compaction.session.items.kinds import KINDS

_FUNCTION: Final = (ast.FunctionDef, ast.AsyncFunctionDef)
_BLOCKS: Final = ("body", "orelse", "handlers", "finalbody", "cases")
"""What of a statement holds others."""
_MEASURED: Final = tuple(frozenset(kind.fixtures) for kind in KINDS.values())
_WORDS: Final = frozenset().union(*_MEASURED)


@dataclass(frozen=True, slots=True)
class Fixtures:
    """The fixtures that a file and the ``conftest.py`` files above it define.

    ``asked`` has for each fixture the names that it asks for, ``autouse`` those that every test
    of the folder uses.
    """

    asked: Mapping[str, frozenset[str]] = field(default_factory=dict)
    autouse: frozenset[str] = frozenset()

    def with_those_of(self, tree: ast.AST) -> Self:
        """These and the ones of one more file, which win over others of the same name."""
        asked, autouse = dict(self.asked), set(self.autouse)
        for function in _functions(tree):
            for mark in function.decorator_list:
                call = mark if isinstance(mark, ast.Call) else None
                if _last_name(mark) != "fixture":
                    continue
                options = {key.arg: key.value for key in call.keywords} if call else {}
                name = _text(options.get("name")) or function.name
                asked[name] = _arguments(function) - {name}
                if isinstance(flag := options.get("autouse"), ast.Constant) and flag.value:
                    autouse.add(name)
        return type(self)(asked, frozenset(autouse))

    def reached(self, names: set[str] | frozenset[str]) -> frozenset[str]:
        """The names and all that they ask for, through any number of fixtures."""
        found: set[str] = set()
        left = set(names)
        while left:
            name = left.pop()
            found.add(name)
            left |= self.asked.get(name, frozenset()) - found
        return frozenset(found)


def measures(text: str, above: Fixtures, test_names: Sequence[str]) -> bool:
    """Whether a test of this file would be an item of a benchmark.

    ``above`` are the fixtures of the ``conftest.py`` files that the file sees, ``test_names`` the
    beginnings or patterns of the names of test functions. A file that is no Python is taken for
    one if it has the words, so that its error is seen.
    """
    named = frozenset(re.findall(r"\w+", text)) | above.autouse
    may_ask = above.reached(named & (above.asked.keys() | _WORDS))
    if not any(kind <= may_ask for kind in _MEASURED):
        return False
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return True
    fixtures = above.with_those_of(tree)
    used = fixtures.autouse | (_used_by_mark(tree) if "usefixtures" in text else frozenset())
    for function in _functions(tree):
        if not any(function.name.startswith(n) or fnmatch(function.name, n) for n in test_names):
            continue
        reached = fixtures.reached(_arguments(function) | used)
        provided = _parametrized(function) | fixtures.asked.keys()
        if any(kind <= reached and not kind & provided for kind in _MEASURED):
            return True
    return False


def parsed(text: str) -> ast.AST:
    """The tree of a file; an empty one if it is no Python."""
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return ast.Module([], [])


def _functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """All functions, from the top: they stand in statements, whose expressions are passed over."""
    left = deque([tree])
    while left:
        node = left.popleft()
        if isinstance(node, _FUNCTION):
            yield node
        for name in _BLOCKS:
            left.extend(getattr(node, name, ()))


def _arguments(function: ast.FunctionDef | ast.AsyncFunctionDef) -> frozenset[str]:
    """The names of the arguments without a default, as pytest takes them for fixtures."""
    given = function.args
    positional = [*given.posonlyargs, *given.args]
    positional = positional[: len(positional) - len(given.defaults)]
    by_name = zip(given.kwonlyargs, given.kw_defaults, strict=True)
    named = [one for one, value in by_name if value is None]
    return frozenset(one.arg for one in (*positional, *named))


def _used_by_mark(tree: ast.AST) -> frozenset[str]:
    """The fixtures that marks of the file name, wherever they stand."""
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    marks = (call for call in calls if _last_name(call) == "usefixtures")
    return frozenset(text for mark in marks for one in mark.args if (text := _text(one)))


def _parametrized(function: ast.FunctionDef | ast.AsyncFunctionDef) -> frozenset[str]:
    """The arguments that marks of a function give their values."""
    found: set[str] = set()
    for mark in function.decorator_list:
        if isinstance(mark, ast.Call) and _last_name(mark) == "parametrize" and mark.args:
            texts = (node for node in ast.walk(mark.args[0]) if isinstance(node, ast.Constant))
            found.update(*(str(text.value).replace(",", " ").split() for text in texts))
    return frozenset(found)


def _last_name(node: ast.AST) -> str:
    """The last part of a dotted name, or of that of a call."""
    if isinstance(node, ast.Call):
        node = node.func
    return str(getattr(node, "attr", "") or getattr(node, "id", ""))


def _text(node: ast.AST | None) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
