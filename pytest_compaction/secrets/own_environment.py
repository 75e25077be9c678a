"""The user's own values of environment variables that point elsewhere while a run lasts.

Code that a run takes in reads the variables and finds what it is pointed to. The run itself asks
here, and the values that were taken out are secrets as before.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

_own: dict[str, str | None] = {}
"""What the variables held before, ``None`` for those that were not set."""


def own_variable(name: str) -> str:
    """The user's own value of a variable, without space around it; empty if it is not set."""
    value = _own[name] if name in _own else os.environ.get(name)
    return (value or "").strip()


def own_values() -> Mapping[str, str]:
    """The values that were taken out of the environment."""
    return {name: value for name, value in _own.items() if value is not None}


def point(variables: Mapping[str, str | None]) -> Callable[[], None]:
    """Set variables, or remove those that are ``None``. The result puts the user's own back."""
    for name, value in variables.items():
        _own.setdefault(name, os.environ.get(name))
        _set(name, value)

    def put_back() -> None:
        for name in variables:
            if name in _own:
                _set(name, _own.pop(name))

    return put_back


def _set(name: str, value: str | None) -> None:
    if value is None:
        os.environ.pop(name, None)
    else:
        os.environ[name] = value
