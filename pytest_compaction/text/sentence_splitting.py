"""The sentences of a text, each with the headings, lead-ins and bullets that it stands under.

A sentence ends at its full stop or semicolon, or with its line. A line that was wrapped goes on in
the next one. A line of code, of a table, of a diff or of tool output is a sentence. Splitting is
linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from pytest_compaction.text.words import STOPWORDS

MESSAGE_END: Final = "</message>"
"""A line between two messages: no heading, list, fence or difference goes on beyond it."""
MAX_WORDS: Final = 80
"""A longer sentence is cut, so that a minified line does not count as one."""

_NARROWEST: Final = 60
_WIDEST: Final = 130
"""Columns at which prose is wrapped."""

_HEADING: Final = re.compile(r"\s{0,3}(#{1,6})\s+((?:.*[^\s#])?)[\s#]*$")
_TITLE: Final = re.compile(r"\s{0,3}(?:\*\*|__)([^*_]+?:?)(?:\*\*|__)\s*(?::\s*)?$")
_TAG: Final = re.compile(r"\s*<(/?)([A-Za-z][\w-]*)>\s*$")
_BULLET: Final = re.compile(r"(\s*)(?:[-*+•]|\d{1,3}[.)]|[a-z][.)])\s+(?=\S)(?:\[[ xX]\]\s+)?")
_QUOTE: Final = re.compile(r"\s{0,99}>+\s?")
_FENCES: Final = ("```", "~~~")
_RULE: Final = re.compile(r"[\s|:=+*_-]+$")
_DIFF_START: Final = re.compile(
    r"diff --git |@@ |--- (?:a/|/dev)|\+\+\+ (?:b/|/dev)|\*\*\* \w+ File"
)
_LOG_LINE: Final = re.compile(
    r"\s*(?:\d{4}-\d\d-\d\d[T ]|(?:[A-Z][a-z]{2} [ \d]\d )?\d\d:\d\d:\d\d|\S+:\d+:|[$%>\[{}<|@]|"
    r"[\w.]+\s*[:+-]?=[^=]|[\w.]+\(|"
    r"[\"'][^\"'\s]+[\"']:(?:\s|$)|"
    r"(?:INFO|DEBUG|WARNING|ERROR|PASSED|FAILED|E |def |class |import |return |from \S+ import))"
)
_CALL: Final = re.compile(r"\s*[a-z]+(?:_[a-z]+)* \S*[\w)][/.]\w\S*$")
"""A tool's name and a path, alone on a line."""
_CODE_ENDS: Final = ("{", "}", ";", "\\")
_SENTENCE_END: Final = re.compile(
    r"(?<=[.!?])(?<!e\.g\.)(?<!i\.e\.)(?<!\bvs\.)(?<!\bcf\.)(?<!\betc\.)[\"'”’)\]*`]{0,4}"
    r"\s+(?=[\"'(\[*_`“‘]{0,4}[A-Z0-9]|`)"
    r"|(?<=[。！？])|([;；])\s+"
)
_MAY_END: Final = re.compile(r"[.!?][\"'”’)\]*`]{0,4}\s|[;；]\s|[。！？]")
"""Without this no sentence ends within a line; most lines are spared the slower search."""
_ENTRY_END: Final = re.compile(r"[;；]\s+")
_ITEMS: Final = 5
"""A line of so many parts with semicolons between them is a list, each part an entry of its own."""
_INLINE_LEAD: Final = re.compile(r"((?:[^\s:;.!?]+ ){0,5}[^\s:;.!?]+):[*_]{0,2}\s+(?=\S)")
_LETTERS: Final = re.compile(r"[A-Za-z]+")


_NUMBERED: Final = re.compile(r" {0,6}(\d{1,6})(?: {2}(?! *[\d.]+(?: |$))|\t|$)")
"""A number, and no row of figures."""
_COMMIT: Final = re.compile(r"(?=[a-f]*\d)[0-9a-f]{7,40} ")
_WORD: Final = re.compile(r"\s*([^\s\d]+)\s")


@dataclass(slots=True)
class Sentence:
    """One sentence or line.

    ``context`` holds the numbers of the headings, lead-ins and parent bullets above it; ``block``
    is the same for the sentences of one bullet or paragraph. ``removed`` marks what a diff takes
    away. ``code`` marks code and tool
    output. ``last`` is the number of the last sentence that has this one as context. ``joined`` is
    one that only a semicolon parts from the sentence before it.
    """

    text: str
    block: int
    context: tuple[int, ...] = ()
    removed: bool = False
    code: bool = False
    last: int = -1
    joined: bool = False


@dataclass(slots=True)
class _RawLine:
    text: str
    kind: str
    indent: int = 0
    level: int = 0
    removed: bool = False
    blank_before: bool = False


