"""Key groups of a fact, by rule: the words without which a faithful wording cannot do."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from pytest_compaction.text import STOPWORDS, content_stems, is_path, normalize, segments, stem


def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in text.split())


WEAK: Final = _stems(
    """able accept actual actually additional allow already also always another apply around back
    bad based basic best better bit certain change clear code common complete consider contain
    correct correctly course create current currently default different directly do done easy else
    end ensure enough entire every everything exactly existing expect extra far few file final find
    fine first fix follow full get give go going good great handle happen help high hold
    important include instead intend keep kind know last later leave less let like likely little
    look lot main make many matter mean might modify much must need new next nice normal
    note nothing old one open original part pass please possible prefer present previous
    probably problem proper properly provide put quite ran read ready real really regular
    related remain return right run same see seem separate set several shall show similar simple
    simply since single small something sort specific specify still sure take tell
    thing think today together total true try turn two use used useful usual various via want way
    well whole within without wonder work write wrong yes yet agent assistant session three four
    five six ten kept took gave came goes makes made gets got begin happening mention allowed
    according across along although away become however never none upon whether adjusts bring
    may might could would added accordingly behave behavior encounter issue"""
)
"""Stems of words that say little about a subject; no key group holds one alone."""

NEGATIVE: Final = frozenset(
    {"not", "no", "never", "without", "cannot", "none", "nor", "neither", "nothing"}
)

_UNMARKED: Final = frozenset("dont doesnt didnt cant wont shouldnt mustnt isnt arent".split())
"""Negations as typed in a hurry."""

NEGATED: Final = {
    "not found": ("not found", "missing", "no such", "cannot find", "does not exist", "unknown"),
    "not find": ("not find", "not found", "missing", "cannot find"),
    "no exported": ("no exported", "not exported", "missing export"),
    "not defined": ("not defined", "undefined", "not found"),
    "no such": ("no such", "not found", "missing", "does not exist"),
    "cannot find": ("cannot find", "not found", "missing", "no such"),
    "not modify": ("not modify", "never modify", "untouched", "unchanged", "leave as is"),
    "not change": ("not change", "never change", "untouched", "unchanged", "leave as is"),
    "not touch": ("not touch", "never touch", "untouched", "unchanged", "leave as is"),
    "not edit": ("not edit", "never edit", "untouched", "unchanged"),
    "not work": ("not work", "fails", "broken"),
    "not correct": ("not correct", "incorrect", "wrong"),
    "not correctly": ("not correctly", "incorrectly", "wrongly", "not properly"),
    "not exist": ("not exist", "missing", "not found", "no such"),
    "not support": ("not support", "unsupported", "no support"),
    "not assignable": ("not assignable", "cannot assign", "incompatible"),
}
"""Usual wordings of a negation and the word after it."""

REQUESTS: Final = _stems(
    """add adjust allow analyse analyze apply ask avoid bring build bump call cancel change check
    clean close commit compare compute convert copy create debug define delete deploy describe
    disable display do document download drop enable ensure exclude explain export expose extend
    extract filter find finish fix format generate give group handle hide implement import improve
    include increase insert install integrate investigate keep leave let limit link list load log
    look lower make mark merge migrate mock modify move open optimize order parse paste pick pin
    plot prepare prevent print publish push put raise rebase redo reduce refactor refund release
    remove rename render replace report reset resolve restore restrict retry return revert review
    rewrite round run save search select send set show simplify skip sort split start stop store
    strip summarize support swap switch test track translate treat trim try turn undo update
    upgrade upload use validate verify wait warn wrap write book order reserve schedule exchange
    examine plot inspect understand identify locate establish fetch gather
    never always don't do"""
)
"""Stems of verbs that begin a request."""


