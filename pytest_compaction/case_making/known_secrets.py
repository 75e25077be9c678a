"""Finds all known secrets of a file in a text, in one pass however many there are."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

_LONG: Final = 16
"""Fewest characters for a secret that is not a word to be replaced even within a word."""
_ONE_LINE: Final = 300
"""Most characters of a secret that is also looked for where a line was broken within it."""
_SIGN: Final = 8
"""Characters at the beginning of a secret by which it is looked for."""
_BREAK: Final = r"(?:[ \t]{0,4}\\?\r?\n[ \t]{0,40}|\\{1,2}n[ \t]{0,40})"
_BROKEN: Final = re.compile(_BREAK)
_FEW: Final = 24
"""So many beginnings are looked for one by one, which is faster than at each place of a text."""

Place = tuple[int, int, str]
"""Where a secret stands, and its stand-in."""


@dataclass(frozen=True, slots=True)
class _Form:
    """A secret as a text may hold it; a smaller ``order`` goes first where two overlap.

    It is ``bounded`` if it counts only as a whole word, and ``breakable`` if a line may be
    broken within it.
    """

    text: str
    order: int
    stand_in: str
    bounded: bool
    breakable: bool

    def end(self, text: str, start: int) -> int:
        """Where it ends in the text if it begins at ``start``; -1 if it does not."""
        if text.startswith(self.text, start):
            end = start + len(self.text)
        elif self.breakable:
            found = re.compile(f"{_BREAK}?".join(map(re.escape, self.text))).match(text, start)
            end = found.end() if found else -1
        else:
            return -1
        return -1 if self.bounded and _is_within_word(text, start, end) else end


class KnownSecrets:
    """The secrets of a file with their stand-ins.

    A long one is found within a word, and where a line was broken within it. Building is linear
    in the secrets, and finding them in the text.
    """

    def __init__(self, stand_ins: Mapping[str, str]) -> None:
        ordered = sorted(stand_ins, key=lambda secret: (-len(secret), secret))
        self._forms: dict[str, dict[int, dict[str, _Form]]] = {}
        """By their first characters, then by their length, then by their text."""
        for order, secret in enumerate(ordered):
            for form in _forms(secret, order, stand_ins[secret]):
                by_length = self._forms.setdefault(form.text[:_SIGN], {})
                by_length.setdefault(len(form.text), {}).setdefault(form.text, form)
        self._sizes = sorted({len(sign) for sign in self._forms})

    def places(self, text: str) -> list[Place]:
        """Where they stand, in order. Of two that overlap the longer one counts."""
        found: list[tuple[int, int, int, str]] = []
        for start, sign in self._signs(text):
            for form in self._beginning(text, start, sign):
                end = form.end(text, start)
                if end > start:
                    found.append((form.order, start, end, form.stand_in))
        taken: list[Place] = []
        starts: list[int] = []
        for _, start, end, stand_in in sorted(set(found)):
            at = bisect_right(starts, start)
            free_before = at == 0 or taken[at - 1][1] <= start
            if free_before and (at == len(taken) or end <= starts[at]):
                taken.insert(at, (start, end, stand_in))
                starts.insert(at, start)
        return taken

    def _beginning(self, text: str, start: int, sign: str) -> Iterator[_Form]:
        """The forms that the text may hold at a place, where it has their first characters."""
        by_length = self._forms[sign]
        most = max(by_length)
        whole = text[start : start + most]
        joined = _BROKEN.sub("", text[start : start + 2 * min(most, _ONE_LINE) + 100])
        for length, forms in by_length.items():
            form = forms.get(whole[:length]) or forms.get(joined[:length])
            if form is not None:
                yield form

    def _signs(self, text: str) -> Iterator[tuple[int, str]]:
        """Where one of the beginnings stands, even if a line was broken within it."""
        if len(self._forms) <= _FEW:
            for sign in self._forms:
                start = text.find(sign)
                while start >= 0:
                    yield start, sign
                    start = text.find(sign, start + 1)
        else:
            for size in self._sizes:
                for start in range(len(text) - size + 1):
                    if (sign := text[start : start + size]) in self._forms:
                        yield start, sign
        for found in _BROKEN.finditer(text) if self._forms else ():
            first = max(found.start() - _SIGN + 1, 0)
            before = text[first : found.start()]
            around = before + text[found.end() : found.end() + _SIGN - 1]
            for start in range(len(before)):
                if (sign := around[start : start + _SIGN]) in self._forms:
                    yield first + start, sign


def replaced(text: str, places: Iterable[Place]) -> str:
    """The text with the stand-ins in these places."""
    pieces: list[str] = []
    end = 0
    for start, stop, stand_in in places:
        pieces += (text[end:start], stand_in)
        end = stop
    return "".join((*pieces, text[end:]))


def _forms(secret: str, order: int, stand_in: str) -> Iterator[_Form]:
    # Arguments that are not valid JSON cannot be decoded, so they hold the escaped form.
    escaped = json.dumps(secret, ensure_ascii=False)[1:-1]
    long = len(secret) >= _LONG and not secret.isalpha()
    breakable = long and len(secret) <= _ONE_LINE and "\n" not in secret
    for form in dict.fromkeys((secret, escaped)):
        yield _Form(form, order, stand_in, not long, breakable)


def _is_within_word(text: str, start: int, end: int) -> bool:
    """Whether a letter or figure stands right before or after."""
    around = text[start - 1 : start] + text[end : end + 1]
    return any(sign.isascii() and sign.isalnum() for sign in around)
