"""Changes to a summary: some leave what it says as it is, some make it wrong.

Every function takes the text of a summary and gives the changed text. Lines that begin with
``#`` are headings, all others are entries.
"""

from __future__ import annotations

import random
import re
import textwrap
from collections.abc import Callable, Iterable
from typing import Final

from pytest_compaction.case import Fact
from pytest_compaction.text import Statement, TextIndex

Change = Callable[[str], str]

_BULLET: Final = re.compile(r"^(\s*[-*] )")
_CODE: Final = re.compile(r"`[^`]*`|\S*[/_.=:\\]\S*\w|\b\w*\d\w*\b")

SYNONYMS: Final = dict(
    pair.split("/")
    for pair in """
    use/employ uses/employs used/employed begin/start begins/starts began/started
    show/display shows/displays showed/displayed fix/repair fixes/repairs fixed/repaired
    big/large small/little fast/quick slow/sluggish error/fault errors/faults bug/defect
    bugs/defects change/alter changes/alters changed/altered remove/delete removes/deletes
    removed/deleted
    add/insert adds/inserts added/inserted choose/select chose/selected chosen/selected
    keep/retain keeps/retains kept/retained need/require needs/requires needed/required
    build/construct built/constructed make/produce makes/produces made/produced
    write/record wrote/recorded written/recorded get/obtain gets/obtains got/obtained
    give/provide gives/provides gave/provided given/provided find/discover finds/discovers
    found/discovered try/attempt tries/attempts tried/attempted ask/request asks/requests
    asked/requested answer/reply answers/replies help/assist end/finish ends/finishes ended/finished
    happen/occur happens/occurs happened/occurred check/verify checks/verifies checked/verified
    job/task jobs/tasks folder/directory folders/directories because/since whole/entire
    also/additionally only/solely still/yet often/frequently mostly/mainly wrong/incorrect
    right/correct empty/blank order/sequence part/portion parts/portions reason/cause
    reasons/causes result/outcome results/outcomes step/stage steps/stages user/person
    users/people wait/pause waits/pauses simple/plain needed/necessary enough/sufficient
    next/following last/final first/initial several/multiple almost/nearly about/around
    """.split()
)
"""Common words and another word for each, written before the matcher's own list was read."""

_SMALL: Final = "zero one two three four five six seven eight nine ten eleven twelve".split()
_AUXILIARY: Final = re.compile(
    r"\b(is|are|was|were|has|have|had|can|could|will|would|should|must|does|do|did|may)\b", re.I
)


# Nothing that is said changes --------------------------------------------------------------


def spaced(text: str) -> str:
    """Other white space: blank lines, wide spaces, trailing blanks."""
    return "\n\n".join(line.replace(" ", "  ") + " " for line in text.split("\n"))


def wrapped(text: str) -> str:
    """Lines wrapped at 76 columns, as an editor does it: between words, not after a bullet."""
    return "\n".join(_wrapped_line(line) for line in text.split("\n"))


def _wrapped_line(line: str) -> str:
    mark = _BULLET.match(line)
    bullet = mark[0] if mark else ""
    parts = textwrap.wrap(
        line[len(bullet) :],
        76,
        initial_indent=bullet,
        subsequent_indent="  ",
        break_long_words=False,
        break_on_hyphens=False,
    )
    return "\n".join(parts) or line


def reordered(text: str, seed: int = 0) -> str:
    """The entries of each section in another order."""
    order = random.Random(seed)
    lines: list[str] = []
    for heading, entries in sections(text):
        shuffled = [entry for entry in entries if entry.strip()]
        order.shuffle(shuffled)
        lines += [*heading, *shuffled]
    return "\n".join(lines)


def joined(text: str) -> str:
    """The bullets of each section in one line, with semicolons between them."""
    lines: list[str] = []
    for heading, entries in sections(text):
        bare = [_BULLET.sub("", entry).strip() for entry in entries]
        whole = "; ".join(entry.rstrip(".;") for entry in bare if entry)
        lines += [*heading, *([f"{whole}."] if whole else [])]
    return "\n".join(lines)


def headings(text: str) -> str:
    """Headings in bold in place of ``##``."""
    return re.sub(r"^#+ (.*)$", r"**\1**", text, flags=re.M)


def without_backticks(text: str) -> str:
    """Code without its marks."""
    return text.replace("`", "")


def quoted(text: str) -> str:
    """Other quotation marks."""
    text = re.sub(r'"([^"\n]*)"', r"“\1”", text)
    return re.sub(r"(?<!\w)'([^'\n]*)'(?!\w)", r"‘\1’", text)


def with_synonyms(text: str) -> str:
    """Common words replaced by synonyms, outside of names, paths and numbers."""

    def swap(match: re.Match[str]) -> str:
        other = SYNONYMS.get(match[0].lower())
        if other is None:
            return match[0]
        return other.capitalize() if match[0][0].isupper() else other

    return _outside_code(text, lambda part: re.sub(r"[A-Za-z]+", swap, part))


