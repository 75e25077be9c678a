"""Redaction: takes secrets, e-mail addresses, people and home folders out of a transcript.

The same value gets the same numbered stand-in in all conversations of a file. Thinking and opaque
parts cannot be edited: one that holds such a value is left out.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from dataclasses import replace as changed
from itertools import chain
from typing import Any, Final

from pytest_compaction.conversation import (
    Message,
    Part,
    Text,
    ToolCall,
    ToolResult,
    json_or_none,
    readable,
)
from pytest_compaction.importers import Transcript
from pytest_compaction.secrets import (
    ADDRESS,
    STAND_IN,
    KnownNames,
    accounts,
    find_named,
    home_owners,
    is_distinctive,
    is_of_person,
    is_secret_member,
    known_owners,
    named_people,
    owner,
    plain,
    replace,
    secrets_in,
)

_LONG: Final = 16
"""Fewest characters for a secret that is not a word to be replaced even within a word."""
_ONE_LINE: Final = 300
"""Most characters of a secret that is also looked for where a line was broken within it."""
_SIGN: Final = 8
"""Characters at the beginning of a secret by which it is looked for."""
_BREAK: Final = r"(?:(?:[ \t]{0,4}\\?\r?\n|\\{1,2}n)[ \t]{0,40}(?:(?:[>|+#*]|//)[ \t]{1,2})?)"
"""The end of a line and what stands before the next in mails and comments."""
_BROKEN: Final = re.compile(_BREAK)
_FEW: Final = 24
"""So many beginnings are looked for one by one, which is faster than at each place of a text."""

Place = tuple[int, int, str]
"""Where a secret stands, and its stand-in."""


@dataclass(frozen=True, slots=True)
class _Form:
    """A secret as a text may hold it; a smaller ``order`` goes first where two overlap."""

    text: str
    order: int
    stand_in: str
    bounded: bool
    breakable: bool

    def end(self, text: str, start: int) -> int:
        """End of the secret that begins at ``start``; -1 if none does."""
        if text.startswith(self.text, start):
            end = start + len(self.text)
        elif self.breakable:
            found = re.compile(f"{_BREAK}?".join(map(re.escape, self.text))).match(text, start)
            end = found.end() if found else -1
        else:
            return -1
        return -1 if self.bounded and _is_within_word(text, start, end) else end


class KnownSecrets:
    """The secrets of a file with their stand-ins."""

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
        """Places of the secrets, in order. Of two that overlap the longer one counts."""
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
        """Places of the beginnings, even with a line break within one."""
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
    around = text[start - 1 : start] + text[end : end + 1]
    return any(sign.isascii() and sign.isalnum() for sign in around)


_KNOWN_ID: Final = re.compile(
    r"(?:call|chatcmpl|ctc|edit|fc|functions?|item|mcp|msg|run|srvtoolu|step|tool|toolu|tooluse)"
    r"[_\-.:]|action-\d"
)
"""How the ids begin that programs give to calls."""
LEFT_OUT: Final = "[left out: it held what is redacted]"
"""The text of a message that has no other part left."""

_UNEDITABLE: Final = "thinking or opaque part that holds what is redacted"

_SECRET, _EMAIL, _HOME = "secret", "e-mail address", "home folder"
_PERSON: Final = "name of a person"
_STAND_INS: Final = {
    _SECRET: f"{STAND_IN}{{}}",
    _EMAIL: "person-{}@example.com",
    _HOME: "user-{}",
    _PERSON: "Person-{}",
}
"""What replaces a value, by its kind; the number says which value of its kind."""


@dataclass(frozen=True, slots=True)
class Count:
    """Different values of a kind that were replaced, and the places where they stood."""

    values: int
    places: int


class Redactor:
    """Redacts the conversations of one file, one after the other."""

    def __init__(self) -> None:
        self._stand_ins: dict[str, dict[str, str]] = {kind: {} for kind in _STAND_INS}
        self._places: Counter[tuple[str, str]] = Counter()
        self._everywhere: dict[str, str] = {}
        """The stand-ins of secrets, also of those that are written with escapes."""
        self._ids: dict[str, str] = {}
        self._known = KnownSecrets({})
        self._owners = known_owners(())
        self._names = KnownNames(())
        self.left_out = 0
        """Parts that could not be edited and were left out."""

    @property
    def counts(self) -> Mapping[str, Count]:
        """Number of replacements by kind; a kind without any is absent."""
        return {
            kind: Count(len(values), sum(values))
            for kind in _STAND_INS
            if (values := [n for (of, _), n in self._places.items() if of == kind and n])
        }

    def redact(self, transcript: Transcript) -> Transcript:
        """The transcript with a stand-in for everything it should not give away."""
        self._learn(transcript)
        before = self.left_out
        messages = tuple(self._message(message) for message in transcript.messages)
        boundaries = tuple(
            changed(
                boundary,
                summary=self.text(boundary.summary),
                messages=tuple(self._message(message) for message in boundary.messages),
            )
            for boundary in transcript.boundaries
        )
        file = _file_name(transcript)
        tally = transcript.tally
        if self.left_out > before:
            reasons = {**tally.left_out, _UNEDITABLE: self.left_out - before}
            tally = changed(tally, left_out=dict(sorted(reasons.items())))
        return changed(
            transcript,
            messages=messages,
            boundaries=boundaries,
            tally=tally,
            source=transcript.source[: -len(file) or None] + self.text(file),
            model=self.text(transcript.model),
            name=self.text(transcript.name),
            title=self.text(transcript.title),
        )

    def text(self, text: str) -> str:
        """A text with a stand-in for every value known so far."""
        known = self._known.places(text)
        self._places.update((_SECRET, stand_in) for _, _, stand_in in known)
        text = replaced(text, known)
        # Values that are secrets only where they are named; elsewhere the same word stays.
        named = (span for span, _ in find_named(text))
        text = replace(text, named, lambda secret: self._replaced(_SECRET, secret))
        names = self._names.places(text)
        text = replace(text, names, lambda name: self._replaced(_PERSON, name))
        if "@" in text:
            text = ADDRESS.sub(self._replaced_address, text)
        if self._owners is not None:
            of_folders = (match.span("name") for match in self._owners.finditer(text))
            text = replace(text, of_folders, lambda name: self._replaced(_HOME, owner(name)))
            of_homes = accounts(text, self._stand_ins[_HOME])
            text = replace(text, of_homes, lambda name: self._replaced(_HOME, name))
        return text

    def _learn(self, transcript: Transcript) -> None:
        people = self._stand_ins[_PERSON]
        known = len(self._everywhere), len(self._stand_ins[_HOME]), len(people)
        texts, named = _searched(transcript)
        distinctive = filter(is_distinctive, named)
        for text in texts:
            for secret in chain(secrets_in(text), distinctive):
                read = plain(secret)
                stand_in = self._stand_in(_SECRET, read.text if read else secret)
                self._everywhere.setdefault(secret, stand_in)
            for name in home_owners(text):
                self._stand_in(_HOME, name)
            for name, address in named_people(text):
                of_address = self._stand_in(_EMAIL, address.lower()).partition("@")[0]
                people.setdefault(name, of_address.capitalize())
        homes = self._stand_ins[_HOME]
        if known[0] != len(self._everywhere):
            self._known = KnownSecrets(self._everywhere)
        if known[1] != len(homes):
            self._owners = known_owners(homes)
        if known[2] != len(people):
            self._names = KnownNames(people)

    def _stand_in(self, kind: str, value: str) -> str:
        known = self._stand_ins[kind]
        return known.setdefault(value, _STAND_INS[kind].format(len(known) + 1))

    def _replaced(self, kind: str, value: str) -> str:
        stand_in = self._stand_in(kind, value)
        self._places[kind, stand_in] += 1
        return stand_in

    def _replaced_address(self, match: re.Match[str]) -> str:
        if not is_of_person(match[0]):
            return match[0]
        return self._replaced(_EMAIL, match[0].lower())

    def _message(self, message: Message) -> Message:
        parts = tuple(part for part in map(self._part, message.parts) if part is not None)
        return changed(message, parts=parts or (Text(LEFT_OUT),) if message.parts else ())

    def _part(self, part: Part) -> Part | None:
        if isinstance(part, Text):
            return changed(part, text=self.text(part.text))
        if isinstance(part, ToolResult):
            return changed(part, call_id=self._id(part.call_id), text=self.text(part.text))
        if isinstance(part, ToolCall):
            return ToolCall(
                self._id(part.id), self.text(part.name), self._arguments(part.arguments)
            )
        before = self._places.copy()
        if not self._shows(part.payload):
            return part
        self._places = before
        self.left_out += 1
        return None

    def _id(self, id: str) -> str:
        """The id of a call, of which nothing stays that no program is known to write."""
        redacted = self.text(id)
        if redacted != id or len(id) < _LONG or _KNOWN_ID.match(id):
            return redacted
        return self._ids.setdefault(id, f"id-{len(self._ids) + 1}")

    def _shows(self, payload: str) -> bool:
        """Whether the JSON of a part holds a value to redact; encoded data is skipped."""
        named = any(is_secret_member(name, item) for name, item in _members(json_or_none(payload)))
        return named or any(self.text(text) != text for text in _payload_texts(payload))

    def _arguments(self, arguments: str) -> str:
        """The arguments; to the byte as the model wrote them when nothing is replaced."""
        value = json_or_none(arguments)
        if value is None:
            return self.text(arguments)
        try:
            redacted = self._mapped("", value)
            return arguments if redacted == value else json.dumps(redacted, ensure_ascii=False)
        except RecursionError:  # nested too deep to be gone through by its members
            return self.text(arguments)

    def _mapped(self, name: str, value: Any) -> Any:
        """A JSON value with stand-ins; replaced as a whole when its name makes it a secret."""
        if isinstance(value, Mapping):
            return {self.text(key): self._mapped(key, item) for key, item in value.items()}
        if isinstance(value, list):
            return [self._mapped("", item) for item in value]
        redacted = self.text(value) if isinstance(value, str) else value
        if redacted == value and is_secret_member(name, value):
            return self._replaced(_SECRET, str(value))
        return redacted


def _searched(transcript: Transcript) -> tuple[list[str], list[str]]:
    """The texts and names of a transcript, and the members that are secrets by their name."""
    texts = [boundary.summary for boundary in transcript.boundaries]
    names = {transcript.title, transcript.name, transcript.model, _file_name(transcript)}
    named: list[str] = []
    views = (boundary.messages for boundary in transcript.boundaries)
    for message in chain(transcript.messages, *views):
        texts.append(readable(message))
        for part in message.parts:
            if isinstance(part, ToolCall):
                members = list(_members(part.parsed()))
                names.update((part.id, *part.name.split("__"), *(name for name, _ in members)))
                named += [str(value) for name, value in members if is_secret_member(name, value)]
            elif isinstance(part, ToolResult):
                names.add(part.call_id)
            elif not isinstance(part, Text):
                texts += _payload_texts(part.payload)
    return [*texts, "\n\n".join(sorted(names))], named


def _file_name(transcript: Transcript) -> str:
    return transcript.source.rpartition("/")[2]


def _payload_texts(payload: str) -> Iterator[str]:
    """The texts in the JSON of a part, without encoded data; the payload if it is not JSON."""
    value = json_or_none(payload)
    if value is None:
        yield payload
    for name, item in _members(value):
        texts = (name, item) if isinstance(item, str) else (name,)
        yield from (text for text in texts if not text.startswith("data:"))


def _members(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """A JSON value and everything within it, each with its name; items of a list have none."""
    yield name, value
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from _members(item, key)
    elif isinstance(value, list):
        for item in value:
            yield from _members(item)
