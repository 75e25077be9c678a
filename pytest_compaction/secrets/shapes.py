"""Values that a name or a header shows to be keys, and the one way in which all keys are replaced.

Both ways to hide a secret go through here: :mod:`.keys` scrubs what a run shows or writes,
:mod:`.search` looks through imported transcripts, with further rules of its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from pytest_compaction.secrets.disguises import Span, windows
from pytest_compaction.secrets.formatted import find_formatted

STAND_IN: Final = "REDACTED_SECRET_"
"""Replaces a secret in an imported transcript; a number follows."""

_LONG_VALUE: Final = r"""["']?\s*(?::|=|=>|\bis)\s*["']?
  (?P<secret>(?=[A-Za-z_\-.+/]*[0-9])(?=[0-9_\-.+/]*[A-Za-z])
    [A-Za-z0-9_\-.+/~]{20,}=*)(?![(\w])"""
"""A value behind its name: 20 characters or more, with a digit."""
_ODD_LETTERS: Final = "\u017f\u212a\u0130\u0131"
"""Letters that a pattern without regard to case takes for ASCII ones, but ``lower`` does not."""
TEST_NAME: Final = re.compile(
    r"(?:[\w./\-]{1,200}::)?(?:test_\w{1,200}|[Tt]est[A-Z][A-Za-z]\w{0,200})(?:\[[^\]]{0,200}\])?"
    r"|[\w./\-]{1,200}::\w[\w:\[\]\-.]{0,200}"
)
"""A test, with its file and parameters or without."""


@dataclass(frozen=True, slots=True)
class KeyShape:
    """A pattern, and signs: short texts, at least one of which is in every match.

    Signs are searched for first, because that is many times faster than a pattern that
    finds nothing; those of a pattern that ignores case are in lower case. The secret is the
    group ``secret``, or the whole match if ``pattern`` has no such group.

    ``rest`` is what follows a sign in every match.
    """

    signs: tuple[str, ...]
    pattern: re.Pattern[str]
    rest: re.Pattern[str] | None = None

    def find(self, text: str, lower: str | None = None) -> Iterator[Span]:
        """Where the secrets of this shape stand, in the order of the text; linear.

        ``lower`` is the text in lower case, if it is at hand.
        """
        group = "secret" if "secret" in self.pattern.groupindex else 0
        for match in self._matches(text, lower):
            if not TEST_NAME.fullmatch(match[group]):
                yield match.span(group)

    def _matches(self, text: str, lower: str | None) -> Iterator[re.Match[str]]:
        """What ``pattern.finditer`` finds, without a look at places where it finds nothing."""
        searched = text
        if self.pattern.flags & re.IGNORECASE:
            searched = text.lower() if lower is None else lower
        if any(sign in searched for sign in self.signs) and self._goes_on(searched, text):
            yield from self.pattern.finditer(text)

    def _goes_on(self, searched: str, text: str) -> bool:
        """Whether the rest of the pattern stands behind one of the signs."""
        if self.rest is None or len(searched) != len(text):
            return True
        if not text.isascii() and any(letter in text for letter in _ODD_LETTERS):
            return True
        for sign in self.signs:
            at = searched.find(sign)
            while at >= 0:
                if self.rest.match(text, at + len(sign)):
                    return True
                at = searched.find(sign, at + 1)
        return False


SHAPES: Final = (
    # HTTP: "Authorization: Bearer …", "Basic …" (RFC 6750, 7617), "token …" as GitHub has it
    KeyShape(
        ("bearer ", "basic ", "authorization"),
        re.compile(
            r"(?i)\b(?:bearer|basic|authorization[\"']?\s{0,3}[:=]\s{0,3}[\"']?(?:token|apikey)) "
            r"(?P<secret>(?=[A-Za-z+/_\-.~]*[0-9])[A-Za-z0-9_\-.~+/]{16,}=*)"
        ),
    ),
    # api_key = "…", "client_secret": "…", password is …: 20 characters or more, with a digit
    KeyShape(
        ("key", "token", "secret", "password"),
        re.compile(
            r"""(?ix)(?:(?:api|access|secret|auth|client|account)[_\- ]?
              (?:key|token|secret|password)|apikey|password)"""
            + _LONG_VALUE
        ),
        re.compile(rf"(?ix){_LONG_VALUE}"),
    ),
    # PGPASSWORD=…: a password that is set as shells set variables, however short
    KeyShape(
        ("PASSWORD=", "PASSWD=", "PASSPHRASE="),
        re.compile(
            r"""(?x)(?<![A-Za-z0-9])(?:[A-Z][A-Z0-9]*_?)?(?:PASSWORD|PASSWD|PASSPHRASE)=["']?
            (?P<secret>(?=[^\s"']{0,200}[0-9])(?=[^\s"']{0,200}[A-Za-z])
              [^\s"'`,;|&<>(){}\[\]$]{6,200})(?![(\[{$])"""
        ),
    ),
)


def find(text: str) -> Iterator[Span]:
    """Where the keys of a text stand, shape by shape; some overlap. Linear."""
    yield from _find(text)
    for read in windows(text):
        yield from (read.span(*span) for span in _find(read.text))


def _find(text: str) -> Iterator[Span]:
    yield from find_formatted(text)
    lower = text.lower()
    for shape in SHAPES:
        yield from shape.find(text, lower)


def replace(text: str, spans: Iterable[Span], stand_in: Callable[[str], str]) -> str:
    """The text with each span replaced by ``stand_in`` of it; spans that overlap become one."""
    merged: list[Span] = []
    for start, stop in sorted(spans):
        if merged and start < merged[-1][1]:
            start, stop = merged[-1][0], max(stop, merged.pop()[1])
        merged.append((start, stop))
    pieces: list[str] = []
    end = 0
    for start, stop in merged:
        pieces += (text[end:start], stand_in(text[start:stop]))
        end = stop
    return "".join((*pieces, text[end:]))