MAX_EXACT: Final = 3
OUTER: Final = "()[]{}<>\"'`,;:!?*“”‘’…|=&\\"
_PLAIN_NUMBER: Final = re.compile(r"[$€£]?\d{1,3}(?:[.,]\d{1,2})?")
_NUMBER: Final = re.compile(r"[$€£~]?\d[\d.,]*(?:%|[a-zA-Z]{1,3})?")
_MONTHS: Final = frozenset("jan feb mar apr may jun jul aug sep oct nov dec".split())
_DAY: Final = re.compile(r"\d{1,2}(?:st|nd|rd|th)?")
_INDEX: Final = re.compile(r"(?<=\w)\[\d+\]?$")
_QUOTED: Final = re.compile(r"`([^`\s]{2,60})`|\"([^\"\s]{2,60})\"|(?<!\w)'([^'\s]{2,60})'(?!\w)")
_MIXED: Final = re.compile(r"[a-z][A-Z]|[A-Za-z]_[A-Za-z]|::|^--\w|^@\w|^#\w|[A-Za-z]\d")
_CAPITALS: Final = re.compile(r"[A-Z][A-Z\d_-]{2,}")


def exact_groups(text: str) -> list[tuple[str, ...]]:
    """Exact tokens of a text in order; a plain number comes with the word that it counts."""
    quoted = {part for match in _QUOTED.finditer(text) for part in match.groups() if part}
    pieces = text.split()
    found: dict[str, None] = {}
    for place, piece in enumerate(pieces):
        token = _INDEX.sub("", piece.strip(OUTER).rstrip(OUTER + "."))
        if not token or not re.search(r"\w", token):
            continue
        before = pieces[place - 1].strip(OUTER + ".") if place else ""
        if before.casefold()[:3] in _MONTHS and _DAY.fullmatch(token):
            found[f"{before} {token}"] = None
        elif _NUMBER.fullmatch(token):
            found[_counted(token, piece, pieces[place + 1 : place + 2])] = None
        elif token in quoted or _exact(token):
            found[token] = None
    groups: list[tuple[str, ...]] = []
    for token in found:
        part = re.compile(rf"(?<![\w.]){re.escape(token)}(?![\w.])")
        if not any(token != other and part.search(other) for other in found):
            groups.append((token,))
    return groups[:MAX_EXACT]


def _counted(number: str, piece: str, following: Sequence[str]) -> str:
    """A whole number with the word that it counts, if one follows directly."""
    unit = following[0].strip(OUTER + ".") if following else ""
    ends = piece.rstrip("`'\"")[-1:] in {",", ";", ":", "."}
    counts = number.isdigit() and unit.isalpha() and unit.casefold() not in STOPWORDS
    of_day = unit.casefold() in {"am", "pm"}
    return f"{number} {unit}" if (counts or of_day) and not ends else number


def _exact(token: str) -> bool:
    normal = normalize(token)
    if normal in STOPWORDS or normal in NEGATIVE:
        return False
    if "/" in token and re.fullmatch(r"[a-z]{2,}/[a-z]{2,}", token):
        return False
    return bool(
        is_path(normal)
        or re.search(r"\d", token)
        or _MIXED.search(token)
        or _CAPITALS.fullmatch(token)
    )


def telling(key: str) -> bool:
    """Whether an alternative identifies something alone: a path, a name, a long number."""
    key = key.strip()
    if " " in key:
        return any(telling(part) for part in key.split())
    if is_path(normalize(key)):
        return True
    if _NUMBER.fullmatch(key):
        digits = sum(char.isdigit() for char in key)
        return digits > 3 or (digits == 3 and not key.isdigit())
    return len(key) > 3 and bool(_MIXED.search(key) or _CAPITALS.fullmatch(key) or "-" in key)


def small_number(key: str) -> bool:
    """Whether an alternative is only a number of up to three digits, which occurs everywhere."""
    return bool(_PLAIN_NUMBER.fullmatch(key.strip()))


def weak_alone(key: str) -> bool:
    """Whether an alternative says nothing by itself: a small number, or one ordinary word."""
    return small_number(key) or (" " not in key.strip() and not telling(key))


