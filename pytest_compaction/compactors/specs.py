"""How the command line names a strategy: a name, ``module:function`` or ``file.py:function``,
and parameters.

``a:key=value+b`` is a composition (see :mod:`.composition`). Signs inside a quoted value,
and a ``+`` before a digit, do not separate: ``focus='the tests: a, b+c'``, ``1e+5``.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from typing import Any, Final

from pytest_compaction.compactors.parameters import parted
from pytest_compaction.secrets import hide, revealed

_AS_PYTEST: Final = re.compile(r"^([^:=]+\.py)::")
"""A file and a name in it, as pytest writes the two."""
_DRIVE: Final = re.compile(r"^[A-Za-z]:(?=[\\/])")
"""What a whole path begins with on Windows; its colon separates nothing."""
_PLUS: Final = r"\+(?!\s*[\d.])"


class UnknownCompactorError(LookupError):
    """A strategy does not exist or cannot be made; the text says why, and what exists.

    ``untaken`` are parameters that a strategy of this package does not take, as ``codex:mode``.
    """

    def __init__(self, text: str, untaken: tuple[str, ...] = ()) -> None:
        super().__init__(text)
        self.untaken = untaken


@dataclass(frozen=True, slots=True)
class Spec:
    """A strategy as the command line names it: ``name:key=value``, ``module:object:key=value``.

    ``parts`` are the parts of a composition, which has no parameters of its own.
    ``written`` holds the parameters as typed, for parameters that are annotated as text.
    ``text`` has stand-ins for secrets, because it names the strategy everywhere; the parameters
    have the secrets themselves.
    """

    text: str
    target: str
    parameters: tuple[tuple[str, Any], ...] = field(default=(), repr=False)
    parts: tuple[Spec, ...] = ()
    written: tuple[tuple[str, str], ...] = field(default=(), compare=False, repr=False)

    def only(self, names: Collection[str]) -> Spec:
        """The same strategy with these of its parameters."""
        return replace(self, parameters=tuple(each for each in self.parameters if each[0] in names))

    @property
    def slug(self) -> str:
        """The form used in item ids."""
        return re.sub(r"[^A-Za-z0-9_.:+=]", "_", self.text)


def parse_spec(text: str) -> Spec:
    """Split a specification; a segment with ``=`` is a parameter: a Python literal or text.

    Parts joined by ``+`` give a specification with ``parts``.
    """
    text = hide(text)
    pieces = list(parted(text, _PLUS))
    if len(pieces) > 1 and not all(piece.strip() for piece in pieces):
        raise UnknownCompactorError(
            f"cannot read the compactor {text!r}; a + stands between two strategies"
        )
    if len(pieces) == 1:
        return _single(text)
    parts = tuple(_single(piece) for piece in pieces)
    return Spec(text.strip(), "+".join(part.target for part in parts), (), parts)


ARCHIVE: Final = "archive"


def without_archive(text: str) -> str:
    """The strategy that compacts, as text: its requests for words are the same without an archive.

    Words are recorded under this name.
    """
    parts = [part.text for part in parse_spec(text).parts if part.target != ARCHIVE]
    return "+".join(parts) or text


def _single(text: str) -> Spec:
    text = text.strip()
    drive = _DRIVE.match(text)
    start = drive.end() if drive else 0
    text = text[:start] + _AS_PYTEST.sub(r"\1:", text[start:])
    segments = [segment.strip() for segment in parted(text[start:], ":")]
    segments[0] = text[:start] + segments[0]
    names = [segment for segment in segments if "=" not in segment]
    if not names or not all(names) or len(names) > 2:
        raise UnknownCompactorError(
            f"cannot read the compactor {text!r}; write a name, module:function, and :key=value"
        )
    written: dict[str, str] = {}
    for segment in segments:
        key, given, value = segment.partition("=")
        key = key.replace("-", "_")
        if given and key in written:
            raise UnknownCompactorError(
                f"the compactor {text!r} gives {key!r} twice, as {written[key]!r} and {value!r}; "
                "give it once"
            )
        if given:
            written[key] = value
    return Spec(
        text.strip(),
        ":".join(names),
        tuple((key, _literal(revealed(value))) for key, value in written.items()),
        written=tuple((key, revealed(value)) for key, value in written.items()),
    )


def _literal(value: str) -> Any:
    lowered = value.strip().casefold()
    if lowered in {"true", "yes", "on"}:
        return True
    if lowered in {"false", "no", "off"}:
        return False
    try:
        return ast.literal_eval(value)
    except (ValueError, SyntaxError):
        return value
