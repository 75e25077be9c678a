"""Cuts what a model thought out of what it said.

Servers without a reasoning parser leave thinking in the text of a reply: between marks, with the
closing mark alone where the chat template put the opening one into the prompt, or as a channel of
the harmony format. A mark in quotation marks or backticks is talked about and ends nothing.
"""

from __future__ import annotations

import json
import re
from typing import Final

_MARKS: Final = {
    "tag": (r"<(?P<tag>NAME)>", r"</(?P<closed>NAME)>"),
    "bracket": (r"\[THINK\]", r"\[/THINK\]"),
    "kimi": ("◁think▷", "◁/think▷"),
    "cohere": (r"<\|START_THINKING\|>", r"<\|END_THINKING\|>"),
    "apertus": (r"<\|inner_prefix\|>", r"<\|inner_suffix\|>"),
    "gemma": (r"<\|channel>thought\b", r"<channel\|>"),
    "openthinker": (r"<\|begin_of_thought\|>", r"<\|end_of_thought\|>"),
}
"""The marks before and behind what a model thinks, in its chat template or at its provider."""
_MARK: Final = re.compile(
    "|".join(
        f"(?P<{kind}_{side}>{mark})"
        for kind, marks in _MARKS.items()
        for side, mark in zip(("opening", "closing"), marks, strict=True)
    ).replace("NAME", r"(?:[\w-]{1,20}:)?(?:think(?:ing)?|thoughts?|reason(?:ing)?)"),
    re.IGNORECASE,
)
_AROUND_ANSWERS: Final = re.compile(
    r"<answer>(.*)</answer>|<response>(.*)</response>|<\|begin_of_box\|>(.*)<\|end_of_box\|>"
    r"|<\|begin_of_solution\|>(.*?)(?:<\|end_of_solution\|>)?"
    r"|<\|START_RESPONSE\|>(.*?)(?:<\|END_RESPONSE\|>)?",
    re.DOTALL,
)
"""Marks around an answer that follows thinking."""
_QUOTES: Final = "`'\"“”«»"

_CHANNEL: Final = re.compile(
    r"(?:<\|start\|>)?(?:assistant)?(?:<\|channel\|>|\A)\s*(?P<name>analysis|commentary|final)\b"
    r"[^<]*(?:<\|constrain\|>[^<]*)?<\|message\|>"
)
_HARMONY_MARK: Final = re.compile(r"<\|(?:start|end|return|call|channel|message)\|>")
_IN_WORDS: Final = re.compile(
    r"\s*analysis(?=\S).*?assistantfinal"
    r"|\s*Here(?:'s| is) my thought process:.*?Here(?:'s| is) my response:",
    re.DOTALL,
)
"""Channels whose marks the server left out as special tokens, and Granite's words for them."""


def without_thinking(text: str) -> str:
    """The text without what the model only thought; empty if it did nothing else."""
    # The pattern may begin anywhere, so it is searched for only where its last mark stands.
    channels = list(_CHANNEL.finditer(text)) if "<|message|>" in text else []
    if channels and not _is_data(text):
        said = [
            _HARMONY_MARK.split(text[found.end() :], maxsplit=1)[0]
            for found in channels
            if found["name"] == "final"
        ]
        return "\n".join(said).strip()
    in_words = _IN_WORDS.match(text)
    if in_words:
        return text[in_words.end() :].strip()
    marks = [each for each in _MARK.finditer(text) if not _is_quoted(text, each)]
    return (_unmarked(text, marks) if marks and not _is_data(text) else text).strip()


def closes_alone(text: str) -> bool:
    """Whether the first mark of a text closes what the chat template opened in the prompt."""
    found = next((each for each in _MARK.finditer(text) if not _is_quoted(text, each)), None)
    return found is not None and _is_closing(found) and not _is_data(text)


def _unmarked(text: str, marks: list[re.Match[str]]) -> str:
    """The text without its blocks of thinking, and without what stands before a lone closing.

    An opening without a closing counts where it begins a line: prose may name one elsewhere.
    """
    closings = {_kind(mark): mark.end() for mark in marks if _is_closing(mark)}
    kept, last, before, begins, within = "", 0, 0, True, ""
    for mark in marks:
        between = text[before : mark.start()]
        begins = not between.rpartition("\n")[2].strip() and ("\n" in between or begins)
        before = mark.end()
        kind = _kind(mark)
        if _is_closing(mark):
            if not within:
                kept = ""
            if within in ("", kind):
                within, last, begins = "", mark.end(), True
        elif not within and (begins or closings.get(kind, 0) > mark.end()):
            kept, within, last = kept + text[last : mark.start()], kind, len(text)
    kept = (kept + text[last:]).strip()
    answer = _AROUND_ANSWERS.fullmatch(kept)
    return next(part for part in answer.groups() if part is not None) if answer else kept


def _kind(mark: re.Match[str]) -> str:
    """The name of a tag, or of another pair of marks."""
    return (mark["tag"] or mark["closed"] or str(mark.lastgroup).rpartition("_")[0]).lower()


def _is_closing(mark: re.Match[str]) -> bool:
    return str(mark.lastgroup).endswith("_closing")


def _is_quoted(text: str, mark: re.Match[str]) -> bool:
    before, after = text[max(0, mark.start() - 1) : mark.start()], text[mark.end() : mark.end() + 1]
    return bool(before) and before in _QUOTES and bool(after) and after in _QUOTES


def _is_data(text: str) -> bool:
    """Whether the text is JSON, in whose texts a mark is only mentioned."""
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
