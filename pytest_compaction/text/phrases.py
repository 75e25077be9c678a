"""Set expressions that stand for one word: "paid no attention to" for "ignored".

A text that holds the expression is found by that word. The table is general English and the
common speech of software work.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final

from pytest_compaction.text.words import stem

Phrase = tuple[str, tuple[int, int]]
"""The word that an expression stands for, and the place of the expression."""
_SHORT: Final = 400
"""Characters of a sentence of which it is kept whether it holds an expression."""
_PHRASES: Final = r"""
ignore: (?:pa(?:y|ys|id|ying)|g[ia]ve|without) no (?:attention|heed|regard)|(?:goes|went|go|
  gone|going|left) (?:unnoticed|unheeded)|(?:takes?|took|taking) no (?:notice|account)|blind to|
  unaware of|in spite of|regardless of
reject: turn(?:s|ed|ing)? (?:\w+ )?down|pass(?:es|ed|ing)? (?:\w+ )?over|rul(?:es|ed|ing|
  e) (?:\w+ )?out|vot(?:es|ed) (?:\w+ )?down|(?:throw|threw|thrown) out|decid(?:es|ed) against|
  advis(?:es|ed) against|off the table|(?:set|sets|put) aside|strike[sn]? down|struck down
revert: (?:takes?|took|taken|taking|roll(?:s|ed|ing)?|back(?:s|ed|ing)?) (?:\w+ )?(?:back|out)|
  put back
always: (?:every|each) (?:single )?time|at all times|in (?:every|all|any) cases?|
  without exception|invariably|throughout
never: at no (?:time|point)|not once|under no circumstances|in no case
unchanged: (?:left|leaves?|stays?|stayed|remains?|remained|kept|keeps?) (?:just |
  exactly )?(?:as (?:it|they|is|was|were)|alone|in place|the same)|hands[- ]off|off[- ]limits|
  as[- ](?:it )?is\b|byte[- ](?:for[- ]byte|identical)
postpone: put(?:s|ting)? off|hold off|(?:goes|went|put|moved|leave|left|
  kept) (?:\w+ )?(?:on the list|for later|till later|until later)|on hold|next (?:session|time)|
  later on
remove: (?:gets?|got|getting) rid of|(?:does|do|did|done) away with|(?:takes?|took|taken) out|
  strip(?:s|ped)? out|cut out
