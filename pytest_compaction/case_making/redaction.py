"""Takes secrets, e-mail addresses and home folders out of a transcript, everywhere alike.

The same value gets the same stand-in in all conversations of a file, numbered in the
order of appearance, so that nothing of the value shows and what was equal stays equal.
Thinking and opaque parts cannot be edited: one that holds such a value is left out.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Final

from pytest_compaction.conversation.messages import (
    Message,
    Part,
    Text,
    ToolCall,
    ToolResult,
    readable,
)
from pytest_compaction.importers.protocol import Boundary, ImportTally, Transcript
from pytest_compaction.secrets.home_folders import home_owners, home_rule, owner
from pytest_compaction.secrets.named import (
    is_distinctive,
    is_secret_member,
    named_spans,
)
from pytest_compaction.secrets.shapes import STAND_IN, secrets_in

LEFT_OUT: Final = "[left out: it held what is redacted]"
"""What stands for a message of which nothing else is left."""

SECRET, EMAIL, HOME = "secret", "e-mail address", "home folder"
KINDS: Final = (SECRET, EMAIL, HOME)

_LITERAL: Final = 16
"""Characters from which on a secret that is no word is replaced even within a word."""
_ONE_LINE: Final = 300
"""Characters of a secret up to which it is also looked for where lines were broken within it."""
_SIGN: Final = 8
_BREAK: Final = r"(?:[ \t]{0,4}\\?\r?\n[ \t]{0,40}|\\{1,2}n[ \t]{0,40})?"
_EMAIL: Final = re.compile(
    r"(?<![\w.+%@/:-])(?!git@)[A-Za-z0-9_][\w.+%-]{0,63}@"
    r"(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,62})\.){1,5}[A-Za-z]{2,24}(?![\w@-]|\.\w)"
)
_NO_DOMAIN: Final = re.compile(
    r"@(?:(?:[\w-]+\.)*example\.(?:com|org|net)|[\d.]+x?\.\w+|.*\.(?:png|jpe?g|gif|svg|webp|ico|pdf"
    r"|[cm]?[jt]sx?|py|rs|go|md|json|ya?ml|toml|css|html?|invalid|test|local(?:host|domain)?))$",
    re.IGNORECASE,
)
_NOBODY: Final = re.compile(r"^(?:no-?reply|do-?not-?reply|users?|name|you|me|foo|someone)@", re.I)


@dataclass(frozen=True, slots=True)
class Count:
    """How many different values of a kind were replaced, and in how many places."""

    values: int
    places: int


class Redactor:
    """Redacts the conversations of one file, one after the other."""

    def __init__(self) -> None:
        self._stand_ins: dict[str, dict[str, str]] = {kind: {} for kind in KINDS}
        self._places: Counter[tuple[str, str]] = Counter()
        self._everywhere: set[str] = set()
        self._secret_rules: list[tuple[str, re.Pattern[str] | None, str]] = []
        self._home_rule: re.Pattern[str] | None = None
        self.left_out = 0
        """Parts that could not be edited and were left out."""

    @property
    def counts(self) -> Mapping[str, Count]:
        """What was replaced so far, by kind; kinds of which there was nothing are left out."""
        return {
            kind: Count(len(values), sum(values.values()))
            for kind in KINDS
            if (values := {v: n for (of, v), n in self._places.items() if of == kind and n})
        }

    def redact(self, transcript: Transcript) -> Transcript:
        """The transcript without what it should not give away."""
        self._learn(_texts_of(transcript), _named_in_calls(transcript))
        left_out = self.left_out
        messages = tuple(self._message(message) for message in transcript.messages)
        boundaries = tuple(self._boundary(boundary) for boundary in transcript.boundaries)
        ledger = transcript.ledger
        if self.left_out > left_out:
            reasons = dict(ledger.left_out)
            reasons["thinking or opaque part that holds what is redacted"] = (
                self.left_out - left_out
            )
            reasons = dict(sorted(reasons.items()))
            ledger = ImportTally(ledger.records, ledger.messages, reasons, ledger.repaired)
        name = self.text(transcript.name)
        return replace(
            transcript, messages=messages, boundaries=boundaries, ledger=ledger, name=name
        )

    def text(self, text: str) -> str:
        """A text with the stand-ins of all values that are known so far."""
        if not text:
            return text
        for secret, pattern, stand_in in self._secret_rules:
            if secret in text:
                if pattern is None:
                    self._places[SECRET, stand_in] += text.count(secret)
                    text = text.replace(secret, stand_in)
                else:
                    text, places = pattern.subn(stand_in, text)
                    self._places[SECRET, stand_in] += places
        text = self._without_named(text)
        if "@" in text:
            text = _EMAIL.sub(self._replaced_email, text)
        if self._home_rule is not None:
            text = self._home_rule.sub(self._replaced_home, text)
        return text

    def _learn(self, texts: Iterable[str], named: Iterable[str]) -> None:
        """Take in what is to be replaced, before anything is."""
        secrets, homes = self._stand_ins[SECRET], self._stand_ins[HOME]
        known = len(self._everywhere), len(homes)
        found = filter(is_distinctive, named)
        for text in texts:
            for secret in chain(secrets_in(text), found):
                secrets.setdefault(secret, f"{STAND_IN}{len(secrets) + 1}")
                self._everywhere.add(secret)
            for name in home_owners(text):
                homes.setdefault(name, f"user-{len(homes) + 1}")
        if known[0] != len(self._everywhere):
            ordered = sorted(self._everywhere, key=lambda secret: (-len(secret), secret))
            self._secret_rules = [rule for one in ordered for rule in _rules(one, secrets[one])]
        if known[1] != len(homes):
            self._home_rule = home_rule(homes)

    def _without_named(self, text: str) -> str:
        """Without the values that are secrets only by their name, which stay elsewhere."""
        pieces: list[str] = []
        end = 0
        for start, stop in sorted(named_spans(text)):
            if start >= end and STAND_IN not in text[start:stop]:
                pieces += [text[end:start], self._stand_in(text[start:stop])]
                end = stop
        return "".join([*pieces, text[end:]]) if pieces else text

    def _stand_in(self, secret: str) -> str:
        secrets = self._stand_ins[SECRET]
        stand_in = secrets.setdefault(secret, f"{STAND_IN}{len(secrets) + 1}")
        self._places[SECRET, stand_in] += 1
        return stand_in

    def _replaced_email(self, match: re.Match[str]) -> str:
        address = match[0]
        if _NO_DOMAIN.search(address) or _NOBODY.match(address):
            return address
        people = self._stand_ins[EMAIL]
        stand_in = people.setdefault(address.lower(), f"person-{len(people) + 1}@example.com")
        self._places[EMAIL, stand_in] += 1
        return stand_in

    def _replaced_home(self, match: re.Match[str]) -> str:
        stand_in = self._stand_ins[HOME][owner(match["name"])]
        self._places[HOME, stand_in] += 1
        return match["before"] + stand_in

    def _message(self, message: Message) -> Message:
        parts = [part for part in map(self._part, message.parts) if part is not None]
        if message.parts and not parts:
            parts = [Text(LEFT_OUT)]
        return replace(message, parts=tuple(parts))

    def _part(self, part: Part) -> Part | None:
        if isinstance(part, Text):
            return Text(self.text(part.text))
        if isinstance(part, ToolResult):
            return replace(part, text=self.text(part.text))
        if isinstance(part, ToolCall):
            return replace(part, arguments=self._arguments(part))
        before = self._places.copy()
        if self._shows(part.payload):
            self._places = before
            self.left_out += 1
            return None
        return part

    def _shows(self, payload: str) -> bool:
        """Whether the JSON of a part shows what is redacted; encoded data is no text."""
        try:
            value = json.loads(payload)
        except (ValueError, RecursionError):
            return self.text(payload) != payload
        return any(
            is_secret_member(name, item) and STAND_IN not in str(item)
            for name, item in _members(value)
        ) or any(self.text(text) != text for text in _payload_texts(payload))

    def _arguments(self, call: ToolCall) -> str:
        """The arguments, as the model wrote them where nothing is replaced."""
        try:
            value = json.loads(call.arguments)
        except (ValueError, RecursionError):
            return self.text(call.arguments)
        redacted = self._mapped(value)
        return call.arguments if redacted == value else json.dumps(redacted, ensure_ascii=False)

    def _mapped(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            return {self.text(name): self._member(name, item) for name, item in value.items()}
        if isinstance(value, list):
            return [self._mapped(item) for item in value]
        return value

    def _member(self, name: str, value: Any) -> Any:
        """The value of a member; one that its name makes a secret goes as a whole."""
        redacted = self._mapped(value)
        fresh = redacted == value and STAND_IN not in str(value)
        if fresh and is_secret_member(name, value):
            return self._stand_in(str(value))
        return redacted

    def _boundary(self, boundary: Boundary) -> Boundary:
        return replace(
            boundary,
            summary=self.text(boundary.summary),
            messages=tuple(self._message(message) for message in boundary.messages),
        )


def _rules(secret: str, stand_in: str) -> Iterator[tuple[str, re.Pattern[str] | None, str]]:
    """How a secret is found, also as it stands within JSON that cannot be decoded."""
    escaped = json.dumps(secret, ensure_ascii=False)[1:-1]
    whole = len(secret) >= _LITERAL and not secret.isalpha()
    for form in dict.fromkeys((secret, escaped)):
        bounded = re.compile(rf"(?<![A-Za-z0-9]){re.escape(form)}(?![A-Za-z0-9])")
        yield form, None if whole else bounded, stand_in
    if whole and len(secret) <= _ONE_LINE and "\n" not in secret:
        yield secret[:_SIGN], re.compile(_BREAK.join(map(re.escape, secret))), stand_in


def _texts_of(transcript: Transcript) -> Iterator[str]:
    views = (boundary.messages for boundary in transcript.boundaries)
    for messages in (transcript.messages, *views):
        for message in messages:
            yield readable(message)
            for part in message.parts:
                if not isinstance(part, Text | ToolCall | ToolResult):
                    yield from _payload_texts(part.payload)
    yield from (boundary.summary for boundary in transcript.boundaries)


def _named_in_calls(transcript: Transcript) -> Iterator[str]:
    """The values of members of arguments that are secrets by their name."""
    views = (boundary.messages for boundary in transcript.boundaries)
    for message in chain(transcript.messages, *views):
        for call in message.calls:
            for name, item in _members(call.parsed()):
                if is_secret_member(name, item) and STAND_IN not in str(item):
                    yield str(item)


def _payload_texts(payload: str) -> Iterator[str]:
    """The texts in the JSON of a part; encoded data is no text."""
    try:
        value = json.loads(payload)
    except (ValueError, RecursionError):
        yield payload
        return
    yield from (text for text in _strings(value) if not text.startswith("data:"))


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for name, item in value.items():
            yield name
            yield from _strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)


def _members(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping):
        yield from value.items()
        for item in value.values():
            yield from _members(item)
    elif isinstance(value, list):
        for item in value:
            yield from _members(item)
