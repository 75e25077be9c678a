"""Sessions of any length with the shape of a real one: a copy says the same of other things."""

import json
import re
from collections import Counter
from dataclasses import replace
from hashlib import blake2b
from itertools import count

from pytest_compaction.conversation.messages import Text, ToolCall, ToolResult, groups, readable

_WORD = re.compile(r"[A-Z]?[a-z]{4,}|\d{3,}")
"""Words, the parts of names that are written as one, and numbers that tell something."""
_KEPT_SHARE = 0.02
"""A word in at least this share of the messages is grammar, a keyword or a command: it stays."""
_RENAMED = 0.7
"""The share of the other words that each copy has of its own; the rest is what they share."""
_SYLLABLES = [first + vowel for first in "bdfgklmnprstvz" for vowel in "aeiou"]
_SYSTEM = ("system", "developer")


def lengthened(messages, characters, seed=0):
    """A session of about so many characters, of whole groups: the same again, renamed."""
    found, passed = [], 0
    for group in _copies([one for one in map(_copied, messages) if one.parts], seed):
        found += group
        passed += sum(len(readable(message)) for message in group)
        if passed >= characters:
            break
    return tuple(found)


def _copies(messages, seed):
    """The groups of the session, and then those of its copies, without end."""
    held = Counter(word for one in messages for word in set(_WORD.findall(readable(one))))
    kept = {word for word, number in held.items() if number >= _KEPT_SHARE * len(messages)}
    for copy in count():
        names = _Names(f"{seed}:{copy}", kept if copy else held)
        for start, end in groups(messages):
            if not (copy and messages[start].role in _SYSTEM):
                yield [_renamed(message, names, copy) for message in messages[start:end]]


def _copied(message):
    """The message without thinking and what else is of its time."""
    parts = [part for part in message.parts if isinstance(part, Text | ToolCall | ToolResult)]
    return replace(message, parts=tuple(parts))


class _Names:
    """What the words of one copy are called; the words ``kept`` and some others stay."""

    def __init__(self, key, kept):
        self._key = key
        self._known = {word: word for word in kept}

    def of(self, text):
        return _WORD.sub(lambda found: self._of(found[0]), text)

    def _of(self, word):
        if word not in self._known:
            self._known[word] = self._new(word)
        return self._known[word]

    def _new(self, word):
        drawn = blake2b(f"{self._key}:{word.lower()}".encode(), digest_size=16).digest()
        if drawn[0] >= _RENAMED * 256:
            return word
        if word.isdigit():
            return str(int.from_bytes(drawn, "big"))[: len(word)]
        made = "".join(_SYLLABLES[byte % len(_SYLLABLES)] for byte in drawn)[: len(word)]
        return made.capitalize() if word[0].isupper() else made


def _renamed(message, names, copy):
    parts = tuple(_renamed_part(part, names, copy) for part in message.parts)
    return replace(message, id=f"{message.id}-{copy}", parts=parts)


def _renamed_part(part, names, copy):
    if isinstance(part, Text):
        return replace(part, text=names.of(part.text))
    if isinstance(part, ToolResult):
        return replace(part, text=names.of(part.text), call_id=f"{part.call_id}-{copy}")
    arguments = json.dumps(_renamed_value(part.parsed(), names))
    return replace(part, id=f"{part.id}-{copy}", arguments=arguments)


def _renamed_value(value, names):
    if isinstance(value, str):
        return names.of(value)
    if isinstance(value, dict):
        return {key: _renamed_value(item, names) for key, item in value.items()}
    return [_renamed_value(item, names) for item in value] if isinstance(value, list) else value
