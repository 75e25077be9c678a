"""What negates, replaces, asks or supposes within a sentence, and which words that reaches.

A *cue* is an expression such as "not", "no longer", "instead of", "rejected" or "from … to". It
reaches the words of its ``scope``; a cue on the verb also reaches what stands before it in the same
segment (``before``), if the statement has nothing after the cue's reach. Segments are what commas,
dashes, colons and conjunctions separate. All places are positions in the normalised sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

Kind = Literal["negated", "replaced", "rejected", "past", "supposed", "asked", "uncertain"]
Span = tuple[int, int]
NOWHERE: Final[Span] = (0, 0)
_SHORT: Final = 5
"""A heading of at most so many words is read by its cue words alone."""


@dataclass(frozen=True, slots=True)
class Cue:
    """One expression that changes what a sentence states; ``at`` is where it stands."""

    kind: Kind
    at: Span
    scope: Span
    before: Span = NOWHERE

    def reaches(self, start: int, end: int) -> bool:
        """Whether words between these positions lie in the scope."""
        return self.scope[0] <= start and end <= self.scope[1]

    def reaches_back(self, start: int, end: int) -> bool:
        """Whether words between these positions lie before the cue in its segment."""
        return self.before[0] <= start and end <= self.before[1]


_AUX: Final = (
    r"(?:is|are|was|were|be|been|being|am|do|does|did|has|have|had|can|could|will|would|shall|"
    r"should|may|might|must|need|gets?|got|'s|'re)"
)
_SUBJECT: Final = r"(?:i|we|you|he|she|it|they|this|that|there|these|those|the \w+ (?:is|was|are))"

_BOUNDARY: Final = re.compile(
    r"(?P<explains>\b(?:because|since|so that|due to|owing to|as it|as they|as the|given that)\b"
    r"|[:(]| - )"
    rf"|(?P<ends>[;)?!]|\.(?=\s|$)|,(?! (?:however|yet|in fact|for now|so far|too),)"
    r"|\b(?:but|although|though|while|whereas|unless|until|however|whose|which|so|then|"
    r"except|only that|when|after|before)\b"
    rf"|\b(?:and|or)(?= (?:{_SUBJECT}|{_AUX}|now|instead|then|so|still|keeps?|not|\w+ed)\b"
    r"| (?:the|an?|every|each|its|their|all|this|our) \w+(?: \w+)? (?:is|was|are|were|has|have|"
    r"had|will|fails?|pass(?:es)?|stays?|keeps?|needs?|takes?|uses?|runs?|goes|gets|works?|"
    r"\w+ed) ))"
)

_BRACKETS: Final = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_WHOLE: Final = re.compile(
    r"\b(?:it(?: is|'s| was) (?:not|n't|never) (?:the case|true|so|correct|right|a fact)(?: that)?|"
    r"it (?:is|was)n't (?:the case|true|so|correct)(?: that)?|"
    r"(?:it(?: is|'s| was) |that(?: is|'s) )?(?:false|untrue|wrong|incorrect|a mistake)(?: that)|"
    r"contrary to(?: what)?|by no means|nobody (?:said|claims?) that)\b"
    r"|^(?:not|false|untrue|wrong|no)(?: true)? ?[:(]"
)
_ON_VERB: Final = re.compile(
    r"\b(?P<longer>no longer|not any ?more|never again)\b"
    r"|\b(?P<verb>(?:fail(?:s|ed|ing)?|refus(?:e|es|ed|ing)|unable|neglect(?:s|ed)?|"
    r"forg[eo]t(?:s|ten)?|omit(?:s|ted)?|declin(?:e|es|ed)) to)\b"
    r"|\b(?P<not>not|never|cannot|hardly|\w+n't)\b"
)
_UNABLE: Final = re.compile(r"cannot|can't|couldn't|(?:fail\w*|unable|refus\w+) to")
"""What could not be done is no denial of what is said about it: "can't decode byte 0xfd"."""
_UNTIL: Final = re.compile(r"\b(?:until|unless)\b")
"""What is not done until something happens is done then."""
_RELATIVE: Final = re.compile(r"\b(?:that|who) (?=(?:\w+ ){0,2}$)")
_NEXT_WORD: Final = re.compile(r"(?: be| have| \w+ly)* [\w'-]+")
_ON_NOUN: Final = re.compile(
    r"(?<!=)\b(?P<noun>no|without|zero|0(?! ?(?:%|ms\b|s\b|sec|min|hour|day|kb|mb|gb|bytes?\b)))"
    r"(?= [\w\"'(])"
    r"|\b(?P<pro>none(?: of)?|nothing|nobody|neither|no one)\b"
    r"|\b(?P<lack>lacks?|lacked|lacking|free of|absence of|instead of|rather than|in place of|"
    r"as opposed to|in lieu of|unlike|avoid(?:s|ed|ing)?|anything but|except(?: for)?|"
    r"other than|stop(?:s|ped)? \w+ing)\b"
)
_REJECT: Final = re.compile(
    r"\b(?:reject(?:s|ed|ing)?|abandon(?:s|ed|ing)?|revert(?:s|ed|ing)?|ruled? out|ruling out|"
    r"discard(?:s|ed|ing)?|dismiss(?:es|ed|ing)?|turned down|gave up on|given up|giving up on|"
    r"roll(?:s|ed|ing)? back|decided against|decides? against|advised? against|undid|undone|"
    r"back(?:ed)? out|withdr[ae]wn?|taken back|takes? back|took back|scrapped|vetoed|overruled|"
    r"not chosen|cancell?ed|retracted|dropped(?! (?:from|to|by|below|under)\b)|left out|"
    r"(?:is|was|are|were) (?:false|wrong|untrue|incorrect|obsolete|outdated|stale|superseded)|"
    r"(?:has|have|had) no (?:effect|part|influence|impact|bearing|role)|"
    r"forbid(?:s|den)?|forbade|prohibit(?:s|ed)?|disallow(?:s|ed)?|ban(?:s|ned)?)\b(?!\s?[=:]\s?\d)"
)
_REPLACE: Final = re.compile(
    r"\b(?P<verb>replac(?:e|es|ed|ing)|swap(?:s|ped|ping)?|substitut(?:e|es|ed|ing)|"
    r"exchang(?:e|es|ed|ing)|supersed(?:e|es|ed|ing)|overrid(?:e|es|den|ing)|overrode)\b"
)
_PAST: Final = re.compile(
    r"\b(?:used to(?: be)?|formerly|no more|once was|(?:its |the )?(?:old|former|stale|outdated) "
    r"(?=value|limit|setting|default|\d)|up from|down from|until then|previously(?! \w+ed\b)|"
    r"originally|at first|initially)\b"
)
_WAS: Final = re.compile(r"\b(?:was|were|had been|stood at)\b(?= )")
_NOW: Final = re.compile(
    r"\b(?:now|nowadays|currently|today|since then|is (?=\d)|became|becomes|has since)\b"
)
_FROM_TO: Final = re.compile(
    r"\bfrom (?P<old>(?:(?!\bfrom\b|[;:(]|, |\. ).){1,60}?)(?: up| down| over| back)? (?:to|into|"
    r"onto) (?P<new>\S)"
)
_CHANGES: Final = re.compile(
    r"\b(?:rais|lower|chang|mov|renam|switch|migrat|increas|decreas|reduc|bump|convert|extend|"
    r"shorten|doubl|halv|cut|drop|fell|fall|rise|rose|grew|grow|shrink|shrank|went|goes|go|gone|"
    r"set|reset|adjust|improv|correct|updat|modif|port|transition|upgrad|downgrad|brought|bring|"
    r"push|pull|jump|swap|replac|tighten|loosen|relax|widen|narrow|edit|amend|revis)\w*"
)
_ARROW: Final = re.compile(r"(?:→|⇒|➜|-+>|=+>)")
_OPERAND: Final = re.compile(r"[^\s,;:()=]+(?: (?:s|ms|sec\w*|min\w*|hours?|days?|[kmg]i?b|%))? ?$")
_SUPPOSED: Final = re.compile(
    r"\b(?P<may>might|maybe|perhaps|possibly|presumably|probably|apparently|supposedly|allegedly|"
    r"likely|(?:could|may) (?:be|have|well|also|help|work))\b"
    r"|\b(?P<if>if|suppose|supposing|assuming|hypothetically|in case|what if|whether|wish)\b"
    r"|\b(?P<would>would (?:be|become|have been)|"
    r"(?:i|we|you|one|they|user|he|she)(?:'d| would| could))"
    r"|\b(?P<ask>should (?:we|i|it|they)|do (?:we|you)|shall (?:we|i)|open question|unclear|"
    r"asked (?:whether|if)|wonder(?:s|ed|ing)?|not sure|unsure|to be (?:decided|clarified))\b"
)
_THEN: Final = re.compile(r"\b(?:we|i|you|they|it|he|she|then)\b")
_UNREAL: Final = re.compile(r"\b(?:would|could|might)\b|'d\b|\bwere to\b")
_LAST_QUESTION: Final = re.compile(r"[.!?:] (?=[^.!?]*\?[\s)\"']*$)")
_PARTICIPLE: Final = re.compile(
    r" (?:yet |been |be |being |\w+ly )?(?:\w+ed|\w+en|done|run|built|found|made|set|sent|kept|"
    r"touched|put|read|met|left|lost|held|known|shown|sure|yet|in use|needed|allowed|ok|true)\b"
)
_PREPOSITION: Final = re.compile(
    r"\b(?:in|on|at|with|for|during|after|before|under|by|from|to|into|across|over|within|when|"
    r"that|as|are|is|was|were|and|but|will|has|have|had|would|could|can|should|must|may|does|did)\b"
)
_HEADING_CUE: Final = re.compile(
    r"\b(?P<reject>rejected|ruled out|abandoned|discarded|reverted|dropped|decided against|"
    r"dead ends?|discarded|withdrawn|obsolete|outdated|superseded|former(?:ly)?|old values?|"
    r"not chosen|not taken|turned down)\b"
    r"|\b(?P<not>not|never|no longer|false|untrue|wrong|mistakes?|without|none|don't)\b"
    r"|(?P<ask>\bopen questions?\b|\bquestions?\b|\bunclear\b|\bto clarify\b|\bhypothe\w+|"
    r"\bideas?\b|\?)"
)


@dataclass(frozen=True, slots=True)
class Sense:
    """The cues of a sentence and its segments, as the places where they begin.

    ``explains`` are the places where an explanation begins ("because", a colon, a dash).
    """

    cues: tuple[Cue, ...]
    starts: tuple[int, ...]
    explains: tuple[int, ...]


def sense_of(normal: str, code: bool = False) -> Sense:
    """Read the cues of one normalised sentence; code and tool output suppose and ask nothing."""
    ends: list[int] = []
    explains: list[int] = []
    for match in _BOUNDARY.finditer(normal):
        ends.append(match.start())
        if match.lastgroup == "explains":
            explains.append(match.start())
    bounds = _Bounds(
        normal,
        tuple(ends),
        tuple(explains),
        tuple(match.span() for match in _BRACKETS.finditer(normal)),
    )
    cues = [*_whole(normal), *_on_verb(normal, bounds), *_on_noun(normal, bounds)]
    if not code:
        cues += [
            *_rejections(normal, bounds),
            *_replacements(normal, bounds),
            *_past(normal, bounds),
            *_suppositions(normal, bounds),
        ]
    return Sense(_without_nested(cues), tuple(ends), tuple(explains))


def heading_cue(normal: str) -> Cue | None:
    """What a heading or lead-in does with everything that stands below it."""
    if len(normal.split()) <= _SHORT:
        match = _HEADING_CUE.search(normal)
        if match is None:
            return None
        group = match.lastgroup
        kind: Kind = "rejected" if group == "reject" else "negated" if group == "not" else "asked"
        return Cue(kind, match.span(), NOWHERE)
    if not normal.endswith(":"):
        return None
    return next(
        (cue for cue in sense_of(normal).cues if cue.scope[1] >= len(normal) - 2 and cue.scope[0]),
        None,
    )


@dataclass(frozen=True, slots=True)
class _Bounds:
    text: str
    ends: tuple[int, ...]
    explains: tuple[int, ...]
    brackets: tuple[Span, ...]

    def explained(self, place: int) -> int:
        """Where the next explanation begins after this place."""
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
        return max((end for end in self._seen(self.ends, place) if end < place), default=opened)

    @property
    def end(self) -> int:
        """The end of the sentence."""
        return len(self.text)

    def _seen(self, ends: tuple[int, ...], place: int) -> Iterator[int]:
        """Without what stands in brackets that this place is outside of."""
        for end in ends:
            if all(at < place < to for at, to in self.brackets if at <= end < to):
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


def _whole(normal: str) -> Iterator[Cue]:
    for match in _WHOLE.finditer(normal):
        yield Cue("negated", match.span(), (match.end(), len(normal)))


def _on_verb(normal: str, bounds: _Bounds) -> Iterator[Cue]:
    for match in _ON_VERB.finditer(normal):
        start, end = match.span()
        if normal[end : end + 5] == " only":
            continue
        if _UNTIL.search(normal, end, bounds.after(bounds.after(end) + 1)):
            continue
        if _UNABLE.fullmatch(normal[start:end]):
            verb = _NEXT_WORD.match(normal, end)
            yield Cue("negated", (start, end), (end, verb.end() if verb else end))
            continue
        scope = (end, bounds.listed(end))
        left = bounds.before(start)
        relative = _RELATIVE.search(normal, left, start)
        left = relative.end() if relative else left
        head = normal[left:start]
        word = match[0]
        verbal = (
            match.lastgroup != "not"
            or word in {"never", "cannot", "hardly"}
            or word.endswith("n't")
            or re.search(rf"\b{_AUX}(?: \w+ly)? $", head) is not None
            or _PARTICIPLE.match(normal, end) is not None
        )
        yield Cue("negated", (start, end), scope, (left, start) if verbal else NOWHERE)


def _on_noun(normal: str, bounds: _Bounds) -> Iterator[Cue]:
    for match in _ON_NOUN.finditer(normal):
        start, end = match.span()
        limit = bounds.listed(end)
        if match.lastgroup == "noun" and normal.startswith("no longer", start):
            continue
        left = bounds.before(start)
        subject = not normal[left:start].strip(" ,;:(-")
        if match.lastgroup in {"noun", "lack"} and not (subject and match.lastgroup == "noun"):
            stop = _PREPOSITION.search(normal, end, limit)
            limit = stop.start() if stop else limit
        before = NOWHERE
        if match.lastgroup == "pro" and not normal[end:limit].strip(" ."):
            opened = normal[left:start].strip(" ,;(-")
            before = (bounds.before(left) if opened in {"", ":"} else left, start)
        kind: Kind = "replaced" if match[0] in _REPLACING else "negated"
        yield Cue(kind, (start, end), (end, limit), before)


_REPLACING: Final = frozenset(
    {"instead of", "rather than", "in place of", "as opposed to", "in lieu of"}
)


def _rejections(normal: str, bounds: _Bounds) -> Iterator[Cue]:
    for match in _REJECT.finditer(normal):
        start, end = match.span()
        left = bounds.before(start)
        colon = normal[end : end + 2] in {": ", " :"}
        limit = bounds.explained(end + 2) if colon else bounds.after(end)
        head = normal[left:start]
        be = match[0].startswith(("is ", "was ", "are ", "were ", "ha")) or (
            re.search(rf"\b{_AUX}(?: \w+)?(?: \w+)? $", head) is not None
        )
        if colon and head.strip(" ,;:(-"):
            limit = end
        passive = be or not normal[end:limit].strip(" .")
        if not head.strip(" ,:;(-") and not normal[end:limit].strip(" ."):
            left = bounds.before(left)
        yield Cue("rejected", (start, end), (end, limit), (left, start) if passive else NOWHERE)


def _replacements(normal: str, bounds: _Bounds) -> Iterator[Cue]:
    for match in _REPLACE.finditer(normal):
        start, end = match.span()
        limit = bounds.after(end)
        by = re.compile(r" (?:by|with|for)\b").search(normal, end, limit)
        left = bounds.before(start)
        if by and by.start() <= end + 1:
            yield Cue("replaced", (start, end), NOWHERE, (left, start))
        else:
            yield Cue("replaced", (start, end), (end, by.start() if by else limit))
    yield from _from_to(normal, bounds)
    arrows = list(_ARROW.finditer(normal))
    for arrow in arrows:
        left = max(bounds.before(arrow.start()), 0)
        if sum(bounds.before(other.start()) == left for other in arrows) > 1:
            continue
        operand = _OPERAND.search(normal, left, arrow.start())
        if operand and normal[arrow.end() :].strip():
            yield Cue("replaced", arrow.span(), (operand.start(), arrow.start()))


def _from_to(normal: str, bounds: _Bounds) -> Iterator[Cue]:
    for match in _FROM_TO.finditer(normal):
        left, right = bounds.before(match.start()), bounds.after(match.end())
        if (
            _CHANGES.search(normal, left, right)
            or normal[:left].endswith("(")
            or normal[left] == "("
        ):
            yield Cue("replaced", (match.start(), match.start() + 4), match.span("old"))
    for match in re.finditer(r"\bto \S+(?: \w+)? (from (?=\d))", normal):
        end = bounds.after(match.end())
        yield Cue("replaced", match.span(1), (match.end(), end))


def _past(normal: str, bounds: _Bounds) -> Iterator[Cue]:
    now = _NOW.search(normal)
    for match in _PAST.finditer(normal):
        limit = bounds.after(match.end())
        if now and match.end() <= now.start() < limit:
            limit = now.start()
        yield Cue("past", match.span(), (match.end(), limit))
    if now is None:
        return
    for match in _WAS.finditer(normal):
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


def _suppositions(normal: str, bounds: _Bounds) -> Iterator[Cue]:
    if normal.rstrip(" )\"'").endswith("?"):
        last = max((match.end() for match in _LAST_QUESTION.finditer(normal)), default=0)
        yield Cue("asked", (len(normal), len(normal)), (last, len(normal)))
    for match in _SUPPOSED.finditer(normal):
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
                (t for t in _THEN.finditer(normal, end, limit) if t.start() > end + 6), None
            )
            yield Cue("supposed", (start, end), (end, then.start() if then else limit))


def _without_nested(cues: list[Cue]) -> tuple[Cue, ...]:
    """Without cues that stand within a longer one, such as "not" in "it is not true that"."""
    kept: list[Cue] = []
    for cue in sorted(cues, key=lambda cue: (cue.at[0], -cue.at[1])):
        if kept and cue.at[1] <= kept[-1].at[1] and cue.at[0] < cue.at[1]:
            continue
        kept.append(cue)
    return tuple(kept)