Groups = tuple[tuple[str, ...], ...]
MAX_GROUPS: Final = 4
MAX_KEY: Final = 200
"""The most characters of an alternative."""
_BEFORE_VERBS: Final = frozenset(
    ["", *"to should must will can and then not please let never".split()]
)
"""Words before a verb; a request begins with one."""
_STARTS: Final = re.compile(r"(?:[:;,(–—]|\s-)\s*$")
"""What a new clause begins after."""
_MODAL: Final = re.compile(
    r"\b(?:should|must|shall|needs? to|has to|have to|may only|can only)\s+(?:always |only )?(\w+)",
    re.I,
)
_LEADING_VERBS: Final = frozenset(
    "make let leave keep do don't never always handle put apply ensure".split()
)
_WORD: Final = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_ADVERB: Final = re.compile(r"\w{3,}ly$")
_VERBAL: Final = re.compile(r"\w{3,}(?:ing|ed)$")

Frequency = Callable[[str], int]
"""How many messages of the log hold a stem."""


@dataclass(frozen=True, slots=True)
class _Word:
    """A word of a text, as written, its place in characters, and whether it is a verb there."""

    text: str
    place: int
    verbal: bool

    @property
    def stem(self) -> str:
        return stem(self.text.casefold())


def keys_of(text: str, frequency: Frequency) -> Groups:
    """Key groups for what a text says; empty if it has no words that tell."""
    groups = exact_groups(text)
    negation = _negation(text)
    denied = negation[0].partition(" ")[2] if negation else ""
    others = [group for group in groups if denied not in map(str.casefold, group)]
    if others and len(others) < len(groups):
        # "5 tries, not 3": what stands is enough.
        groups = others
    elif negation:
        groups.append(negation)
    # What a negation or an exact token already holds is not asked for twice.
    held = set(content_stems(normalize(" ".join(key for group in groups for key in group))))
    words = [word for word in _words(text) if word.stem not in held]
    near = text.find(groups[0][0]) if len(groups) == 1 and not negation else -1
    best = _best(words, _wanted(groups, words), frequency, near)
    groups += [(word.text,) for word in best]
    return _sound(groups[:MAX_GROUPS])


def task_keys(text: str, frequency: Frequency) -> Groups:
    """Key groups for what is to be done: first the verb, if the text begins with a request."""
    words = re.findall(r"[\w'’-]+", text)
    verb = words[0].casefold() if words else ""
    groups = keys_of(text, frequency)
    held = {part.casefold() for group in groups for key in group for part in key.split()}
    modal = _MODAL.search(text)
    if not _tells_task(verb):
        verb = modal[1].casefold() if modal else ""
    if not groups or not _tells_task(verb) or verb in held or _negation(text):
        return groups
    return ((verb,), *groups)[:MAX_GROUPS]


def _tells_task(verb: str) -> bool:
    """Whether a verb says what is to be done; "make" and "let" only lead to what does."""
    return stem(verb) in REQUESTS and verb not in _LEADING_VERBS


def role_keys(text: str, name: str, frequency: Frequency) -> Groups:
    """Two key groups: a name, and the words that tell its role, of which one must stand by it."""
    own = set(content_stems(normalize(name)))
    words = [word for word in _words(text) if word.stem not in own]
    others = [group[0] for group in exact_groups(text) if name not in group[0]]
    role = (*(word.text for word in _best(words, 4, frequency)), *others)
    return _sound([(name,), role]) if role else ()


def identifier_keys(*names: str) -> Groups:
    """Key groups of names that all must be there, each as it is written."""
    return _sound([(name,) for name in names])


def given_away(question: str, keys: Groups, text: str) -> bool:
    """Whether a sentence of a question holds what a fact asks for, whatever it says about it."""
    for sentence in segments(question):
        held = set(content_stems(normalize(sentence)))
        if not keys and set(content_stems(normalize(text))) <= held:
            return True
        if keys and all(any(_stems_of_key(key) <= held for key in group) for group in keys):
            return True
    return False


def _stems_of_key(key: str) -> set[str]:
    normal = normalize(key)
    if " " not in normal and is_path(normal):
        return {normal.rpartition("/")[2]}
    return set(content_stems(normal)) or {normal}


