"""Parameters from the command line: splitting their text, declaring them, checking their values.

A strategy declares its parameters as fields of a dataclass, each with its default and the check of
its value: ``keep: int = whole(3, 1)``. A field whose default is ``None`` may be ``None``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import field, fields
from typing import Any, Final

_VALUE: Final = (
    r"""=\s*(?:'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|"""
    r"\[[^\]]{0,4000}\]|\([^)]{0,4000}\)|\{[^}]{0,4000}\})"
)
"""A value in quotes or brackets; separators inside it do not count."""


def parted(text: str, separator: str) -> Iterator[str]:
    """Split a text at a separator, which is a pattern, except inside a quoted value.

    A value is quoted if the quote follows its ``=``, as in ``focus='a, b'``. A value in
    brackets counts as quoted.
    """
    start = 0
    for found in re.finditer(rf"{_VALUE}|(?P<separator>{separator})", text):
        if found["separator"] is not None:
            yield text[start : found.start()]
            start = found.end()
    yield text[start:]


def names_in(text: object) -> frozenset[str]:
    """The names that a parameter gives as ``bash|read_file``."""
    return frozenset(name.strip() for name in str(text).split("|") if name.strip())


def check_whole(name: str, value: Any, least: int, most: int | None = None, unit: str = "") -> None:
    """Raise ``ValueError`` with a sentence unless ``value`` is a whole number in its range."""
    whole = isinstance(value, int) and not isinstance(value, bool)
    if whole and value >= least and (most is None or value <= most):
        return
    within = f"at least {least}" if most is None else f"{least} to {most}"
    of_what = f" of {unit}" if unit else ""
    raise ValueError(f"{name}={value} must be a whole number{of_what}, {within}")


def check_share(name: str, value: Any, whole: bool = False) -> None:
    """Raise ``ValueError`` with a sentence unless ``value`` is a number above 0 and below 1.

    With ``whole`` it may be 1 as well.
    """
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if number and value > 0 and (value <= 1 if whole else value < 1):
        return
    within = "above 0 and at most 1" if whole else "between 0 and 1"
    raise ValueError(f"{name}={value} must be {within}, a number such as 0.5")


def check_choice(name: str, value: object, choices: tuple[object, ...]) -> None:
    """Raise ``ValueError`` with the choices unless ``value`` is one of them."""
    if not any(type(value) is type(choice) and value == choice for choice in choices):
        raise ValueError(f"{name}={value} must be {' or '.join(map(str, choices))}")


def parameter(default: Any, check: Callable[[str, Any], object]) -> Any:
    """A field with a check, which gets its name and its value and raises ``ValueError``."""
    return field(default=default, metadata={"check": check})


def whole(default: int | None, least: int, most: int | None = None, unit: str = "") -> Any:
    """A field for a whole number in a range."""
    return parameter(default, lambda name, value: check_whole(name, value, least, most, unit))


def portion(default: float, whole: bool = False) -> Any:
    """A field for a number above 0 and below 1, or at most 1 with ``whole``."""
    return parameter(default, lambda name, value: check_share(name, value, whole))


def within(default: float, least: float, most: float) -> Any:
    """A field for a number in a range."""

    def check(name: str, value: Any) -> None:
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if not number or not least <= value <= most:
            raise ValueError(f"{name}={value} must be a number from {least} to {most}")

    return parameter(default, check)


def choice(*choices: object) -> Any:
    """A field for one of some values, the first by default."""
    return parameter(choices[0], lambda name, value: check_choice(name, value, choices))


def check_parameters(strategy: Any) -> None:
    """Raise ``ValueError`` for the first field of a strategy whose value its check refuses."""
    for each in fields(strategy):
        value = getattr(strategy, each.name)
        if "check" in each.metadata and not (value is None and each.default is None):
            each.metadata["check"](each.name, value)