@dataclass(slots=True)
class _Outline:
    """Context of the next line: headings by level, a lead-in, parent bullets by indent."""

    headings: list[tuple[int, int]] = field(default_factory=list)
    bullets: list[tuple[int, int]] = field(default_factory=list)
    lead: int | None = None
    lead_open: bool = False

    def context(self) -> tuple[int, ...]:
        """The numbers of all that stands above."""
        lead = () if self.lead is None else (self.lead,)
        numbers = [number for _, number in self.headings[-3:]]
        return (*numbers, *lead, *(number for _, number in self.bullets[-3:]))


def sentences(text: str) -> list[Sentence]:
    """The sentences and lines of a text, in order."""
    found: list[Sentence] = []
    outline = _Outline()
    lines = _lines(text)
    block = 0
    for number, line in enumerate(lines):
        following = lines[number + 1] if number + 1 < len(lines) else None
        _place(line, outline)
        first = len(found)
        context = outline.context()
        lead, entries = _entries(line)
        block += 1
        if lead is not None:
            found.append(Sentence(lead, block, context))
            context = (*context, first)
        code = line.kind == "code"
        for place, entry in enumerate(entries):
            for piece, joined in entry:
                one = Sentence(piece, block, context, line.removed, code)
                one.joined = joined or (place > 0 and piece == entry[0][0])
                found.append(one)
            block += 1
        if len(found) > first:
            _enter(line, outline, first, len(found) - 1, following)
    for number, sentence in enumerate(found):
        for above in sentence.context:
            found[above].last = number
    return found


def _place(line: _RawLine, outline: _Outline) -> None:
    """Leave the headings, bullets and lead-ins that do not stand above this line."""
    if line.kind == "heading":
        while outline.headings and outline.headings[-1][0] >= line.level:
            outline.headings.pop()
        outline.bullets.clear()
        outline.lead = None
        return
    if line.kind == "bullet":
        while outline.bullets and outline.bullets[-1][0] >= line.indent:
            outline.bullets.pop()
        return
    if line.blank_before and line.indent == 0:
        outline.bullets.clear()
        if line.kind == "plain":
            outline.lead = None
    if outline.lead is not None and not outline.lead_open and line.kind == "plain":
        outline.lead = None


def _enter(
    line: _RawLine, outline: _Outline, first: int, last: int, following: _RawLine | None
) -> None:
    """Note what this line is to the lines below it."""
    if line.kind == "heading":
        outline.headings.append((line.level, first))
        return
    if line.kind == "bullet":
        outline.bullets.append((line.indent, first))
        outline.lead_open = False
        return
    opens = line.text.rstrip(" *_").endswith(":")
    titles = (
        following is not None
        and following.kind == "bullet"
        and line.kind == "plain"
        and len(line.text.split()) <= 8
        and not line.text.rstrip().endswith((".", "!", "?", ";", ","))
    )
    if (line.kind == "plain" and (opens or titles)) or line.kind == "header":
        outline.lead, outline.lead_open = last, True
    elif outline.lead is not None and line.kind != "row":
        outline.lead_open = outline.lead_open and not line.blank_before


def _entries(line: _RawLine) -> tuple[str | None, list[list[tuple[str, bool]]]]:
    """The lead-in that a line of several clauses begins with, and its entries as sentences.

    Each sentence with whether only a semicolon parts it from the one before it.
    """
    if line.kind in {"code", "row", "header"}:
        return None, [[(piece, False) for piece in _cut(line.text)]]
    text, lead = line.text, None
    if ";" in text and line.kind != "heading":
        inline = _INLINE_LEAD.match(text)
        if inline and ";" in text[inline.end() :]:
            lead, text = inline[1] + ":", text[inline.end() :]
    entries = _ENTRY_END.split(text) if ";" in text or "；" in text else []
    if len(entries) < _ITEMS:
        entries = [text]
    return lead, [_sentences_of(entry) for entry in entries]


def _sentences_of(text: str) -> list[tuple[str, bool]]:
    parts = _SENTENCE_END.split(text) if _MAY_END.search(text) else [text]
    joints = [None, *parts[1::2]]
    return [
        (cut, place > 0 or bool(joint))
        for piece, joint in zip(parts[::2], joints, strict=True)
        if piece.strip(" ;")
        for place, cut in enumerate(_cut(piece.strip(" ;")))
    ]


def _cut(text: str) -> list[str]:
    words = text.split() if len(text) > 2 * MAX_WORDS else []
    if len(words) > MAX_WORDS:
        return [" ".join(words[i : i + MAX_WORDS]) for i in range(0, len(words), MAX_WORDS)]
    return [bare] if (bare := text.strip()) else []


