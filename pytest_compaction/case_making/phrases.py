"""Pieces of what users and agents wrote, fit for questions to quote and facts to state."""

from __future__ import annotations

import re
from collections.abc import Set
from typing import Final

from pytest_compaction.text import printable, segments

_SENTENCE_END: Final = re.compile(r"(?<=[\w)`'\"][.!?])\s+(?=[\w`'\"(])")
_POLITE: Final = re.compile(
    r"^(?:(?:ok|okay|yes|yeah|no|and|also|then|so|now|well|please|just|first|actually|let'?s|hm+)"
    r"[,\s]+|(?:can|could|would|will) (?:you|we)\s+(?:please\s+)?"
    r"|i(?:'d| would) like (?:you )?to\s+|i (?:want|need) (?:you )?to\s+"
    r"|we (?:need|have|should|must|want)(?: to)?\s+"
    r"|you (?:need|have|should|must)(?: to)?\s+|make sure(?: that| to)?\s+)+",
    re.I,
)
"""Words before a request that do not belong to it."""
_GO_ON: Final = re.compile(
    r"(?:(?:please|ok|okay|yes|and|now)[\s,]+)?"
    r"(?:go on|go ahead|continue|proceed|keep going|carry on)"
    r"(?:[\s,]+(?:please|then|now))?[\s.!]*",
    re.I,
)
_TAGGED: Final = re.compile(
    r"\s*(?:<(?:local-command|command-|system-|bash-|task-)[\w-]*>|\x1b|\[Request interrupted"
    r"|Base directory for this skill:|This session is being continued from)"
)
"""The start of a turn that the agent's program wrote in the user's name."""
_DANGLING: Final = frozenset("with any of the a an to and or which".split())
# Real users swear at their agents; questions must not repeat it.
_COARSE: Final = re.compile(r"\b\w*(?:fuck|shit|stupid|damn)\w*", re.I)


def first_line(text: str) -> str:
    """The first line of a text that is not just a file path, as pasted above a request."""
    for line in text.splitlines():
        line = line.strip()
        if line and not line.startswith(("'/", '"/', "/")):
            return line
    return ""


def unasked(clause: str) -> str:
    """A request without the polite words before it: "can you make it smaller" is "make it …"."""
    return _POLITE.sub("", clause.strip(), count=1) or clause


def whole_text(text: str) -> bool:
    """Whether a text is complete in itself: neither a lead-in nor the rest of a cut line."""
    begins = not re.match(r"\d+\b|--\s", text)
    return begins and bool(text) and not text.rstrip().endswith((":", ",", "(", "…"))


def finished(text: str) -> str:
    """A text without the words at its end that lead to a next line: "with any of"."""
    end = len(text)
    while end and not (text[end - 1].isalnum() or text[end - 1] == "_"):
        end -= 1
    words = [match.span() for match in re.finditer(r"\S+", text[:end])]
    left = len(words)
    while left and words[left - 1][0] and text[slice(*words[left - 1])].lower() in _DANGLING:
        left -= 1
    if left == len(words):
        return text
    return text[: words[left - 1][1]] if left else ""


def goes_on(text: str) -> bool:
    """Whether a turn of the user only tells the agent to go on."""
    return bool(_GO_ON.fullmatch(text.strip()))


def of_the_program(text: str) -> bool:
    """Whether the agent's program wrote a turn in the user's name."""
    return bool(_TAGGED.match(text))


def overlap(one: Set[str], other: Set[str]) -> float:
    """The share of the smaller of two sets of stems that the other holds; 1 if it is empty."""
    least = min(len(one), len(other))
    return len(one & other) / least if least else 1.0


def coarse(text: str) -> bool:
    """Whether a text holds words that a question should not repeat."""
    return bool(_COARSE.search(text))


def sentences(text: str) -> list[str]:
    """Sentences of a text, including those that start in lower case."""
    return [piece for segment in segments(text) for piece in _SENTENCE_END.split(segment)]


def shown_command(script: str) -> str:
    """The first line of a script in backticks, for a question; empty for an empty script."""
    line = next((line for line in script.splitlines() if line.strip()), "")
    return f"`{printable(line.replace('`', ''), 100)}`" if line else ""


def balanced(text: str) -> str:
    """A text without the rest behind a parenthesis that is opened and not closed."""
    return text if text.count("(") <= text.count(")") else text[: text.rindex("(")].rstrip(" ,;:")


def bare(text: str) -> str:
    """A text without Markdown emphasis, list marks, unpaired backticks and outer punctuation."""
    text = re.sub(r"\*\*|__(?=\w)|(?<=\w)__", "", text).strip(" \t.,;:!?*-")
    return text.replace("`", "") if text.count("`") % 2 else text
