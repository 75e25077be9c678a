"""The texts that Cline puts into a user message: results, the user's words, and its own notices."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

from pytest_compaction.importers.protocol import Tally

Kind = Literal["result", "words", "notice", "left out", "other"]

_DETAILS: Final = ("<environment_details>", "</environment_details>")
_RESULT: Final = re.compile(
    r"\A\[(?P<tool>[a-z_]{2,40})\b(?P<of>.{0,20000}?)\] Result:[ \t]*\n?", re.S
)
"""A question to the user is repeated in the header, with all of its lines."""
_WORDS: Final = re.compile(
    r"\A\s*(?:[^\n]{1,400}:\s*\n)?"
    r"<(?P<tag>user_input|user_message|feedback|answer|task)\b[^>\n]{0,200}>\s*"
    r"(?P<text>.*?)\s*</(?P=tag)>\s*(?P<more>.*?)\s*\Z",
    re.S,
)
"""What the user typed, with or without a line that introduces it and files attached to it."""
_ATTACHED: Final = re.compile(r"\s*(?:Files attached by the user:|<file_content\b)")
_NOTICE: Final = re.compile(
    r"\s*(?:\[(?:ERROR|TASK RESUMPTION|NOTE)\] |\[The user has switched to )"
)
_REMINDER: Final = re.compile(
    r"\s*(?:# (?:task_progress |TODO LIST UPDATE )|\(The user did not provide a new message"
    r"|The user has provided feedback on the results|Done\s*\Z)"
)


@dataclass(frozen=True, slots=True)
class Reply:
    """One text of a user message, without what Cline puts around it.

    ``tool`` and ``of`` are from the header of a result: the name of the tool, and what
    the header says of the call.
    """

    kind: Kind
    text: str
    tool: str = ""
    of: str = ""


def read_reply(text: str, tally: Tally) -> Reply:
    """What a text of a user message is; the tally counts the parts that are left out."""
    text = _without_details(text, tally)
    if not text.strip():
        return Reply("left out", "")
    if match := _RESULT.match(text):
        return Reply("result", text[match.end() :], match["tool"], match["of"])
    if match := _WORDS.match(text):
        tally.repaired["tag around the user's text, removed"] += 1
        return Reply("words", "\n".join(part for part in (match["text"], match["more"]) if part))
    if _ATTACHED.match(text):
        return Reply("words", text)
    if _REMINDER.match(text):
        tally.left_out["reminder added by the program"] += 1
        return Reply("left out", "")
    return Reply("notice" if _NOTICE.match(text) else "other", text)


def _without_details(text: str, tally: Tally) -> str:
    start, end = _DETAILS
    if not text.rstrip().endswith(end) or start not in text:
        return text
    tally.left_out["environment details added by the program"] += 1
    return text[: text.rindex(start)].rstrip()