def _lines(text: str) -> list[_RawLine]:
    """The lines of a text by kind, wrapped lines put together."""
    raw = without_numbers(text.splitlines())
    found: list[_RawLine] = []
    code = diff = False
    blank = table = joins = False
    for number, line in enumerate(raw):
        bare = line.strip()
        if not bare:
            blank, diff, table, joins = True, False, False, False
            continue
        if bare.startswith(_FENCES):
            code, diff, joins = not code, False, False
            continue
        if line == MESSAGE_END:
            code = diff = joins = False
        if line[0] in "d@-+*" and _DIFF_START.match(line):
            diff = True
        inner = (  # the rest of a long bullet stands further in, whatever it holds
            joins
            and found[-1].kind == "bullet"
            and len(raw[number - 1].rstrip()) >= _NARROWEST
            and len(line) - len(line.lstrip()) > found[-1].indent
            and not _BULLET.match(line)
        )
        if joins and (inner or _goes_on(raw, number)):
            found[-1].text += " " + _QUOTE.sub("", line).strip()
            continue
        made = _line(line, bare, code, diff or _replaces(raw, number), table)
        table = made is not None and made.kind in {"row", "header"}
        joins = made is not None and made.kind in {"plain", "bullet"}
        if made is not None:
            made.blank_before, blank = blank, False
            found.append(made)
    return found


def _line(line: str, bare: str, code: bool, diff: bool, table: bool) -> _RawLine | None:
    """Kind of a line; ``bare`` is the line without white space around it.

    Its first sign says which forms need not be tried.
    """
    first = bare[0]
    if diff and line[0] in "+-@ ":
        if line.startswith(("+++", "---", "@@")):
            return _RawLine(bare, "code")
        return _RawLine(line[1:].strip(), "code", removed=line[0] == "-")
    if not code and first in "|:=+*_-" and _RULE.match(bare):
        return None
    indent = len(line) - len(line.lstrip())
    if code:
        return _RawLine(bare, "code", indent)
    if first == "|":
        return _RawLine(line.strip(" |"), "row" if table else "header")
    if first in "#*_<":
        if heading := _HEADING.match(line):
            return _RawLine(heading[2], "heading", level=len(heading[1]))
        if title := _TITLE.match(line):
            return _RawLine(title[1], "heading", level=7)
        if tag := _TAG.match(line):
            return _RawLine("" if tag[1] else tag[2].replace("_", " "), "heading", level=0)
    if first == ">" and line.lstrip().startswith("> "):
        line = _QUOTE.sub("", line, count=1)
    bullet = _BULLET.match(line)
    if bullet:
        return _RawLine(line[bullet.end() :].strip(), "bullet", len(bullet[1].expandtabs(4)))
    kind = "code" if _LOG_LINE.match(line) or line.endswith(_CODE_ENDS) else "plain"
    return _RawLine(line.strip(), kind, indent)


def _replaces(raw: list[str], number: int) -> bool:
    """Whether the line belongs to a run of ``-`` lines that ``+`` lines directly follow."""
    line = raw[number]
    if line[0] == "+":
        return number > 0 and raw[number - 1][:1] in {"+", "-"} and line[:2] != "++"
    if line[0] != "-":
        return False
    for following in raw[number + 1 : number + 21]:
        if following[:1] != "-":
            return following[:1] == "+"
    return False


def _goes_on(raw: list[str], number: int) -> bool:
    """Whether this line continues the one before it, which was wrapped."""
    before, line = raw[number - 1].rstrip(), raw[number].rstrip()
    width = max(len(before), min(len(line), _WIDEST), _NARROWEST)
    if len(before) > _WIDEST or len(before) + 1 + len(line.split(None, 1)[0]) <= width:
        return False
    if _BULLET.match(line) or _HEADING.match(line) or line.lstrip()[:1] in {"|", "<"}:
        return False
    if (
        _LOG_LINE.match(line)
        or _CALL.match(line)
        or before.endswith(_CODE_ENDS)
        or are_records(before, line)
    ):
        return False
    words = _LETTERS.findall(before.lower())
    return before.endswith(",") or sum(word in STOPWORDS for word in words) >= 2


def without_numbers(lines: Sequence[str]) -> list[str]:
    """The lines without the numbers of a numbered listing: each must follow the one before."""
    found = [_NUMBERED.match(line) for line in lines]
    numbers = [int(match[1]) if match else None for match in found]
    kept: list[str] = []
    neighbours = zip([None, *numbers], [*numbers[1:], None], strict=False)
    for line, match, number, (before, after) in zip(
        lines, found, numbers, neighbours, strict=False
    ):
        numbered = number is not None and (before == number - 1 or after == number + 1)
        kept.append(line[match.end() :] if match and numbered else line)
    return kept


def are_records(before: str, line: str) -> bool:
    """Whether two lines are entries of a list: of commits, or both begin with one telling word."""
    if _COMMIT.match(before) or _COMMIT.match(line):
        return True
    first, second = _WORD.match(before), _WORD.match(line)
    return bool(first and second and first[1] == second[1] and first[1].lower() not in STOPWORDS)


_DEFINITION: Final = re.compile(
    r"(?:(?:export|default|public|private|protected|static|async|abstract|final|pub|override)\s+)*"
    r"(?:def|class|function|func|fn|interface|struct|enum|type|trait|impl|module|namespace)\s+\w"
)


def is_definition(line: str) -> bool:
    """Whether a line, without its indentation, defines a function, a class or the like."""
    return _DEFINITION.match(line) is not None
