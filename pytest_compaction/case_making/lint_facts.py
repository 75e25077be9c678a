"""Checks of questions, facts, keys, traps and options, and of what the log leaves to lose."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Literal, NamedTuple

from pytest_compaction.case import Case, Choice, Fact, Probe
from pytest_compaction.case_making.keys import given_away, small_number
from pytest_compaction.case_making.log import states
from pytest_compaction.case_making.phrases import finished
from pytest_compaction.case_making.points import assumed_tail_room, assumed_tail_start
from pytest_compaction.case_making.selection import keys_agree, keys_too_loose, states_alone
from pytest_compaction.conversation import shared_counter
from pytest_compaction.metrics import GIVERS, against, liftings, since_given, view_index
from pytest_compaction.rubric import CRITERIA, Criterion
from pytest_compaction.text import (
    TextIndex,
    is_path,
    language_of,
    normalize,
    printable,
)

Level = Literal["error", "warning"]

MAX_WORDS_WITHOUT_KEYS: Final = 6
"""A longer text is a sentence, of which a faithful rewording keeps only the key phrases."""


class _Denials(NamedTuple):
    """How the sentences of a language are denied, to alter one."""

    negation: re.Pattern[str]
    affirmed: Mapping[str, str]
    """What takes the place of a negation, where it is not just left out."""
    verb: re.Pattern[str]
    denied: str
    """A verb with its negation."""


_DENIALS: Final = {
    "en": _Denials(
        re.compile(
            r"n't\b|\b(?:cannot|(?:do|does|did) not|not|never|no longer|no|without|nothing|nobody|"
            r"none)\b",
            re.I,
        ),
        {
            "cannot": "can",
            "without": "with",
            "nothing": "everything",
            "nobody": "everybody",
            "none": "all",
        },
        re.compile(
            r"\b(?:is|are|was|were|has|have|had|can|could|will|would|should|must|does|do|did|may)\b",
            re.I,
        ),
        "{} not",
    ),
    "de": _Denials(
        re.compile(
            r"(?<!, )\b(?:nicht mehr|nicht|niemals|nie|kein(?:e[mnrs]?)?|ohne|nichts|niemand)\b",
            re.I,
        ),
        {f"k{article}": article for article in "ein eine einem einen einer eines".split()}
        | {"ohne": "mit", "nichts": "alles", "niemand": "jeder"},
        re.compile(
            r"\b(?:ist|sind|war|waren|wird|werden|wurden?|hat|haben|kann|können|soll|sollen|muss|"
            r"müssen|darf|dürfen|bleibt|bleiben)\b",
            re.I,
        ),
        "{} nicht",
    ),
    "zh": _Denials(
        re.compile("不得|不再|(?<!而)不(?![仅但过同])|没有|没|未|禁止|严禁|请勿|勿|无法|无需"),
        {
            "不得": "可以",
            "无法": "可以",
            "无需": "需要",
            "未": "已",
            "禁止": "允许",
            "严禁": "允许",
        },
        re.compile("是|必须|应该|应|要(?!求)|会|能|可以|采用|使用"),
        "不{}",
    ),
}
_WHOLE_NUMBER: Final = re.compile(r"(?<![\w.,/:#-])\d+(?![\w./:-]|[.,]\d)", re.A)
_SAID: Final = frozenset({"user", "assistant"})
_SAYING: Final = frozenset({"state", "reason", "decision", "constraint", "next_step", "error"})
"""Types of facts whose text is a statement, not a name or a value."""
_MIDDLE: Final = re.compile(
    r"(?:that|this|it|they|these|those) (?:should|must|is|was|are|were|will|would|has|had|does)\b"
    r"|with the use of\b|due to\b|(?:and|but|which|so that)\b",
    re.I,
)
_WORD: Final = re.compile(r"\w+(?:['’]\w+)?")
_NAMES_A_RULE: Final = re.compile(
    r"\b(?:rules?|constraints?|restrictions?|instruct(?:ed|ions?)|forbidden|prohibited|"
    r"not allowed|as (?:asked|told|agreed|requested)|(?:you|user) (?:said|asked|told|wants?))\b",
    re.I,
)


_BINDS: Final = re.compile(
    r"""
    \b(?:never|always|only|must|shall|should|nothing|nobody|no|none|neither|not|\w+n['’]t
      |until|unless|before|within|without|every|each|at\ most|at\ least|more\ than
      |less\ than|exactly|limited\ to|forbidden|banned|frozen|sealed|allowed|required|refused?|due
      |keeps?|kept|stays?
      |remains?|left\ alone|carr(?:y|ies)|(?:start|begin)s?\ with|(?:has|have|is|are)\ to)\b
    | \bmay\b(?!\ be\b) | \b(?:is|are)\ (?:written|asked|given|sent|named)\b | \bfrom\ \d\S*\ to\ \d
    | ^(?:an?|new|all|any)\s | ^one\ \w+\ (?:a|per)\b
    """,
    re.I | re.X,
)
"""Words of a sentence that binds later turns; of any thing of a kind it says how it has to be."""
_TELLS: Final = re.compile(
    r"""
    \?\s*$
    | \bthe\ (?:user|agent|assistant)\ (?:thinks?|wants?|wanted|made|doubts?|does\ not\ think)\b
    | (?<!\bwho\ )(?<!\bwhat\ )\b(?:was|were|has\ been)\b | \bmight\b | \bcan(?:not|['’]t|\ only)\b
    | \bneed\ not\b | \bneedless\b | ^there\ (?:is|are)\b | \bis\ (?:for|really)\b
    | \bare\ not\ \w+ed\ in\b
    """,
    re.I | re.X,
)
"""Words of a sentence that tells how things are or went, or asks."""


class Remark(NamedTuple):
    """A finding of a check: the place in the case file, the rule, and a sentence."""

    pointer: str
    rule: str
    text: str
    level: Level | None = None


def quoted(text: str) -> str:
    """A text for a remark: printable and short, in quotation marks."""
    return f"“{printable(text, 80)}”"


def numbered_facts(case: Case) -> Iterator[tuple[Probe, Fact, str]]:
    """Every fact with its probe and its place in the file."""
    for number, probe in enumerate(case.probes):
        for index, fact in enumerate(probe.facts):
            yield probe, fact, f"/probes/{number}/facts/{index}"


def check_questions(case: Case) -> Iterator[Remark]:
    """Leaks, repetitions, and traps that the facts themselves fall into."""
    questions: dict[tuple[int, str], int] = {}
    for number, probe in enumerate(case.probes):
        place = f"/probes/{number}"
        first = questions.setdefault((probe.point, normalize(probe.question)), number)
        if first != number:
            text = f"repeats the question of /probes/{first} at the same point"
            yield Remark(f"{place}/question", "duplicate-question", text)
        yield from _repeated_facts(probe, place)
        yield from _traps(probe, place)
    yield from _same_facts(case)


def _repeated_facts(probe: Probe, place: str) -> Iterator[Remark]:
    seen: dict[str, int] = {}
    for index, fact in enumerate(probe.facts):
        pointer, said = f"{place}/facts/{index}", quoted(fact.text)
        if _leaked(probe, fact):
            yield Remark(pointer, "leak", f"the question itself states {said}")
        first = seen.setdefault(normalize(fact.text), index)
        if first != index:
            text = f"repeats the fact {place}/facts/{first}: {said}"
            yield Remark(pointer, "duplicate-fact", text)
            continue
        for other, earlier in enumerate(probe.facts[:index]):
            if states(fact.text, earlier) or states(earlier.text, fact):
                text = f"{said} and {place}/facts/{other} partly state the same"
                yield Remark(pointer, "overlapping-fact", text)
                break


def _traps(probe: Probe, place: str) -> Iterator[Remark]:
    answer = TextIndex("\n".join(fact.text for fact in probe.facts))
    seen: dict[tuple[str, str | None], int] = {}
    for index, trap in enumerate(probe.traps):
        pointer, said = f"{place}/traps/{index}", quoted(trap.text)
        if trap.hit_by(answer):
            yield Remark(pointer, "trap-is-true", f"the facts themselves fall into the trap {said}")
        first = seen.setdefault((normalize(trap.text), trap.of), index)
        if first != index:
            yield Remark(
                pointer, "duplicate-trap", f"repeats the trap {place}/traps/{first}: {said}"
            )


def _leaked(probe: Probe, fact: Fact) -> bool:
    """Whether a question holds a fact; that it only asks for it makes no difference."""
    question = probe.question
    if probe.choice is not None:
        return states(question, fact)
    if fact.keys:
        return given_away(question, fact.keys, fact.text)
    return any(given_away(question, (), form) for form in fact.forms)


def _same_facts(case: Case) -> Iterator[Remark]:
    """Probes whose facts are all asked for by another probe at the same point."""
    asking = [
        (number, probe.point, frozenset(normalize(fact.text) for fact in probe.facts))
        for number, probe in enumerate(case.probes)
        if probe.choice is None
    ]
    for number, point, facts in asking:
        for other, there, more in asking:
            held = facts < more or (facts == more and other < number)
            if other != number and there == point and held:
                text = f"/probes/{other} asks for all of its facts too"
                yield Remark(f"/probes/{number}", "duplicate-facts", text)
                break


def check_keys(case: Case) -> Iterator[Remark]:
    """Facts and traps whose keys are missing, contradict their text, or match too much."""
    for number, probe in enumerate(case.probes):
        for index, fact in enumerate(probe.facts):
            yield from _keys(probe, fact, f"/probes/{number}/facts/{index}")
        for index, trap in enumerate(probe.traps):
            if not keys_agree(trap):
                text = f"the keys of {quoted(trap.text)} ask for more than its text says"
                yield Remark(f"/probes/{number}/traps/{index}", "keys-disagree", text)


def _keys(probe: Probe, fact: Fact, pointer: str) -> Iterator[Remark]:
    said, keys = quoted(fact.text), quoted(" + ".join(map("|".join, fact.keys)))
    if not fact.keys:
        words = fact.text.split()
        if len(words) > MAX_WORDS_WITHOUT_KEYS and not is_path(normalize(fact.text)):
            text = f"{said} is a sentence: give key phrases with alternatives"
            yield Remark(pointer, "keys-missing", text)
        return
    if not keys_agree(fact):
        text = f"text and keys disagree: {said} does not state {keys}"
        yield Remark(pointer, "keys-disagree", text)
    for how, wrong in _altered(fact):
        if states_alone(wrong, fact):
            text = f"the keys {keys} accept the fact with {how}, {quoted(wrong)}: name it in a key"
            level: Level | None = "warning" if fact.language == "zh" else None
            yield Remark(pointer, "keys-accept-opposite", text, level)
            break
    for trap in probe.traps:
        if keys_too_loose(fact, trap):
            text = f"the keys {keys} also match the trap {quoted(trap.text)}"
            yield Remark(pointer, "keys-too-loose", text)
    if len(fact.keys) == 1 and any(small_number(key) for key in fact.keys[0]):
        text = f"{keys} alone stands in many places: add a group for its subject"
        yield Remark(pointer, "small-number", text)


def _altered(fact: Fact) -> Iterator[tuple[str, str]]:
    """The text with a negation less, a negation more, and each of its numbers changed."""
    text = fact.text
    denials = _DENIALS.get(language_of(text, fact.language))
    if denials is None:
        return
    denied = list(denials.negation.finditer(text))
    for match in denied:
        instead = denials.affirmed.get(match[0].lower(), "")
        yield "its negation taken out", f"{text[: match.start()]}{instead}{text[match.end() :]}"
    if not denied and (verb := denials.verb.search(text)):
        said = denials.denied.format(verb[0])
        yield "a negation put in", f"{text[: verb.start()]}{said}{text[verb.end() :]}"
    for match in _WHOLE_NUMBER.finditer(text):
        number = int(match[0]) + 7
        yield "another number", f"{text[: match.start()]}{number}{text[match.end() :]}"


def check_wording(case: Case) -> Iterator[Remark]:
    """Rules that bind nothing, and fragments."""
    for _, fact, pointer in numbered_facts(case):
        yield from _wording_of_fact(fact, pointer)


def _wording_of_fact(fact: Fact, pointer: str) -> Iterator[Remark]:
    said = quoted(fact.text)
    english = fact.statement.language == "en"  # the words that bind are English ones
    if (
        english
        and fact.type == "constraint"
        and not (_BINDS.search(fact.text) and not _TELLS.search(fact.text))
    ):
        text = f"{said} binds no later turn: say what must or must not be done, or change its type"
        yield Remark(pointer, "no-rule", text)
    cut = finished(fact.text) != fact.text or _MIDDLE.match(fact.text)
    if fact.type in _SAYING and cut:
        text = f"{said} is the middle of a sentence: say what it is about"
        yield Remark(pointer, "fragment", text)


def check_choices(case: Case) -> Iterator[Remark]:
    """Constraints that do not stand or that nobody gave, and options that are alike or tell."""
    for number, probe in enumerate(case.probes):
        if probe.choice is not None:
            for index, fact in enumerate(probe.facts):
                yield from _constraint(case, probe, fact, f"/probes/{number}/facts/{index}")
            yield from _options(probe.choice, f"/probes/{number}/options")


def _constraint(case: Case, probe: Probe, fact: Fact, pointer: str) -> Iterator[Remark]:
    said, later = quoted(fact.text), since_given(fact, case, probe.point)
    if lifted := next(liftings(fact, later), None):
        message, words = lifted
        text = f"{said} no longer stands: {message.id} says {quoted(words)}"
        yield Remark(pointer, "not-standing", text)
    elif doubted := next(against(fact, later), None):
        message, words = doubted
        text = f"{message.id} says {quoted(words)}: does {said} still stand?"
        yield Remark(pointer, "not-standing", text, "warning")
    if not any(m.id in fact.evidence and m.role in GIVERS for m in case.messages):
        text = f"no turn of the user or system in the evidence states {said}"
        yield Remark(pointer, "not-given", text)


def _options(choice: Choice, pointer: str) -> Iterator[Remark]:
    options = {"complying": choice.complying, "other": choice.other}
    one, other = (_WORD.findall(option.casefold()) for option in options.values())
    if one == other:
        yield Remark(pointer, "same-options", f"both options say {quoted(choice.complying)}")
    for name, option in options.items():
        if names := _NAMES_A_RULE.search(option):
            text = f"{quoted(names[0])} tells which option complies: say only what is done"
            yield Remark(f"{pointer}/{name}", "option-tells", text)


def check_sizes(case: Case, tail: int | None) -> Iterator[Remark]:
    """Logs of which too little can be lost, and facts in the tail that every strategy keeps."""
    counter = shared_counter()
    sizes = [counter.message(message) for message in case.messages]
    log = case.log_until(-1)
    total = sum(sizes[: len(log)])
    fits = total <= case.budget
    spoken = sum(counter.text(message.text) for message in log if message.role in _SAID)
    if fits:
        text = (
            f"the log takes {total:,} tokens and fits the budget of {case.budget:,}: "
            "nothing needs to be compacted"
        )
        yield Remark("/budget", "fits-budget", text)
    elif spoken <= case.budget:
        text = (
            f"what was said takes {spoken:,} tokens and fits the budget of {case.budget:,}: "
            "a strategy that keeps it and drops all tool output loses little"
        )
        yield Remark("/budget", "said-fits-budget", text)
    yield from _empty_dimensions(case)
    yield from _kept_by_tail(case, sizes, tail, fits)


def _empty_dimensions(case: Case) -> Iterator[Remark]:
    facts = [fact for probe in case.probes for fact in probe.facts]
    by_dimension: dict[str, list[Criterion]] = {}
    for criterion in CRITERIA:
        if criterion.types:
            by_dimension.setdefault(criterion.dimension, []).append(criterion)
    empty = {
        dimension: sorted({type for criterion in criteria for type in criterion.types})
        for dimension, criteria in by_dimension.items()
        if not any(each.reads(fact.type, fact.change) for each in criteria for fact in facts)
    }
    if empty:
        read = "; ".join(f"{name} reads {', '.join(types)}" for name, types in empty.items())
        text = f"no fact counts for {', '.join(empty)} ({read})"
        yield Remark("/probes", "empty-dimension", text)


def _kept_by_tail(
    case: Case, sizes: Sequence[int], tail: int | None, fits: bool
) -> Iterator[Remark]:
    """Facts in the tail; of bare paths not even all: a tail may not say what was done to one."""
    room = assumed_tail_room(case.budget) if tail is None else tail
    tails = {}
    for point in {probe.point for probe in case.probes if probe.kind != "continuation"}:
        end = case.points[point].index + 1
        tails[point] = view_index(case.messages[assumed_tail_start(sizes, end, room) : end])
    for number, probe in enumerate(case.probes):
        if probe.kind == "continuation":
            continue
        kept = [tails[probe.point].is_stated(fact.statement) for fact in probe.facts]
        paths = any(f.change is None and is_path(normalize(f.text)) for f in probe.facts)
        useless = all(kept) and not fits and not paths
        whole = ", and with it all facts of this probe" if useless else ""
        for place, fact in enumerate(probe.facts):
            if kept[place]:
                text = (
                    f"the tail before the question ({room:,} tokens, at least the last message) "
                    f"states {quoted(fact.text)}: every strategy that keeps a tail keeps "
                    f"it{whole}"
                )
                pointer = f"/probes/{number}/facts/{place}"
                yield Remark(pointer, "kept-by-tail", text, "error" if useless else None)
