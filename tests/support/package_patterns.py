"""Every regular expression of the package: those that modules hold, and those that functions make.

A pattern is named by module and variable, as in ``text.words:_TOKEN``, or by module and line.
"""

import ast
import importlib
import inspect
import pkgutil
import re
import types
from dataclasses import dataclass, fields, is_dataclass
from functools import cache

import pytest_compaction

_FUNCTIONS = {"compile", "search", "match", "fullmatch", "sub", "subn", "split"}
_FUNCTIONS |= {"findall", "finditer"}
_METHODS = "|".join(sorted(_FUNCTIONS - {"compile"}))
_PACKAGE = "pytest_compaction."
_DEEPEST = 5


@dataclass(frozen=True)
class Used:
    """A pattern and the methods with which it is used; without any, nobody knows how it is."""

    name: str
    pattern: re.Pattern
    methods: frozenset = frozenset()


@cache
def modules():
    """All modules of the package by name, without its prefix."""
    found = {}
    for info in pkgutil.walk_packages(pytest_compaction.__path__, _PACKAGE):
        found[info.name.removeprefix(_PACKAGE)] = importlib.import_module(info.name)
    return found


@cache
def _sources():
    return {name: inspect.getsource(module) for name, module in modules().items()}


def held_patterns():
    """The patterns that modules, their classes and their containers hold; each once."""
    found = {}
    for name, module in modules().items():
        for variable, value in sorted(vars(module).items()):
            if not isinstance(value, types.ModuleType):
                for pattern in _within(value):
                    key = (pattern.pattern, pattern.flags)
                    found.setdefault(key, (pattern, []))[1].append((name, variable))
    return [
        Used(f"{places[0][0]}:{places[0][1]}", pattern, frozenset().union(*map(_methods, places)))
        for pattern, places in found.values()
    ]


def _within(value, depth=0):
    if isinstance(value, re.Pattern):
        yield value
        return
    if depth > _DEEPEST:
        return
    inner = []
    if isinstance(value, dict):
        inner = [*value.keys(), *value.values()]
    elif isinstance(value, list | tuple | set | frozenset):
        inner = list(value)
    elif isinstance(value, type) and value.__module__.startswith(_PACKAGE):
        inner = list(vars(value).values())
    elif is_dataclass(value) and not isinstance(value, type):
        inner = [getattr(value, field.name, None) for field in fields(value)]
    elif isinstance(value, types.FunctionType):
        inner = [cell.cell_contents for cell in value.__closure__ or ()]
        inner += value.__defaults__ or ()
    for each in inner:
        yield from _within(each, depth + 1)


@cache
def _places():
    """The modules in which each word stands."""
    found = {}
    for name, source in _sources().items():
        for word in set(re.findall(r"\w+", source)):
            found.setdefault(word, []).append(name)
    return found


def _methods(place):
    """How a variable is used, in its module and wherever it is imported, itself or its module."""
    module, variable = place
    value, home = vars(modules()[module])[variable], modules()[module]
    found = set()
    for name in _places()[variable]:
        source, names = _sources()[name], vars(modules()[name])
        if names.get(variable) is value:
            found.update(_called(rf"(?<![\w.]){variable}", source))
        for alias, held in names.items():
            if held is home and f"{alias}.{variable}" in source:
                found.update(_called(rf"\b{alias}\.{variable}", source))
    return found


def called(module, variable):
    """The methods that a module calls on a pattern by a name of its own, such as ``self.rest``."""
    return set(_called(rf"(?<![\w.]){re.escape(variable)}", _sources()[module]))


def _called(name, source):
    return re.findall(rf"{name}\.({_METHODS})\b", source)


def made_patterns():
    """Patterns written within calls of ``re``; an unknown part is taken for a name.

    Returns the patterns, and the calls whose pattern cannot be told from the source.
    """
    found, unknown = {}, []
    for name, module in modules().items():
        for call in ast.walk(ast.parse(_sources()[name])):
            if not _is_call(call):
                continue
            try:
                pattern = _value(call.args[0], vars(module))
                flags = _value(call.args[1], vars(module)) if call.func.attr == "compile" else 0
            except IndexError:
                flags = 0
            except NameError:
                unknown.append(f"{name}: {ast.unparse(call)}")
                continue
            if not isinstance(pattern, str):
                continue
            methods = frozenset({call.func.attr} - {"compile"})
            made = re.compile(pattern, flags if isinstance(flags, int) else 0)
            found.setdefault(pattern, Used(f"{name}:{call.lineno}", made, methods))
    return list(found.values()), sorted(unknown)


def _is_call(node):
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == "re"
        and node.func.attr in _FUNCTIONS
    )


def _value(node, names):
    """The value of an expression; in an f-string a part that is not known is ``name1``."""
    if not isinstance(node, ast.JoinedStr):
        return eval(compile(ast.Expression(node), "pattern", "eval"), dict(names))
    text = ""
    for part in node.values:
        if isinstance(part, ast.Constant):
            text += part.value
            continue
        try:
            text += str(_value(part.value, names))
        except (NameError, AttributeError):
            text += "name1"
    return text