def with_other_numbers(text: str) -> str:
    """Numbers and units in other formats."""
    text = re.sub(r"(?<![\w.,/:#-])(\d{1,3})(\d{3})(?![\w.,/-]|\.\d)", r"\1,\2", text)
    text = re.sub(r"(?<=\d) ?%", " percent", text)
    text = re.sub(r"(?<=\d) seconds?\b", " s", text)
    text = re.sub(r"(?<=\d) minutes?\b", " min", text)
    text = re.sub(r"(?<=\d) (?:MB|megabytes)\b", "MB", text)
    return re.sub(
        r"(?<![\w.,:/#=(\-–] )(?<![\w.,:/#=(\-–])\b(\d|1[0-2]) (?=[a-z]{3,})",
        lambda match: f"{_SMALL[int(match[1])]} ",
        text,
    )


INVARIANT: Final[dict[str, Change]] = {
    "white space": spaced,
    "wrapped at 76 columns": wrapped,
    "entries in another order": reordered,
    "bullets joined": joined,
    "headings in bold": headings,
    "no backticks": without_backticks,
    "other quotation marks": quoted,
}
"""What must move a score by at most 0.02 of 5."""
REWORDED: Final[dict[str, Change]] = {
    "90 synonyms": with_synonyms,
    "number formats": with_other_numbers,
}
"""What must move a score by at most 0.05 of 5."""


# What is said changes ----------------------------------------------------------------------


def negated(text: str, every: int = 1) -> str:
    """Every sentence (or each ``every``-th one) says the contrary."""
    count = 0
    lines: list[str] = []
    for line in text.split("\n"):
        if not line.strip() or line.startswith("#"):
            lines.append(line)
            continue
        bullet = _BULLET.match(line)
        mark = bullet[0] if bullet else ""
        pieces: list[str] = []
        for sentence in re.split(r"(?<=[.!?]) +(?=[A-Z`])", line[len(mark) :]):
            count += 1
            pieces.append(_contrary(sentence) if count % every == 0 else sentence)
        lines.append(mark + " ".join(pieces))
    return "\n".join(lines)


def _contrary(sentence: str) -> str:
    found = _AUXILIARY.search(sentence)
    if found and sentence[found.end() : found.end() + 4].lower() != " not":
        return f"{sentence[: found.end()]} not{sentence[found.end() :]}"
    file = re.match(r"(`[^`]+`) (created|modified|deleted|renamed|read)\b(.*)", sentence)
    if file:
        return f"{file[1]} not {file[2]}{file[3]}"
    first = sentence[:1].lower() if sentence[1:2].islower() else sentence[:1]
    return f"It is not true that {first}{sentence[1:]}"


def outdated(text: str, facts: Iterable[Fact]) -> str:
    """Current values replaced by stale ones, for each fact with a counterpart that is stated."""
    for fact in facts:
        for other in fact.counterparts[:1]:
            text = _replaced(text, fact, other)
    return text


def _replaced(text: str, fact: Fact, other: Statement) -> str:
    lines = text.split("\n")
    for number, line in enumerate(lines):
        if TextIndex(line).read(fact.statement).outcome != "stated":
            continue
        for group, wrong in _differing(fact, other):
            for form in sorted(group, key=len, reverse=True):
                pattern = rf"(?<!\w){re.escape(form)}(?!\w)"
                line, found = re.subn(pattern, lambda _, w=wrong: w, line, flags=re.I)
                if found:
                    break
            else:
                line = _numbers_replaced(line, group, wrong)
        lines[number] = line
    return "\n".join(lines)


def _differing(fact: Fact, other: Statement) -> list[tuple[tuple[str, ...], str]]:
    """Groups of the fact that the counterpart lacks, each with what stands there instead."""
    right = [group for group in fact.keys if group not in other.keys]
    wrong = [group for group in other.keys if group not in fact.keys]
    return [(group, instead[0]) for group, instead in zip(right, wrong, strict=False)]


def _numbers_replaced(line: str, group: tuple[str, ...], wrong: str) -> str:
    right = re.findall(r"\d[\d.,]*", group[0])
    new = re.findall(r"\d[\d.,]*", wrong)
    for old, number in zip(right, new, strict=False):
        line = re.sub(rf"(?<![\w.,]){re.escape(old)}(?![\w])", number, line)
    return line


def without_next_steps(text: str) -> str:
    """No section about next steps."""
    kept: list[str] = []
    for heading, entries in sections(text):
        if not any("next" in line.lower() for line in heading):
            kept += [*heading, *entries]
    return "\n".join(kept)


def thinned(text: str, share: float, seed: int) -> str:
    """A share of the sentences left out, at least one."""
    lines = text.split("\n")
    entries = [n for n, line in enumerate(lines) if line.strip() and not line.startswith("#")]
    gone = set(random.Random(seed).sample(entries, max(1, round(share * len(entries)))))
    return "\n".join(line for number, line in enumerate(lines) if number not in gone)


# Parts of a summary ------------------------------------------------------------------------


def sections(text: str) -> list[tuple[list[str], list[str]]]:
    """Each heading (a list of at most one line) with the lines below it."""
    found: list[tuple[list[str], list[str]]] = [([], [])]
    for line in text.split("\n"):
        if line.startswith("#"):
            found.append(([line], []))
        else:
            found[-1][1].append(line)
    return found


def _outside_code(text: str, change: Change) -> str:
    parts: list[str] = []
    end = 0
    for match in _CODE.finditer(text):
        parts += [change(text[end : match.start()]), match[0]]
        end = match.end()
    return "".join([*parts, change(text[end:])])
