"""Redaction: takes secrets, e-mail addresses and home folders out of a transcript.

The same value gets the same stand-in in all conversations of a file, numbered in the
order of appearance, so that nothing of the value shows and equal values stay equal.
Thinking and opaque parts cannot be edited: one that holds such a value is left out.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from dataclasses import replace as changed
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
from pytest_compaction.importers.protocol import Boundary, Transcript
from pytest_compaction.secrets.home_folders import home_owners, home_rule, owner
from pytest_compaction.secrets.named import find_named, is_distinctive, is_secret_member
from pytest_compaction.secrets.search import secrets_in
from pytest_compaction.secrets.shapes import STAND_IN, replace

LEFT_OUT: Final = "[left out: it held what is redacted]"
"""The text of a message that has no other part left."""

_UNEDITABLE: Final = "thinking or opaque part that holds what is redacted"

SECRET, EMAIL, HOME = "secret", "e-mail address", "home folder"
KINDS: Final = (SECRET, EMAIL, HOME)

_LONG: Final = 16
"""Fewest characters for a secret that is not a word to be replaced even within a word."""
_ONE_LINE: Final = 300
"""Most characters of a secret that is also looked for where a line was broken within it."""
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
    """Different values of a kind that were replaced, and the places where they stood."""

    values: int
    places: int


class Redactor:
    """Redacts the conversations of one file, one after the other."""

    def __init__(self) -> None:
        self._stand_ins: dict[str, dict[str, str]] = {kind: {} for kind in KINDS}
        self._places: Counter[tuple[str, str]] = Counter()
        self._everywhere: set[str] = set()
        self._secret_rules: list[tuple[str, re.Pattern[str], str]] = []
        self._home_rule: re.Pattern[str] | None = None
        self.left_out = 0
        """Parts that could not be edited and were left out."""

    @property
    def counts(self) -> Mapping[str, Count]:
        """What was replaced so far, by kind; a kind without any value is absent."""
        return {
            kind: Count(len(values), sum(values.values()))
            for kind in KINDS
            if (values := {v: n for (of, v), n in self._places.items() if of == kind and n})
        }

    def redact(self, transcript: Transcript) -> Transcript:
        """The transcript with a stand-in for everything it should not give away."""
        self._learn(_texts_of(transcript), _named_in_calls(transcript))
        before = self.left_out
        messages = tuple(self._message(message) for message in transcript.messages)
        boundaries = tuple(self._boundary(boundary) for boundary in transcript.boundaries)
        ledger = transcript.ledger
        if self.left_out > before:
            reasons = {**ledger.left_out, _UNEDITABLE: self.left_out - before}
            ledger = changed(ledger, left_out=dict(sorted(reasons.items())))
        name = self.text(transcript.name)
        return changed(
            transcript, messages=messages, boundaries=boundaries, ledger=ledger, name=name
        )

    def text(self, text: str) -> str:
        """A text with a stand-in for every value known so far."""
        if not text:
            return text
        for sign, pattern, stand_in in self._secret_rules:
            if sign in text:
                text, places = pattern.subn(stand_in, text)
                self._places[SECRET, stand_in] += places
        # Values that are secrets only where they are named; elsewhere the same word stays.
        named = (one.span for one in find_named(text))
        fresh = [span for span in named if STAND_IN not in text[slice(*span)]]
        text = replace(text, fresh, self._stand_in)
        if "@" in text:
            text = _EMAIL.sub(self._replaced_email, text)
        if self._home_rule is not None:
            text = self._home_rule.sub(self._replaced_home, text)
        return text

    def _learn(self, texts: Iterable[str], named: Iterable[str]) -> None:
        """Collect the values to replace, before any is replaced."""
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
        return changed(message, parts=tuple(parts))

    def _part(self, part: Part) -> Part | None:
        if isinstance(part, Text):
            return Text(self.text(part.text))
        if isinstance(part, ToolResult):
            return changed(part, text=self.text(part.text))
        if isinstance(part, ToolCall):
            return changed(part, arguments=self._arguments(part))
        before = self._places.copy()
        if self._shows(part.payload):
            self._places = before
            self.left_out += 1
            return None
        return part

    def _shows(self, payload: str) -> bool:
        """Whether the JSON of a part holds a value to redact; encoded data is skipped."""
        try:
            value = json.loads(payload)
        except (ValueError, RecursionError):
            return self.text(payload) != payload
        return any(
            is_secret_member(name, item) and STAND_IN not in str(item)
            for name, item in _members(value)
        ) or any(self.text(text) != text for text in _payload_texts(payload))

    def _arguments(self, call: ToolCall) -> str:
        """The arguments; to the byte as the model wrote them when nothing is replaced."""
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
        """The value of a member, replaced as a whole when the name makes it a secret."""
        redacted = self._mapped(value)
        fresh = redacted == value and STAND_IN not in str(value)
        if fresh and is_secret_member(name, value):
            return self._stand_in(str(value))
        return redacted

    def _boundary(self, boundary: Boundary) -> Boundary:
        return changed(
            boundary,
            summary=self.text(boundary.summary),
            messages=tuple(self._message(message) for message in boundary.messages),
        )


def _rules(secret: str, stand_in: str) -> Iterator[tuple[str, re.Pattern[str], str]]:
    """How a secret is found: a text that it holds, looked for first, its pattern, its stand-in.

    A long one is found within a word, and where a line was broken within it.
    """
    # Arguments that are not valid JSON cannot be decoded, so they hold the escaped form.
    escaped = json.dumps(secret, ensure_ascii=False)[1:-1]
    long = len(secret) >= _LONG and not secret.isalpha()
    for form in dict.fromkeys((secret, escaped)):
        if long and len(secret) <= _ONE_LINE and "\n" not in secret:
            yield form[:_SIGN], re.compile(_BREAK.join(map(re.escape, form))), stand_in
        else:
            literal = re.escape(form)
            bounded = literal if long else rf"(?<![A-Za-z0-9]){literal}(?![A-Za-z0-9])"
            yield form, re.compile(bounded), stand_in


def _texts_of(transcript: Transcript) -> Iterator[str]:
    for message in _messages(transcript):
        yield readable(message)
        for part in message.parts:
            if not isinstance(part, Text | ToolCall | ToolResult):
                yield from _payload_texts(part.payload)
    yield from (boundary.summary for boundary in transcript.boundaries)


def _named_in_calls(transcript: Transcript) -> Iterator[str]:
    """The values of members of arguments that are secrets by their name."""
    for message in _messages(transcript):
        for call in message.calls:
            for name, item in _members(call.parsed()):
                if is_secret_member(name, item) and STAND_IN not in str(item):
                    yield str(item)


def _messages(transcript: Transcript) -> Iterator[Message]:
    views = (boundary.messages for boundary in transcript.boundaries)
    return chain(transcript.messages, *views)


def _payload_texts(payload: str) -> Iterator[str]:
    """The texts in the JSON of a part, without encoded data."""
    try:
        value = json.loads(payload)
    except (ValueError, RecursionError):
        yield payload
        return
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
