"""Replies that are not summaries: the prompt again, a tool call, or mere reasoning."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final

from pytest_compaction.models.chat.prompts import packaged
from pytest_compaction.models.structured_summary import Section, Summary

ELSEWHERE: Final = "(see the record that stands beside this summary)"
"""The text of a section that was not requested."""

MOST: Final = 0.7
"""The share of a reply that must be prompt, or calls, for the whole reply to count as that."""

_RUN: Final = 3
"""Consecutive words that identify copied text, whatever its line breaks and marks."""

_WORD: Final = re.compile(r"\w+")
_REASONING: Final = re.compile(
    r"<(think|thinking|reasoning|analysis)>.*?(?:</\1>|\Z)", re.S | re.IGNORECASE
)
_TAGGED_CALL: Final = re.compile(
    r"<(tool_calls?|function_calls?|tool_use|invoke)\b.*?(?:</\1>|\Z)", re.S | re.IGNORECASE
)
_CALLS: Final = frozenset({"tool_calls", "tool_call", "function_call", "tool_use"})
_CALL_TYPES: Final = frozenset({"function", "function_call", "tool_call", "tool_use"})
_NAMES: Final = frozenset({"name", "function", "tool", "recipient_name"})
_ARGUMENTS: Final = frozenset({"arguments", "args", "input", "parameters"})
_FENCE: Final = re.compile(r"^[^\S\n]*```\w*[^\S\n]*$", re.M)
_OPENING: Final = re.compile(r"[{\[]")
_JSON: Final = json.JSONDecoder()
_MOST_TRIES: Final = 1000
"""Brackets that begin no JSON, after which the rest of a reply is taken for text."""


def mistaken_for(summary: Summary, sections: tuple[Section, ...]) -> str | None:
    """What the reply is instead of a summary, in words; ``None`` for a summary.

    A near copy of the prompt counts as the prompt: most of its words appear there in the
    same order. A call with a few words around it counts as a call, in any of the formats
    in which models write calls as text.
    """
    lines = [line for _, lines in summary.entries for line in lines if line != ELSEWHERE]
    text = "\n".join(lines)
    if not text.strip():
        return None
    if not _REASONING.sub("", text).strip():
        return "nothing but reasoning"
    if _mostly_calls(_FENCE.sub("", text).strip()):
        return "a tool call"
    copied = _copied(lines, sections)
    return "the instructions to summarise" if copied >= MOST else None


def _copied(lines: list[str], sections: tuple[Section, ...]) -> float:
    """The share of the runs of words that the prompt has as well."""
    runs = [run for line in lines for run in _runs(line)]
    known = _prompt(sections)
    return sum(run in known for run in runs) / len(runs) if runs else 0.0


@lru_cache(maxsize=64)
def _prompt(sections: tuple[Section, ...]) -> frozenset[tuple[str, ...]]:
    """All runs of words of the prompt for these sections, whichever model is asked."""
    template = packaged("summarize")
    asked = [f"{section.title} {section.asks}" for section in sections]
    return frozenset(run for t in (template.system, template.user, *asked) for run in _runs(t))


def _runs(text: str) -> Iterator[tuple[str, ...]]:
    words = _WORD.findall(text.casefold())
    return (tuple(words[i : i + _RUN]) for i in range(len(words) - _RUN + 1))


def _mostly_calls(text: str) -> bool:
    left = _TAGGED_CALL.sub("", text)
    covered = len(text) - len(left) + sum(end - begin for begin, end in _json_calls(left))
    return covered >= MOST * len(text)


def _json_calls(text: str) -> Iterator[tuple[int, int]]:
    """The ranges of a text whose JSON is a tool call or a list of them; linear.

    The search ends after many brackets that begin nothing, or much that was read in vain.
    """
    place = tries = in_vain = 0
    while tries < _MOST_TRIES and in_vain <= len(text):
        found = _OPENING.search(text, place)
        if found is None:
            return
        try:
            value, end = _JSON.raw_decode(text, found.start())
        except (ValueError, RecursionError) as error:
            tries += 1
            stop = error.pos if isinstance(error, json.JSONDecodeError) else len(text)
            in_vain += stop - found.start()
            place = found.start() + 1
            continue
        if _is_call(value):
            yield found.start(), end
        place = end


def _is_call(value: Any) -> bool:
    """Whether JSON is a call, or a list of calls, however deep it is nested."""
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, list) and each:
            waiting += each
        elif not (isinstance(each, dict) and _names_call(each)):
            return False
    return True


def _names_call(value: dict[str, Any]) -> bool:
    named = bool(_NAMES & value.keys()) and bool(_ARGUMENTS & value.keys())
    type = value.get("type")
    typed = isinstance(type, str) and type in _CALL_TYPES
    return bool(_CALLS & value.keys()) or named or typed
