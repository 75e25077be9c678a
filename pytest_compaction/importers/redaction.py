"""Takes secrets, e-mail addresses and home folders out of a transcript, everywhere alike.

The same value gets the same stand-in in all conversations of a file, numbered in the
order of appearance, so that nothing of the value shows and what was equal stays equal.
Thinking and opaque parts cannot be edited: one that holds such a value is left out.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from pytest_compaction.conversation import (
    Message,
    Part,
    Text,
    ToolCall,
    ToolResult,
    readable,
)
from pytest_compaction.importers.protocol import Boundary, Ledger, Transcript
from pytest_compaction.importers.secret_shapes import STAND_IN, secrets_in

LEFT_OUT: Final = "[left out: it held what is redacted]"
"""What stands for a message of which nothing else is left."""

SECRET, EMAIL, HOME = "secret", "e-mail address", "home folder"
KINDS: Final = (SECRET, EMAIL, HOME)

_LITERAL: Final = 16
"""Characters from which on a secret is replaced wherever it stands, even within a word."""
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
_ROOTS: Final = r"(?:/mnt/[a-z]/Users|/[a-z]/Users|/home|/Users|[A-Za-z]:(?:\\{1,4}|/)Users)"
_HOME: Final = re.compile(
    rf"(?<![\w.~-]){_ROOTS}(?:\\{{1,4}}|/)(?P<name>[A-Za-z0-9][\w.-]{{0,39}})(?=[/\\])"
)
_SHARED_NAMES: Final = frozenset(
    """admin all app circleci codespace coder container debian default dev docker ec2-user git
    example gitpod jovyan linuxbrew me name node nonroot opc public root runner runneradmin sandbox
    shared ubuntu user user1 username vagrant vscode work workspace www-data you your-name yourname
    build ci jenkins codebuild-user build-user agent""".split()
)
"""Names of accounts that belong to nobody: images of systems, examples, places for a name."""
_NUMBERED: Final = re.compile(r"user-\d+")


@dataclass(frozen=True, slots=True)
class Count:
    """How many different values of a kind were replaced, and in how many places."""

    values: int
    places: int


class Redactor:
    """Redacts the conversations of one file, one after the other."""

    def __init__(self) -> None:
        self._stand_ins: dict[str, dict[str, str]] = {kind: {} for kind in KINDS}
        self._places: Counter[str] = Counter()
        self._secret_rules: list[tuple[str, re.Pattern[str] | None, str]] = []
        self._home_rule: re.Pattern[str] | None = None
        self.left_out = 0
        """Parts that could not be edited and were left out."""

    @property
    def counts(self) -> Mapping[str, Count]:
        """What was replaced so far, by kind; kinds of which there was nothing are left out."""
        return {
            kind: Count(len(self._stand_ins[kind]), self._places[kind])
            for kind in KINDS
            if self._places[kind]
        }

    def redact(self, transcript: Transcript) -> Transcript:
        """The transcript without what it should not give away."""
        self._learn(_texts_of(transcript))
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
            ledger = Ledger(ledger.records, ledger.messages, reasons, ledger.repaired)
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
                    self._places[SECRET] += text.count(secret)
                    text = text.replace(secret, stand_in)
                else:
                    text, places = pattern.subn(stand_in, text)
                    self._places[SECRET] += places
        if "@" in text:
            text = _EMAIL.sub(self._replaced_email, text)
        if self._home_rule is not None:
            text = self._home_rule.sub(self._replaced_home, text)
        return text

    def _learn(self, texts: Iterable[str]) -> None:
        """Take in what is to be replaced, before anything is."""
        secrets, homes = self._stand_ins[SECRET], self._stand_ins[HOME]
        known = len(secrets), len(homes)
        for text in texts:
            for secret in secrets_in(text):
                secrets.setdefault(secret, f"{STAND_IN}{len(secrets) + 1}")
            for match in _HOME.finditer(text):
                name = match["name"]
                if name.lower() not in _SHARED_NAMES and not _NUMBERED.fullmatch(name):
                    homes.setdefault(name, f"user-{len(homes) + 1}")
        if known[0] != len(secrets):
            ordered = sorted(secrets.items(), key=lambda item: (-len(item[0]), item[0]))
            self._secret_rules = [rule for item in ordered for rule in _rules(*item)]
        if known[1] != len(homes):
            names = "|".join(map(re.escape, sorted(homes, key=lambda name: (-len(name), name))))
            self._home_rule = re.compile(
                rf"(?P<before>(?:/home|/Users|[A-Za-z]:(?:\\{{1,4}}|/)Users)(?:\\{{1,4}}|/)"
                rf"|(?<![\w-])-(?:home|Users)-|(?<![\w~])~)(?P<name>{names})(?![\w])"
            )

    def _replaced_email(self, match: re.Match[str]) -> str:
        address = match[0]
        if _NO_DOMAIN.search(address) or _NOBODY.match(address):
            return address
        people = self._stand_ins[EMAIL]
        self._places[EMAIL] += 1
        return people.setdefault(address.lower(), f"person-{len(people) + 1}@example.com")

    def _replaced_home(self, match: re.Match[str]) -> str:
        self._places[HOME] += 1
        return match["before"] + self._stand_ins[HOME][match["name"]]

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
        if any(self.text(text) != text for text in _payload_texts(part.payload)):
            self._places = before
            self.left_out += 1
            return None
        return part

    def _arguments(self, call: ToolCall) -> str:
        """The arguments, as the model wrote them where nothing is replaced."""
        try:
            value = json.loads(call.arguments)
        except (ValueError, RecursionError):
            return self.text(call.arguments)
        redacted = _mapped(value, self.text)
        return call.arguments if redacted == value else json.dumps(redacted, ensure_ascii=False)

    def _boundary(self, boundary: Boundary) -> Boundary:
        return replace(
            boundary,
            summary=self.text(boundary.summary),
            messages=tuple(self._message(message) for message in boundary.messages),
        )


def _rules(secret: str, stand_in: str) -> Iterator[tuple[str, re.Pattern[str] | None, str]]:
    """How a secret is found, also as it stands within JSON that cannot be decoded."""
    escaped = json.dumps(secret, ensure_ascii=False)[1:-1]
    for form in dict.fromkeys((secret, escaped)):
        whole = len(secret) >= _LITERAL
        bounded = re.compile(rf"(?<![A-Za-z0-9]){re.escape(form)}(?![A-Za-z0-9])")
        yield form, None if whole else bounded, stand_in


def _texts_of(transcript: Transcript) -> Iterator[str]:
    views = (boundary.messages for boundary in transcript.boundaries)
    for messages in (transcript.messages, *views):
        for message in messages:
            yield readable(message)
            for part in message.parts:
                if not isinstance(part, Text | ToolCall | ToolResult):
                    yield from _payload_texts(part.payload)
    yield from (boundary.summary for boundary in transcript.boundaries)


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


def _mapped(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Mapping):
        return {change(name): _mapped(item, change) for name, item in value.items()}
    if isinstance(value, list):
        return [_mapped(item, change) for item in value]
    return value