def _words(text: str) -> list[_Word]:
    """The content words of a text that are neither exact nor weak."""
    exact = {key for group in exact_groups(text) for key in group[0].split()}
    found: dict[str, _Word] = {}
    low = ""
    for match in _WORD.finditer(text):
        word = match[0].strip("'’-")
        starts = _STARTS.search(text[max(0, match.start() - 3) : match.start()])
        before, low = "" if starts else low, word.casefold()
        negative = low in NEGATIVE | _UNMARKED or low.endswith(("n't", "n’t"))
        if len(low) < 3 or low in STOPWORDS or negative:
            continue
        part = re.compile(rf"(?<!\w){re.escape(word)}(?!\w)")
        if stem(low) in WEAK or re.search(r"['’]", word) or any(map(part.search, exact)):
            continue
        # It rather says what is done than what it is done to.
        verbal = (before in _BEFORE_VERBS and stem(low) in REQUESTS) or bool(_VERBAL.match(low))
        found.setdefault(stem(low), _Word(word, match.start(), verbal))
    return list(found.values())


def _wanted(groups: Sequence[tuple[str, ...]], words: Sequence[_Word]) -> int:
    """Number of words of the subject that the groups still need."""
    strong = sum(any(telling(key) for key in group) for group in groups)
    if len(groups) > 2 or (strong and len(groups) > 1):
        return 0
    if strong:
        return 1
    wanted = 3 - len(groups)
    things = sum(not word.verbal for word in words)
    # What is done is worded in many ways; what it is done to keeps its name.
    least = 2 if len(words) + len(groups) < 4 else 3
    return min(wanted, max(things, least - len(groups)), len(words))


def _best(words: Sequence[_Word], wanted: int, frequency: Frequency, near: int = -1) -> list[_Word]:
    """The most telling words in the order of the text; next to the place ``near`` if given."""
    if wanted <= 0:
        return []

    def weight(word: _Word) -> tuple[bool, bool, bool, int, int, int]:
        low = word.text.casefold()
        times = frequency(word.stem)
        # A compound is a term, whatever its parts are.
        rare, times = (False, 0) if "-" in low else (times < 2, times)
        far = 0 if near < 0 else abs(word.place - near)
        return (word.verbal, rare, bool(_ADVERB.match(low)), far, times, word.place)

    return sorted(sorted(words, key=weight)[:wanted], key=lambda word: word.place)


def _negation(text: str) -> tuple[str, ...]:
    """A group with the first negation of a text and the word that it negates; empty if none."""
    words = re.findall(r"[^\W_]+(?:['’.-][^\W_]+)*", text)
    for place, word in enumerate(words):
        low = word.casefold().replace("’", "'")
        if low not in NEGATIVE | _UNMARKED and not low.endswith("n't"):
            continue
        if words[place + 1 : place + 2] == ["such"]:
            return NEGATED["no such"]
        after = [
            other.casefold()
            for other in words[place + 1 : place + 6]
            if other.casefold() not in STOPWORDS and other.casefold() not in {"longer"}
        ]
        if not after:
            continue
        negated = after[0]
        sign = low if low in {"no", "cannot"} else "not"
        for phrase, forms in NEGATED.items():
            if phrase.split()[0] == sign and stem(phrase.split()[1]) == stem(negated):
                return forms
        signs = dict.fromkeys((low, "not", "never", "no", "without"))
        return tuple(f"{each} {negated}" for each in signs)
    return ()


def _sound(groups: Iterable[tuple[str, ...]]) -> Groups:
    """Groups without repetition, or none at all if what they hold could be anything."""
    kept: dict[tuple[str, ...], None] = {}
    for group in groups:
        alternatives = tuple(dict.fromkeys(key for key in group if 0 < len(key) <= MAX_KEY))
        if alternatives:
            kept[alternatives] = None
    found = tuple(kept)
    if len(found) == 1 and all(weak_alone(key) for key in found[0]):
        return ()
    return found
