"""Reads a sentence in a language other than English: which keys it holds, and what it says of them.

The rules of a language are data (see ``languages``). Polarity is compared with that of the
statement's own text, read by the same rules: "请勿修改" states "不要修改", and
"修改了" contradicts it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from itertools import pairwise
from typing import Final, NamedTuple

from pytest_compaction.text.alternatives import Alternative, Match, Term, path_keys
from pytest_compaction.text.cues import NOWHERE, REVERSING, Cue, Sense, Span, sense_of
from pytest_compaction.text.groups import PLAIN, RANK, Weighed, choices, openness, width
from pytest_compaction.text.ideographs import SIGN, SIGNS
from pytest_compaction.text.languages import (
    OTHER,
    has_function_word,
    language,
    language_by_script,
    language_of,
)
from pytest_compaction.text.languages.en import FILE_CHANGES
from pytest_compaction.text.languages.language import Kind, Language, Reach
from pytest_compaction.text.parsed import Parsed, SentencePlaces
from pytest_compaction.text.statement import Keys, Outcome, Statement
from pytest_compaction.text.value_forms import any_of
from pytest_compaction.text.values import held_values, values_of
from pytest_compaction.text.words import (
    canonical_number,
    is_path,
    normalize,
    path_suffixes,
    raw_tokens,
    stem_in,
    token_forms,
    token_places,
)

_WORD_PARTS: Final = re.compile(r"[^\W_]+")
_DECIMAL: Final = re.compile(r"(?<=\d),(?=\d{1,2}(?!\d))")
_THOUSANDS: Final = re.compile(r"(?<=\d)\.(?=\d{3}(?![\d.]))")
_DATE: Final = re.compile(r"\d\.(?: |$)|\w, \d{1,2}\.\d")  # "am Mittwoch, 19.11. um 9"
_COLON: Final = re.compile(r".[:-]|" + _DATE.pattern)
_NAMES: Final = re.compile(r"[\d_]|\w\.\w")
_SHORT_HEADING: Final = 30
"""Characters of a heading that says something of all that stands below it."""
_SETTLED: Final = frozenset({"next_step", "constraint", "decision"})
"""Types of statements that a plan may state."""


def of_other_language(text: str, code: str) -> str:
    """A normalised text with the units and the numbers of a language as ``values`` reads them."""
    rules = language(code)
    if rules.decimal_comma:
        text = _DECIMAL.sub(".", _THOUSANDS.sub("", text))
    for table, form in _words_of(code):
        pieces = form.split(text)
        pieces[1::2] = (table[word] for word in pieces[1::2])
        text = "".join(pieces)
    return text


@cache
def _words_of(code: str) -> list[tuple[Mapping[str, str], re.Pattern[str]]]:
    """The number words of a language and its units, each with a pattern for them."""
    rules = language(code)
    numerals, units = (any_of(table) for table in (rules.numerals, rules.units))
    forms = (rf"\b({numerals})\b", rf"(?:(?<=\d )|(?<=\d))({units})\b")
    rows = zip((rules.numerals, rules.units), forms, strict=True)
    return [(table, re.compile(form)) for table, form in rows if table]


class Polarity(NamedTuple):
    """Whether a sentence denies what was asked for, its last group, and whether it is open."""

    all: bool = False
    last: bool = False
    open: int = 0


PLAIN_POLARITY: Final = Polarity()


class Asked:
    """The key groups of a statement as sentences of one language are asked for them.

    ``meant`` is the polarity of the statement's own text where that is in another language.
    """

    def __init__(
        self, keys: Keys, code: str, statement: Statement, meant: Polarity | None = None
    ) -> None:
        self.code = code
        self.type = statement.type
        self.groups = tuple(tuple(_alternative(form, code) for form in group) for group in keys)
        rules = language(code)
        own = parse(normalize(statement.text), code)
        found = choices([own.matches_of(group) for group in self.groups])
        said = (_polarity(own, choice, rules) for choice in found)
        self.meant = meant or next(said, PLAIN_POLARITY)
        self.is_step = self.type == "next_step" or (
            self.type not in _SETTLED
            and rules.ahead.search(own.normal) is not None
            and rules.done.search(own.normal) is None
        )


_NAME: Final = re.compile(r"[^\s]*(?:[\d_/\\]|\w\.\w|[a-z][A-Z]|[A-Z]{2})[^\s]*")


def names_among(forms: Sequence[str], code: str) -> tuple[str, ...]:
    """The alternatives that are names, numbers, paths or commands, and so the same in any language.

    A word of Latin letters in a text of another script is a name.
    """
    return tuple(form for form in forms if _is_name(form, code))


@lru_cache(maxsize=8192)
def _is_name(form: str, code: str) -> bool:
    if code in {"zh", "ja", "ru", OTHER}:
        return language_of(normalize(form)) == "en"
    normal = normalize(form) if code == "en" else of_other_language(normalize(form), code)
    values = [normal[slice(*value.span)] for value in values_of(normal)]
    if values and sum(map(len, values)) >= len(normal.replace(" ", "")):
        return True
    return all(map(_NAME.fullmatch, form.split()))


@lru_cache(maxsize=8192)
def _alternative(form: str, code: str) -> Alternative:
    """One alternative of a key group: its values, names and words, by the stems of the language."""
    rules = language(code)
    normal = of_other_language(normalize(form), code)
    terms: dict[Term, None] = {}
    rest = normal
    for value in values_of(normal):
        terms[Term(tuple(sorted(value.asked, key=repr)))] = None
        start, end = value.span
        rest = rest[:start] + " " * (end - start) + rest[end:]
    for row in re.findall(rf"[{SIGNS}]+", rest):
        pieces = re.split(f"[{rules.particles}]", row) if rules.particles else [row]
        terms.update((Term((), tuple(piece)), None) for piece in pieces if piece)
    for token in raw_tokens(rest):
        if SIGN.match(token):
            continue
        if is_path(token):
            terms[Term(path_keys(token))] = None
        elif re.search(r"[\d_\\]", token):
            terms[Term((canonical_number(token),))] = None
        else:
            words = [word for word in _WORD_PARTS.findall(token) if word not in rules.common]
            terms.update((Term((stem_in(rules.stemmer, word),)), None) for word in words)
    if not terms:
        terms = {Term((word,)): None for word in raw_tokens(normal)}
    denied = any(cue.kind in REVERSING for cue in sense_in(normal, code).cues)
    return Alternative(normal, tuple(terms), negative=denied)


@lru_cache(maxsize=2048)
def parse(normal: str, code: str, mixed: bool = False) -> Parsed:
    """A normalised sentence with the places of its words, and its cues.

    ``mixed`` adds those of English, for a sentence that might be in either.
    """
    rules = language(code)
    normal = of_other_language(normal, code)
    places = SentencePlaces()
    for token, start in token_places(normal):
        span = (start, start + len(token))
        for form in token_forms(token):
            places.add(form, span)
        if is_path(token):
            places.add(("path", "/".join(path_suffixes(token)[:1])), span)
        for part in _WORD_PARTS.finditer(token) if rules.stemmer else ():
            form = stem_in(rules.stemmer, part[0])
            inner = (start + part.start(), start + part.end())
            if inner not in places.of(form):
                places.add(form, inner)
    for key, span in held_values(normal):
        if span not in places.of(key):
            places.add(key, span)
    sense = sense_in(normal, code)
    if mixed:
        sense = replace(sense, cues=tuple(dict.fromkeys((*sense.cues, *sense_of(normal).cues))))
    return Parsed(normal, places, sense, ())


def sense_in(normal: str, code: str) -> Sense:
    """The cues of a normalised sentence by the rules of a language."""
    rules = language(code)
    ends = tuple(dict.fromkeys(match.start() for match in rules.clause.finditer(normal)))
    cues = [
        _cue(rules, normal, ends, form.kind, form.reach, match)
        for form in rules.forms
        for match in form.pattern.finditer(normal)
    ]
    kept: list[Cue] = []
    for cue in sorted(cues, key=lambda cue: (cue.at[0], -cue.at[1])):
        if not kept or cue.at[1] > kept[-1].at[1] or kept[-1].kind == "asked":
            kept.append(cue)
    return Sense(tuple(kept), ends, ())


def _cue(
    rules: Language,
    normal: str,
    ends: Sequence[int],
    kind: Kind,
    reach: Reach,
    match: re.Match[str],
) -> Cue:
    start, end = match.span()
    if "old" in match.re.groupindex:
        old = match.span("old")
        at = (start, old[0]) if old[0] > start else (old[1], end)
        return Cue(kind, at, old)
    over = _DATE if kind in REVERSING else _COLON
    reached = (place for place in ends if place >= end and not over.match(normal, place - 1))
    behind = min(reached, default=len(normal))
    left = max((place + 1 for place in ends if place < start), default=0)
    alone = rules.no_object.fullmatch(normal, end, behind) is not None
    bare = alone and rules.no_subject.fullmatch(normal, left, start) is not None
    if bare and normal[behind : behind + 1] in {":", "-"}:  # "rejected: Redis"
        behind = min((place for place in ends if place > behind), default=len(normal))
    while alone and left > 0 and rules.no_subject.fullmatch(normal, left, start):
        left = max((place + 1 for place in ends if place < left - 1), default=0)
    if reach == "sentence":
        return Cue(kind, (start, end), (0, len(normal)))
    if reach == "rest":
        return Cue(kind, (start, end), (end, len(normal)))
    return Cue(
        kind,
        (start, end),
        NOWHERE if reach == "before" else (end, behind),
        NOWHERE if reach == "after" else (left, start),
    )


def in_language(normal: str, code: str, home: str) -> Parsed:
    """A sentence of a text as its language reads it; English counts too where no word tells."""
    mixed = code == home and language_by_script(normal) == ""
    return parse(normal, code, mixed and not has_function_word(normal, code))


def weigh_in(
    asked: Asked, passage: Parsed, above: Sequence[Parsed], change: str | None
) -> Weighed | None:
    """The best that a passage does with the groups; ``above`` are the headings over it.

    A heading may hold some of the groups; ``None`` where a group stands in neither.
    """
    groups: list[list[Match]] = []
    for group in asked.groups:
        groups.append(passage.matches_of(group))
        if not groups[-1] and not any(heading.matches_of(group) for heading in above):
            return None
    own = [group for group in groups if group]
    best: Weighed | None = None
    for choice in choices(own):
        weighed = _weigh_choice(asked, passage, choice, above, bool(groups[-1]))
        if best is None or RANK[weighed.outcome] > RANK[best.outcome]:
            best = weighed
        if best.outcome == "stated":
            break
    changes = language(asked.code).changes.get(change or "")
    if best is None or best.outcome != "stated" or changes is None:
        return best
    if any(changes.search(one.normal) for one in (passage, *above)) or (
        change in FILE_CHANGES
        and not has_function_word(passage.normal, asked.code)
        and FILE_CHANGES[change].search(passage.normal)
    ):
        return best
    return replace(best, outcome="uncertain", why=f"does not say that it was {change}")


def _weigh_choice(
    asked: Asked,
    sentence: Parsed,
    choice: Sequence[Match],
    above: Sequence[Parsed],
    holds_last: bool,
) -> Weighed:
    rules, meant = language(asked.code), asked.meant
    found = _polarity(_as_step(sentence, rules) if asked.is_step else sentence, choice, rules)
    values = [match for match in choice if all(term.is_value for term in match.alternative.terms)]
    step = asked.is_step and not meant.all
    over = [cue for one in above for cue in _cues_over(_as_step(one, rules) if step else one)]
    denied_above = any(cue.kind in REVERSING for cue in over)
    right = (found.all or denied_above) == meant.all
    if holds_last and not denied_above:
        right = right and found.last == meant.last
    outcome: Outcome = "stated"
    why = "all groups in one sentence"
    if max(found.open, openness(over)) > meant.open:
        outcome, why = "uncertain", "only supposed or asked"
    elif not right:
        outcome = "contradicted"
        said = [
            sentence.normal[slice(*cue.at)]
            for cue in sentence.sense.cues
            if cue.kind in REVERSING
            and any(
                cue.reaches_any(one.spans) or cue.reaches_back(one.start, one.end) for one in choice
            )
        ]
        why = f'denied or replaced: "{said[0]}"' if said else "without its negation"
        why = "by the heading or lead-in above" if denied_above else why
    elif any(
        _clause_of(sentence, word.start) != _clause_of(sentence, value.start)
        and held_values(sentence.normal[slice(*_clause_of(sentence, word.start))])
        for value in values
        for word in choice
        if word not in values
    ):  # a word stands in a clause with a value of its own, and its value in another
        outcome, why = "uncertain", "the groups stand in different clauses"
    elif other := _other_time(asked, sentence, choice, above):
        outcome, why = "uncertain", other
    words = tuple(sentence.normal[match.start : match.end] for match in choice)
    return Weighed(outcome, words, why, PLAIN, width(choice))


def _as_step(sentence: Parsed, rules: Language) -> Parsed:
    """Without the negations of what is not done yet, which state a step and do not deny it."""
    open_at = [match.span() for match in rules.ahead.finditer(sentence.normal)]
    cues = tuple(
        cue
        for cue in sentence.sense.cues
        if not any(start <= cue.at[0] and cue.at[1] <= end for start, end in open_at)
    )
    return replace(sentence, sense=replace(sentence.sense, cues=cues))


def _cues_over(heading: Parsed) -> tuple[Cue, ...]:
    """The cues of a heading or lead-in, which reach all lines below it."""
    normal = heading.normal.rstrip()
    short = len(normal) <= _SHORT_HEADING and not _NAMES.search(normal)
    return heading.sense.cues if short or normal.endswith(":") else ()


def _polarity(sentence: Parsed, choice: Sequence[Match], rules: Language) -> Polarity:
    """Nested cues cancel out, and those within the words that were asked for count as well."""
    is_open = 0
    chains: list[list[tuple[Cue, bool]]] = []
    for cue in sentence.sense.cues:
        spent = [
            match
            for match in choice
            if any(start <= cue.at[0] and cue.at[1] <= end for start, end in match.spans)
        ]
        inside = spent or [match for match in choice if cue.reaches_any(match.spans)]
        behind = all(match.end <= cue.at[0] for match in choice)
        back = (
            not inside
            and behind
            and any(cue.reaches_back(match.start, match.end) for match in choice)
        )
        partly = cue.kind == "supposed" and not spent and len(inside) < len(choice)
        passive = cue.kind == "replaced" and cue.before != NOWHERE
        own = passive and any(cue.at[0] <= match.start < cue.at[1] for match in choice)
        if partly or own or not (inside or back):
            continue
        if cue.kind not in REVERSING:
            is_open = is_open if spent else max(is_open, openness([cue]))
            continue
        last = back or choice[-1] in inside
        chain = next((one for one in chains if one[-1][0].reaches(*cue.at)), None)
        if chain is None:
            chains.append([(cue, last)])
        elif not (rules.concord and {cue.kind, chain[-1][0].kind} == {"negated"}):
            chain.append((cue, last))
    return Polarity(
        any(len(chain) % 2 for chain in chains),
        any(sum(last for _, last in chain) % 2 for chain in chains),
        is_open,
    )


def _clause_of(sentence: Parsed, place: int) -> Span:
    ends = [0, *sentence.sense.starts, len(sentence.normal)]
    within = (one for one in pairwise(ends) if one[0] <= place < one[1])
    return next(within, (0, ends[-1]))


def _other_time(
    asked: Asked, sentence: Parsed, choice: Sequence[Match], above: Sequence[Parsed]
) -> str:
    """Why the sentence plans what the statement says is done, or the reverse."""
    if asked.type in _SETTLED - {"next_step"} or asked.meant.open:
        return ""
    rules = language(asked.code)
    clauses = dict.fromkeys(_clause_of(sentence, match.start) for match in choice)
    headings = [heading.normal for heading in above[-1:]]
    said = " ".join([*headings, *(sentence.normal[slice(*clause)] for clause in clauses)])
    ahead, done = rules.ahead.search(said), rules.done.search(said)
    if asked.is_step:
        return "done already" if done and not ahead else ""
    return "not done yet" if ahead and not done else ""
