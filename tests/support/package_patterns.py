"""Every regular expression of the package that is written down in it.

A pattern is named by module and variable, as in ``text.words:_TOKEN``, or by module and line.
"""

import ast
import importlib
import inspect
import pkgutil
import re
import types
from contextlib import suppress
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


def _called(name, source):
    return re.findall(rf"{name}\.({_METHODS})\b", source)


def patterns():
    """All patterns: those that modules hold, and those that stand whole in calls of ``re``."""
    found = {(used.pattern.pattern, used.pattern.flags): used for used in held_patterns()}
    for name, module in modules().items():
        for call in ast.walk(ast.parse(_sources()[name])):
            if not _is_call(call):
                continue
            with suppress(NameError, IndexError, re.error):
                pattern, *flags = (
                    eval(compile(ast.Expression(each), "pattern", "eval"), dict(vars(module)))
                    for each in call.args[: 2 if call.func.attr == "compile" else 1]
                )
                if isinstance(pattern, str):
                    made = re.compile(pattern, *flags)
                    used = Used(f"{name}:{call.lineno}", made, frozenset({call.func.attr}))
                    found.setdefault((made.pattern, made.flags), used)
    return list(found.values())


def _is_call(node):
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == "re"
        and node.func.attr in _FUNCTIONS
    )
