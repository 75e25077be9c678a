"""Reads the value of an option from the command line, the ini file or the table."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, Protocol

from pytest_compaction.compactors import parted
from pytest_compaction.options.table import OLD_KEYS, Option, option_of
from pytest_compaction.settings import OptionError
from pytest_compaction.text import NumberError

NO_GATE: Final = "none"
"""Given in place of thresholds or of a baseline: those of the ini file do not decide."""


class Reader(Protocol):
    """Reads options as the configuration of pytest does."""

    def getoption(self, name: str, default: Any = ...) -> Any: ...

    def getini(self, name: str) -> Any: ...


class EarlyReader:
    """Reads options while pytest still looks for conftest files, which add none of these."""

    def __init__(self, config: Any) -> None:
        self._config = config

    def getoption(self, name: str, default: Any = None) -> Any:
        """The value of the command line; ``None`` if there is none."""
        return getattr(self._config.known_args_namespace, name, default)

    def getini(self, name: str) -> Any:
        return self._config.getini(name)


def value_of(config: Reader, option: Option) -> Any:
    """The value of the command line, else of the ini file, else the default."""
    written, given = option.flag, config.getoption(option.key)
    if given is None:
        written, given = option.ini_key, config.getini(option.ini_key)
    if given is None and written in OLD_KEYS:
        written, given = OLD_KEYS[written], config.getini(OLD_KEYS[written])
    if given is None:
        return option.default
    texts = given if option.repeatable else [given]
    if not texts or any(isinstance(text, str) and not text.strip() for text in texts):
        gate = option.key in {"compaction_threshold", "compaction_baseline"}
        instead = f"{NO_GATE}, if none is to decide" if gate else "leave it out"
        value = option.metavar or "a value"
        raise OptionError(f"{written}= is empty; give {value}, or {instead}")
    if option.choices and given not in option.choices:
        *most, last = option.choices
        words = f"{', '.join(most)} or {last}"
        raise OptionError(f"{option.flag}={given} is not {words}")
    if option.ini_type in ("int", "float"):
        return number(option.key, given)
    return [str(text).strip() for text in texts] if option.repeatable else given


def number(key: str, given: Any) -> Any:
    """The number that is given for an option; raises :class:`OptionError` out of its range."""
    option = option_of(key)
    try:
        return option.range.read(given) if option.range else given
    except NumberError as error:
        raise OptionError(f"{option.flag}={error}") from None


def split(values: Iterable[str], key: str) -> list[str]:
    """The parts of each value of an option between commas, except commas in a quoted parameter."""
    found: list[str] = []
    for value in values:
        parts = [part.strip() for part in parted(value, ",")]
        if not all(parts):
            option = option_of(key)
            raise OptionError(
                f"{option.flag}={value} has an empty part; {option.metavar} stands before and "
                "after each comma"
            )
        found += parts
    return found
