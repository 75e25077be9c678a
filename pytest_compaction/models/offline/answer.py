"""Answers by rules: what the view says about the question, in the form that was asked for.

Sentences, list items and output lines are found by :mod:`.retrieval`. Questions about
files also read the tool calls of the view. The most relevant lines come first, as many as
the probe's limits allow.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from pytest_compaction.case import AnswerSpec
from pytest_compaction.conversation import Message
from pytest_compaction.models.offline.retrieval import (
    PreparedView,
    prepare,
    question_proper,
    quotations,
    relevant,
)
from pytest_compaction.text import is_path, normalize, path_suffixes, raw_tokens

ABSTENTION: Final = "I do not know: the context does not say."
MAX_UNIT_CHARACTERS: Final = 320
_FILE_SHARE: Final = 0.65
"""Share of the answer that lists of files may take, to leave room for the rest."""
_DETAILS: Final = 8
_MARK_TOKENS: Final = 2
"""A list mark and a line break."""
_MISSES: Final = 12
"""The answer counts as full after this many lines that do not fit."""
_FILE_ENTRY: Final = re.compile(r"`?(?P<path>[\w./\-]+\.\w+)`?:? (?P<what>\w.*)$")
_FILES_ASKED: Final = re.compile(
    r"\b(?:which|what|list|name|all|new|existing|other)\s+(?:[\w\-]+\s+){0,2}"
    r"(?:files?|modules?|scripts?|paths?|artifacts?)\b"
)
_VERBS: Final = {
    "created": re.compile(r"\bcreat|\badded|\bnew\b|introduc|did not exist"),
    "modified": re.compile(r"modif|chang|\bedit|touch|updat|alter"),
    "deleted": re.compile(r"delet|\bremoved?\b|\bgone\b"),
    "renamed": re.compile(r"renam|\bmoved?\b"),
    "read": re.compile(r"\bread\b|look|inspect|consult|opened\b|access|examin"),
}


def answer(
    view: Sequence[Message], question: str, spec: AnswerSpec, count: Callable[[str], int]
) -> str:
    """An answer from the view alone, in the form of ``spec``, in at most its tokens."""
    prepared = prepare(tuple(view))
    asked = question_proper(question)
    answer = BoundedAnswer(spec, count)
    answer.add(file_lines(prepared, asked), _FILE_SHARE)
    most = MAX_UNIT_CHARACTERS
    found = relevant(prepared, asked, quotations(question))
    answer.add((text if len(text) <= most else f"{text[: most - 1]}…" for text in found), 1.0)
    return answer.text()


def file_lines(prepared: PreparedView, question: str) -> list[str]:
    """What happened to files, a line for each, if the question asks for files or names some."""
    paths = [token for token in raw_tokens(question) if is_path(token)]
    named = [path for path in paths if "." in path.rpartition("/")[2]]
    folders = [path for path in paths if path not in named]
    if not named and not _FILES_ASKED.search(question):
        return []
    asked = [verb for verb, pattern in _VERBS.items() if pattern.search(question)]
    wanted = asked or (list(_VERBS) if named else ["created", "modified", "deleted", "renamed"])
    lines: list[tuple[int, str]] = []
    for state in prepared.files:
        changed = {
            "created": state.created,
            "renamed": bool(state.renamed_from),
            "modified": state.modified,
        }
        if state.deleted:
            changed = {"deleted": True}
        elif state.read and not any(changed.values()):
            changed = {"read": True}
        verbs = [verb for verb, happened in changed.items() if happened]
        ranks = [wanted.index(verb) for verb in verbs if verb in wanted]
        if ranks and _meant(state.path, named, folders):
            line = f"{state.path} {', '.join(verbs)}"
            line += f" from {state.renamed_from}" if state.renamed_from else ""
            details = "; ".join(state.details[-_DETAILS:]) if named else ""
            lines.append((min(ranks), f"{line}: {details}" if details else line))
    for text in (unit.text for unit in prepared.units if unit.kind == "said"):
        entry = _FILE_ENTRY.match(text)
        if entry and _meant(entry["path"].casefold(), named, folders):
            ranks = [place for place, verb in enumerate(wanted) if verb in entry["what"]]
            if ranks or named:
                lines.append((min(ranks, default=0), text.replace("`", "")))
    return [line for _, line in sorted(lines, key=lambda pair: pair[0])]


def _meant(path: str, named: Sequence[str], folders: Sequence[str]) -> bool:
    mine = path_suffixes(path.casefold())
    if named:
        others = [path_suffixes(name) for name in named]
        return any(mine and other and (other[0] in mine or mine[0] in other) for other in others)
    return not folders or any(
        f"/{folder.strip('/')}/" in f"/{path.casefold()}" for folder in folders
    )


class BoundedAnswer:
    """An answer that takes lines, most important first, until a limit of the probe is reached."""

    def __init__(self, spec: AnswerSpec, count: Callable[[str], int]) -> None:
        self._spec = spec
        self._count = count
        self._lines: list[str] = []
        self._tokens = 0
        self._words = 0
        self._forbidden = [normalize(text) for text in spec.forbid]

    def add(self, lines: Iterable[str], share: float) -> None:
        """Add lines while the answer stays within ``share`` of its tokens and all other limits."""
        spec = self._spec
        misses = 0
        for line in lines:
            if misses >= _MISSES or len(self._lines) >= (spec.max_items or len(self._lines) + 1):
                return
            if line in self._lines or any(text in normalize(line) for text in self._forbidden):
                continue
            words, tokens = len(line.split()) + 1, self._count(line) + _MARK_TOKENS
            beyond = spec.max_words is not None and self._words + words > spec.max_words
            if beyond or self._tokens + tokens > share * spec.max_tokens:
                misses += 1
                if self._lines or share < 1:
                    continue
                line = " ".join(line.split()[: min(spec.max_words or 60, spec.max_tokens // 3, 60)])
            self._lines.append(line)
            self._tokens += self._count(line) + _MARK_TOKENS
            self._words += len(line.split()) + 1

    def text(self) -> str:
        """The answer in the asked form; says that it does not know when no line was added."""
        lines, form = self._lines or [ABSTENTION], self._spec.format
        if form == "list":
            return "\n".join(f"- {line}" for line in lines)
        if form == "json":
            return json.dumps(lines, ensure_ascii=False)
        if form == "sentence":
            return "; ".join(line.rstrip(".;") for line in lines) + "."
        return "\n".join(lines)
