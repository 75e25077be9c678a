"""Secrets in the parameters of strategies: a stand-in takes their place in all names.

What is a secret, by its name or its look, is replaced before any name of a test, file or record is
made, and put back where the strategy itself is made.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

from pytest_compaction.secrets.keys import BLOT
from pytest_compaction.secrets.known import (
    LONG,
    environment_secrets,
    find_known,
    know,
    names_a_secret,
)
from pytest_compaction.secrets.shapes import find, replace

_PARAMETER: Final = re.compile(
    r"""(?x)(?:^|(?<=[:+,@]))\s*(?P<name>[\w\-]{1,60})\s*=(?!=)\s*
    (?:'(?P<single>(?:\\.|[^'\\])*)'|"(?P<double>(?:\\.|[^"\\])*)"
      |(?P<plain>(?!['"])(?:[^:+<>,]|\+(?=\s*[\d.]))+))"""
)
"""A parameter of a strategy; a ``+`` before a digit is a part of its value."""
_STAND_IN: Final = re.compile(r"\[key(?:-\d{1,4})?\]")
_NOT_SECRET: Final = frozenset("true false yes no on off none null".split())

_stand_ins: dict[str, str] = {}
"""Stand-ins by the secrets of this process, in the order of their appearance."""


def hide(text: str) -> str:
    """The text of a specification or of a rule with a stand-in for every secret in it.

    A stand-in is ``[key]`` for the first secret of a run and ``[key-2]`` for the second, so that
    strategies that differ in nothing else keep names of their own.
    """
    if "=" not in text:
        return text
    shown = [*find_known(text, environment_secrets()), *find(text)]
    spans = []
    for match in _PARAMETER.finditer(text):
        group = str(match.lastgroup)
        value = match[group].strip()
        if _is_secret(match["name"], value):
            start = match.start(group) + match[group].index(value)
            spans.append((start, start + len(value)))
        spans += [span for span in shown if match.start(group) <= span[0] < match.end(group)]
    return replace(text, spans, _stand_in) if spans else text


def _is_secret(name: str, value: str) -> bool:
    if not value or value.lower() in _NOT_SECRET or _STAND_IN.fullmatch(value):
        return False
    if name.lower() == "key":
        return len(value) >= LONG and any(map(str.isdigit, value))
    return names_a_secret(name) and not re.fullmatch(r"\d{1,3}(?:\.\d+)?", value)


def _stand_in(secret: str) -> str:
    if not _STAND_IN.fullmatch(secret) and secret not in _stand_ins:
        number = len(_stand_ins) + 1
        learn({secret: BLOT if number == 1 else f"[key-{number}]"})
    return _stand_ins.get(secret, secret)


def revealed(text: str) -> str:
    """A value with the secrets back in the place of their stand-ins."""
    if not _STAND_IN.search(text):
        return text
    secrets = {stand_in: secret for secret, stand_in in _stand_ins.items()}
    return _STAND_IN.sub(lambda match: secrets.get(match[0], match[0]), text)


def hidden() -> Mapping[str, str]:
    """Stand-ins by the secrets that they replace, for another process to learn."""
    return dict(_stand_ins)


def learn(stand_ins: Mapping[str, str]) -> None:
    """Know these secrets, as another process does."""
    _stand_ins.update(stand_ins)
    know(_stand_ins)


def forget(kept: Iterable[tuple[str, str]] = ()) -> None:
    """Know the secrets of no parameter, when a run ends, but those that are ``kept``."""
    _stand_ins.clear()
    learn(dict(kept))