x-axis: horizontal axis|axis of abscissas
y-axis: vertical axis
separate: of (?:its|their|his|her) own|on (?:its|their) own|stand-?alone
manual: by hand|manually
need: (?:asks?|asked|asking|calls?|called) for|depends? on|relies on|can(?:not|'t) do without
required: has to|have to|had to|is to be|are to be
unnecessary: (?:gets?|got|does|do|did|manages?) (?:by |along )?without|no need
run: carr(?:y|ies|ied) out|goes through|went through|gone through
deploy: roll(?:s|ed|ing)?[- ]?outs?|go(?:es|ing)? live|went live|put into production|shipp?ed to
fail: blows? up|blew up|falls? over|fell over|gives? up|gave up|break(?:s|ing)? down|broke down|
  bails? out
crash: (?:dies|died|die|dying) (?:with|on|from|over|in)
investigate: look(?:s|ed|ing)? into
start: kick(?:s|ed)? off|set(?:s)? out|fire(?:s|d)? up|spin(?:s|ning)? up|spun up|begin(?:s|ning)?
stop: shut(?:s|ting)? down|switch(?:es|ed)? off|turn(?:s|ed)? off
disable: switch(?:es|ed)? off|turn(?:s|ed)? off
enable: switch(?:es|ed)? on|turn(?:s|ed)? on
replace: stands? in for|in (?:its|their) place|tak(?:es|en) the place of|took the place of
maximum: (?:no|not) more than|at most|up to|no longer than
minimum: (?:no|not) (?:fewer|less) than|at least|no shorter than
absent: nowhere to be found|(?:turn(?:s|ed)? up|found|finds?|returns?|returned|yield(?:s|ed)?|
  gave|gives?|com(?:es|e)|came) (?:back )?(?:with )?(?:nothing|no (?:hits?|results?|
  match(?:es)?)|empty)|(?:there (?:is|was|are|were)) no trace
irrelevant: (?:makes?|made|making|has|have|had) no (?:difference|effect|influence|bearing|
  impact)|beside the point|nothing to do with
innocent: (?:not|n't) (?:to blame|at fault|guilty)|off the hook
differ: (?:does|do|did) not line up|out of step|at odds with
old: from before|pre-?existing|before (?:our|the|this|that) (?:change|split|refactoring|commit|
  fix|session)|(?:behaved|was|were|did so|had been) (?:that way |like that |so )?already|
  long-?standing
first: to begin with|at the start|at the outset|to start with
twice: two times
because: on account of|on the grounds that|given that|in view of
cause: (?:comes?|came|stems?|stemmed|results?|resulted) from|down to|root of
"""


def _read() -> Iterator[tuple[str, str]]:
    for line in _PHRASES.strip().replace("\n  ", "").splitlines():
        word, _, pattern = line.partition(": ")
        yield word if "-" in word else stem(word), pattern


_TABLE: Final = {word: re.compile(rf"\b(?:{pattern})(?!\w)") for word, pattern in _read()}


def _options(pattern: str) -> list[str]:
    """What stands between the bars of a pattern, outside of its brackets."""
    depth, begin = 0, 0
    found: list[str] = []
    for place, sign in enumerate(pattern):
        depth += (sign == "(") - (sign == ")")
        if sign == "|" and not depth:
            found.append(pattern[begin:place])
            begin = place + 1
    return [*found, pattern[begin:]]


def _spread(pattern: str) -> Iterator[str]:
    """The same pattern as several that begin with a letter each."""
    for option in _options(pattern):
        if not option.startswith("(?:"):
            yield option
            continue
        depth = 0
        end = next(
            place
            for place, sign in enumerate(option)
            if (depth := depth + (sign == "(") - (sign == ")")) == 0 and sign == ")"
        )
        inner, rest = option[3:end], option[end + 1 :]
        if rest.startswith("?"):
            yield from _spread(rest[1:])
            rest = rest[1:]
        for one in _options(inner):
            yield from _spread(one + rest)


def _by_letters(patterns: Iterable[str], letters: int = 2) -> str:
    """One pattern for all of them, which goes by their first letters and fails soon."""
    rows: dict[str, list[str]] = {}
    for pattern in patterns:
        sure = letters and pattern[:1].isalpha() and pattern[1:2] not in {"?", "*"}
        rows.setdefault(pattern[:1] if sure else "", []).append(pattern[1:] if sure else pattern)
    return "|".join(
        f"{letter}(?:{_by_letters(rest, letters - 1)})" if letter else "|".join(rest)
        for letter, rest in rows.items()
    )


_ANY: Final = re.compile(
    rf"\b(?:{_by_letters(one for _, pattern in _read() for one in _spread(pattern))})(?!\w)"
)
"""Any expression. Most sentences have none, and are spared the whole table."""


def lines_with_phrases(normals: Sequence[str]) -> list[int]:
    """The numbers of the normalised sentences that hold any expression."""
    return [number for number, normal in enumerate(normals) if _has_phrase(normal)]


def _has_phrase(normal: str) -> bool:
    """Whether a sentence holds an expression. Logs and views hold the same lines often."""
    return (_has_any if len(normal) <= _SHORT else _has_any.__wrapped__)(normal)


@lru_cache(maxsize=8192)
def _has_any(normal: str) -> bool:
    return _ANY.search(normal) is not None


def phrases_in(normal: str) -> Sequence[Phrase]:
    """The words that expressions of a normalised sentence stand for, with their places."""
    return _in_table(normal) if _has_phrase(normal) else ()


@lru_cache(maxsize=1024)
def _in_table(normal: str) -> tuple[Phrase, ...]:
    return tuple(
        (word, match.span())
        for word, pattern in _TABLE.items()
        for match in pattern.finditer(normal)
    )
