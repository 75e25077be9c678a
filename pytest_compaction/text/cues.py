"""Cues of negation, replacement, question and supposition in a sentence, and their scope.

A *cue* is an expression such as "not", "no longer", "instead of", "rejected" or "from … to". It
reaches the words of its ``scope``; a cue on the verb also reaches what stands before it in the same
segment (``before``), if the statement has nothing after the cue's reach. Segments are what commas,
dashes, colons and conjunctions separate. All places are positions in the normalised sentence.
The forms of English are in ``languages.en``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from pytest_compaction.text.languages import en
from pytest_compaction.text.languages.language import Kind

Span = tuple[int, int]
NOWHERE: Final[Span] = (0, 0)
REVERSING: Final = frozenset({"negated", "replaced", "rejected", "past"})
"""Kinds of cues after which what they reach is not so."""
_SHORT: Final = 5
"""A heading of at most so many words is read by its cue words alone."""
_HEADING: Final = 8
"""The most words of a line without a colon that is taken for a heading."""


@dataclass(frozen=True, slots=True)
class Cue:
    """One expression that changes what a sentence states; ``at`` is where it stands.

    ``whole`` if it takes back a whole sentence ("it is false that") and denies no word of it.
    """

    kind: Kind
    at: Span
    scope: Span
    before: Span = NOWHERE
    whole: bool = False

    def reaches(self, start: int, end: int) -> bool:
        """Whether words between these positions lie in the scope."""
        return self.scope[0] <= start and end <= self.scope[1]

    def reaches_any(self, spans: Iterable[Span]) -> bool:
        """Whether one of the spans lies in the scope."""
        return any(self.reaches(*span) for span in spans)

    def reaches_back(self, start: int, end: int) -> bool:
        """Whether words between these positions lie before the cue in its segment."""
        return self.before[0] <= start and end <= self.before[1]

    def moved(self, offset: int) -> Cue:
        """The same cue so many characters further on."""
        at, scope, before = (
            span if span == NOWHERE else (span[0] + offset, span[1] + offset)
            for span in (self.at, self.scope, self.before)
        )
        return replace(self, at=at, scope=scope, before=before)

    def reverses(self, span: Span) -> bool:
        """Whether it makes what stands here the opposite, before or behind it."""
        return self.kind in REVERSING and (self.reaches(*span) or self.reaches_back(*span))


@dataclass(frozen=True, slots=True)
class Sense:
    """The cues of a sentence and its segments, as the places where they begin.

    ``explains`` are the places where an explanation begins ("because", a colon, a dash).
    """

    cues: tuple[Cue, ...]
    starts: tuple[int, ...]
    explains: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Bounds:
    """Starts of segments and explanations in a normalised sentence, and its brackets."""

    text: str
    ends: tuple[int, ...]
    explains: tuple[int, ...]
    brackets: tuple[Span, ...]

    def explained(self, place: int) -> int:
        """Start of the next explanation after this place."""
        return next(
            (start for start in self._seen(self.explains, place) if start >= place), self.end
        )

    def after(self, place: int) -> int:
        """The end of the segment that goes on at this place."""
        close = min((to for at, to in self.brackets if at < place < to), default=self.end)
        return min((end for end in self._seen(self.ends, place) if end >= place), default=close)

    def before(self, place: int) -> int:
        """The start of the segment that this place is in."""
        opened = max((at for at, to in self.brackets if at < place < to), default=0)
        return max([opened, *(end for end in self._seen(self.ends, place) if end < place)])

    @property
    def end(self) -> int:
        """The end of the sentence."""
        return len(self.text)

    def _seen(self, ends: tuple[int, ...], place: int) -> Iterator[int]:
        """Without what stands in brackets that this place is outside of.

        A bracket that opens behind the place is an end, unless it belongs to a call.
        """
        for end in ends:
            opens = any(at == end for at, _ in self.brackets)
            if opens and (end < place or self.text[end - 1 : end].strip()):
                continue
            if all(at < place < to for at, to in self.brackets if at < end < to):
                yield end

    def listed(self, place: int) -> int:
        """As ``after``, but over the commas of a list that ends in "or" or "nor"."""
        end = self.after(place)
        while end < len(self.text) and self.text[end] == ",":
            beyond = self.after(end + 1)
            rest = self.text[end:beyond]
            further = self.text[end : self.after(beyond + 1)] if beyond < len(self.text) else rest
            if not re.search(r"\bn?or\b", rest + further) or len(rest.split()) > 7:
                break
            end = beyond
        return end


def sense_of(normal: str, code: bool = False) -> Sense:
    """Read the cues of one normalised sentence; code and tool output suppose and ask nothing."""
    ends: list[int] = []
    explains: list[int] = []
    for match in en.BOUNDARY.finditer(normal):
        ends.append(match.start())
        if match.lastgroup == "explains":
            explains.append(match.start())
    bounds = Bounds(
        normal,
        tuple(ends),
        tuple(explains),
        tuple(match.span() for match in en.BRACKETS.finditer(normal)),
    )
    cues: list[Cue] = []
    negates = "no" in normal or "n't" in normal
    if negates or _holds(normal, en.TAKING_BACK_WORDS):
        cues += [
            Cue("negated", match.span(), (match.end(), len(normal)), whole=True)
            for match in en.WHOLE.finditer(normal)
        ]
    if negates or _holds(normal, en.ON_VERB_WORDS):
        cues += _on_verb(normal, bounds)
    if negates or _holds(normal, en.ON_NOUN_WORDS):
        cues += _on_noun(normal, bounds)
    if not code:
        cues += _rejections(normal, bounds)
        if negates:
            for match in en.NO_PART.finditer(normal):
                start, end = match.span()
                left = _shared(normal, bounds, bounds.before(start), start)
                cues.append(Cue("rejected", (start, end), (end, bounds.after(end)), (left, start)))
        cues += _replacements(normal, bounds)
        cues += _past(normal, bounds)
        cues += _suppositions(normal, bounds)
        cues += _claims(normal)
    if cues:
        cues = [cue for cue in cues if not en.LIMIT.match(normal, cue.at[0])]
    kept: list[Cue] = []
    for cue in sorted(cues, key=lambda cue: (cue.at[0], -cue.at[1])):
        # One within a longer one is none, such as "not" in "it is not true that".
        if not kept or cue.at[1] > kept[-1].at[1] or cue.at[0] >= cue.at[1]:
            kept.append(cue)
    return Sense(tuple(kept), tuple(ends), tuple(explains))


def _holds(normal: str, words: tuple[str, ...]) -> bool:
    """Whether a sentence may hold a cue at all: most are spared the search for its forms."""
    for word in words:  # noqa: SIM110 - faster than a generator, and asked of every sentence
        if word in normal:
            return True
    return False


@lru_cache(maxsize=2048)
def heading_cue(normal: str) -> Cue | None:
    """The cue of a heading or lead-in, which reaches all lines below it."""
    lead = normal.endswith(":")
    if lead or len(normal.split()) <= _HEADING:
        if en.CONDITION.match(normal):
            return Cue("conditional", (0, len(normal)), NOWHERE)
        claim = en.CLAIM_HEADING.search(normal) or (en.CLAIMED.search(normal) if lead else None)
        if claim is not None:
            return Cue("claimed", claim.span(), NOWHERE)
        if plan := en.PLANNED.search(normal):
            return Cue("planned", plan.span(), NOWHERE)
    if len(normal.split()) <= _SHORT:
        match = en.HEADING_CUE.search(normal)
        if match is None:
            return None
        group = match.lastgroup
        kind: Kind = "rejected" if group == "reject" else "negated" if group == "not" else "asked"
        return Cue(kind, match.span(), NOWHERE, whole=normal.strip(" :") in en.BARE)
    if not normal.endswith(":"):
        return None
    return next(
        (cue for cue in sense_of(normal).cues if cue.scope[1] >= len(normal) - 2 and cue.scope[0]),
        None,
    )


def _on_verb(normal: str, bounds: Bounds) -> Iterator[Cue]:
    for match in en.ON_VERB.finditer(normal):
        start, end = match.span()
        if normal[end : end + 5] == " only":
            continue
        beyond = bounds.after(bounds.after(end) + 1)
        if en.UNTIL.search(normal, end, beyond) and not en.NEEDLESS.match(normal, end):
            continue
        reason = en.NO_REASON.match(normal, end)
        if reason:
            yield Cue("negated", (start, end), (end, bounds.after(reason.end())))
            continue
        if en.UNABLE.fullmatch(normal[start:end]):
            verb = en.NEXT_WORD.match(normal, end)
            yield Cue("negated", (start, end), (end, verb.end() if verb else end))
            continue
        scope = (end, bounds.listed(end))
        left = bounds.before(start)
        relative = en.RELATIVE.search(normal, left, start)
        left = relative.end() if relative else left
        head = normal[left:start]
        word = match[0]
        verbal = (
            match.lastgroup != "not"
            or word in {"never", "cannot", "hardly"}
            or word.endswith("n't")
            or re.search(rf"\b{en.AUX}(?: \w+ly)? $", head) is not None
            or en.PARTICIPLE.match(normal, end) is not None
        )
        yield Cue("negated", (start, end), scope, (left, start) if verbal else NOWHERE)


def _on_noun(normal: str, bounds: Bounds) -> Iterator[Cue]:
    for match in en.ON_NOUN.finditer(normal):
        start, end = match.span()
        limit = bounds.listed(end)
        if match.lastgroup == "noun" and normal.startswith("no longer", start):
            continue
        left = bounds.before(start)
        subject = not normal[left:start].strip(" ,;:(-")
        if match.lastgroup in {"noun", "lack"} and not (subject and match.lastgroup == "noun"):
            stop = en.PREPOSITION.search(normal, end, limit)
            limit = stop.start() if stop else limit
        if match.lastgroup == "lack" and not normal[:start].strip(" ,;:(-"):
            first = en.NEXT_WORD.match(normal, end, limit)
            other = en.NEW_SUBJECT.search(normal, first.end() if first else end, limit)
            limit = other.start() if other else limit
        before = NOWHERE
        if match[0] == "no" and en.COPULA.search(normal, left, start):
            before = (left, start)
        if match.lastgroup == "pro" and not normal[end:limit].strip(" ."):
            opened = normal[left:start].strip(" ,;(-")
            before = (bounds.before(left) if opened in {"", ":"} else left, start)
        kind: Kind = "replaced" if match[0] in en.REPLACING else "negated"
        yield Cue(kind, (start, end), (end, limit), before)


def _rejections(normal: str, bounds: Bounds) -> Iterator[Cue]:
    for match in en.REJECT.finditer(normal):
        start, end = match.span()
        left = bounds.before(start)
        colon = normal[end : end + 2] in {": ", " :"}
        limit = bounds.explained(end + 2) if colon else bounds.after(end)
        head = normal[left:start]
        be = match[0].startswith(("is ", "was ", "are ", "were ", "ha")) or (
            re.search(rf"\b{en.AUX}(?: \w+)?(?: \w+)? $", head) is not None
        )
        if colon and head.strip(" ,;:(-"):
            limit = end
        passive = be or en.FOLLOWS.match(normal, end, limit) is not None
        if not head.strip(" ,:;(-") and not normal[end:limit].strip(" ."):
            left = bounds.before(left)
        object = en.PRONOUN.match(normal, end, limit) is not None
        if passive or object:
            left = _shared(normal, bounds, left, start)
        passive = passive or (object and left < bounds.before(start))
        yield Cue("rejected", (start, end), (end, limit), (left, start) if passive else NOWHERE)


def _shared(normal: str, bounds: Bounds, left: int, start: int) -> int:
    """Start of the clause that lends its subject or object to a verb without one.

    The subject may have an apposition between commas: "the loft, a store, was given up".
    """
    while left > 0 and en.SHARING.fullmatch(normal[left:start].strip(" ,")):
        apposed = re.fullmatch(rf", {en.AUX}(?: been)? ", normal[left:start])
        start, left = left, bounds.before(left)
        if apposed and left > 0 and normal[left] == ",":
            start, left = left, bounds.before(left)
    return left


def _replacements(normal: str, bounds: Bounds) -> Iterator[Cue]:
    replaces = _holds(normal, en.REPLACE_WORDS)
    for match in en.REPLACE.finditer(normal) if replaces else ():
        start, end = match.span()
        limit = bounds.after(end)
        by = en.BY.search(normal, end, limit)
        left = bounds.before(start)
        if by and by.start() <= end + 1:
            yield Cue("replaced", (start, end), NOWHERE, (left, start))
        else:
            yield Cue("replaced", (start, end), (end, by.start() if by else limit))
    for match in en.FROM_TO.finditer(normal) if "from" in normal or "out of" in normal else ():
        left, right = bounds.before(match.start()), bounds.after(match.end())
        changes = en.CHANGES.search(normal, left, right)
        if changes or normal[:left].endswith("(") or normal[left] == "(":
            yield Cue("replaced", (match.start(), match.start("old") - 1), match.span("old"))
    arrows = list(en.ARROW.finditer(normal)) if _holds(normal, en.ARROW_SIGNS) else []
    for arrow in arrows:
        left = max(bounds.before(arrow.start()), 0)
        if sum(bounds.before(other.start()) == left for other in arrows) > 1:
            continue
        operand = en.OPERAND.search(normal, left, arrow.start())
        if operand and normal[arrow.end() :].strip():
            yield Cue("replaced", arrow.span(), (operand.start(), arrow.start()))


def _past(normal: str, bounds: Bounds) -> Iterator[Cue]:
    past = list(en.PAST.finditer(normal))
    was = list(en.WAS.finditer(normal))
    now = en.NOW.search(normal) if past or was else None
    for match in en.BEFORE.finditer(normal):
        yield Cue("past", match.span(), NOWHERE, (bounds.before(match.start()), match.start()))
    for match in past:
        limit = bounds.after(match.end())
        if now and match.end() <= now.start() < limit:
            limit = now.start()
        yield Cue("past", match.span(), (match.end(), limit))
    if now is None:
        return
    for match in was:
        limit = bounds.after(match.end())
        contrast = normal[match.end() : now.start()] if now.start() > match.end() else ""
        if (
            now.start() >= limit
            and len(contrast) < 60
            and re.search(r"[,;]|\b(?:and|but)\b| - ", contrast)
        ):
            yield Cue("past", match.span(), (match.end(), limit))
        elif match.end() < now.start() < limit and re.search(r"\band\b", contrast):
            yield Cue("past", match.span(), (match.end(), now.start()))


def _suppositions(normal: str, bounds: Bounds) -> Iterator[Cue]:
    if normal.rstrip(" )\"'").endswith("?") and not en.REQUEST.search(normal):
        last = max((match.end() for match in en.LAST_QUESTION.finditer(normal)), default=0)
        yield Cue("asked", (len(normal), len(normal)), (last, len(normal)))
    for match in en.SUPPOSED.finditer(normal):
        start, end = match.span()
        if match.lastgroup == "may":
            yield Cue("uncertain", (start, end), (bounds.before(start), bounds.after(end)))
        elif match.lastgroup == "ask":
            yield Cue("asked", (start, end), (end, len(normal)))
        elif match.lastgroup == "would":
            yield Cue("supposed", (start, end), (bounds.before(start), bounds.after(end)))
        else:
            limit = bounds.after(end)
            then = next(
                (t for t in en.THEN.finditer(normal, end, limit) if t.start() > end + 6),
                None,
            )
            yield Cue("supposed", (start, end), (end, then.start() if then else limit))


def _claims(normal: str) -> Iterator[Cue]:
    """What others said or what is doubted, up to the end of the sentence or from its beginning."""
    if condition := en.CONDITION.match(normal):
        yield Cue("conditional", condition.span(), (condition.end(), len(normal)))
    for match in en.CLAIMED.finditer(normal) if _holds(normal, en.CLAIM_WORDS) else ():
        yield Cue("claimed", match.span(), (match.end(), len(normal)))
    for match in en.PLANNED.finditer(normal):
        yield Cue("planned", match.span(), (match.end(), len(normal)))
    for match in en.TAKEN_FOR_CLAIM.finditer(normal):
        yield Cue("claimed", match.span(), (0, match.start()))
