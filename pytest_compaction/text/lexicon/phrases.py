"""Set expressions that stand for one word: "paid no attention to" for "ignored".

A text that holds the expression is found by that word. The table is general English and the
common speech of software work.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Final

from pytest_compaction.text.words import stem

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
_ANY: Final = re.compile(rf"\b(?=[a-z])(?:{'|'.join(pattern for _, pattern in _read())})(?!\w)")
"""Any expression. Most sentences have none, and are spared the whole table."""


def lines_with_phrases(normals: Sequence[str]) -> list[int]:
    """The numbers of the normalised sentences that hold any expression."""
    starts = list(accumulate((len(normal) + 1 for normal in normals), initial=0))
    places = (match.start() for match in _ANY.finditer("\n".join(normals)))
    return list(dict.fromkeys(bisect_right(starts, place) - 1 for place in places))


def phrases_in(normal: str) -> Iterator[tuple[str, tuple[int, int]]]:
    """The words that expressions of a normalised sentence stand for, with their places."""
    if not _ANY.search(normal):
        return
    for word, pattern in _TABLE.items():
        for match in pattern.finditer(normal):
            yield word, match.span()
