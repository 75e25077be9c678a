"""Which words and set expressions stand for one another, irregular forms, and opposites.

``synonyms.txt`` is the list for the words of keys, of which each decides alone; its head says how
it is read. ``GROUPS`` are wider and count only in part, where the share of a statement's words
decides. No group holds neighbouring but different things ("created" and "changed", "always" and
"often").
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from importlib import resources
from itertools import islice, takewhile
from typing import Final

from pytest_compaction.text.words import stem

SHORT_STEM: Final = 2
"""Letters of a stem that is the beginning of its words, as "be" is of "being"."""

_IRREGULAR: Final = """
arise arose arisen|become became|begin began begun|bend bent|bind bound|blow blew blown
break broke broken|bring brought|build built|burn burnt|buy bought|catch caught
choose chose chosen|cling clung|come came|creep crept|deal dealt|dig dug|draw drew drawn
drink drank drunk|drive drove driven|eat ate eaten|fall fell fallen|feed fed|feel felt
fight fought|find found|flee fled|fly flew flown|forbid forbade forbidden
forget forgot forgotten|freeze froze frozen|get got gotten|give gave given|go went gone
grow grew grown|hang hung|hear heard|hide hid hidden|hold held|keep kept|know knew known
lead led|lend lent|lose lost|make made|mean meant
meet met|mistake mistook mistaken|overwrite overwrote overwritten|pay paid|prove proven
rebuild rebuilt|rerun reran|resend resent|rewrite rewrote rewritten|ride rode ridden
ring rang rung|rise rose risen|run ran|say said|see saw seen|seek sought|sell sold|send sent
shake shook shaken|shoot shot|show shown|shrink shrank shrunk|sing sang sung|sink sank sunk
sit sat|sleep slept|speak spoke spoken|spend spent|spin spun|stand stood|steal stole stolen
stick stuck|strike struck stricken|swear swore sworn|sweep swept|swim swam swum|swing swung
take took taken|teach taught|tear tore torn|tell told|think thought|throw threw thrown
undergo underwent undergone|understand understood|undo undid undone|wake woke woken
wear wore worn|weave wove woven|win won|withdraw withdrew withdrawn|write wrote written
child children|foot feet|index indices|life lives|man men|matrix matrices|mouse mice|person people
tooth teeth|woman women
"""
_BASES: Final = {
    form: base
    for entry in _IRREGULAR.replace("\n", "|").split("|")
    if entry
    for base, *forms in [entry.split()]
    for form in forms
}


IRREGULAR_FORMS: Final = {
    base: tuple(form for form, of in _BASES.items() if of == base)
    for base in dict.fromkeys(_BASES.values())
}
"""The irregular forms of each base form that has some."""


_FORMS: Final = {
    stem(base): tuple(dict.fromkeys(stem(form) for form in (base, *forms)))
    for base, forms in IRREGULAR_FORMS.items()
}


def forms_of(root: str) -> tuple[str, ...]:
    """The stems of the forms of a word, the regular and the irregular ones, by its own stem."""
    return _FORMS.get(stem(_BASES.get(root, root)), (root,))


def base_form(word: str) -> str:
    """The base of an irregular form; any other word comes back unchanged."""
    return _BASES.get(word, word)


@lru_cache(maxsize=65536)
def base_stem(word: str) -> str:
    """The stem of a word in lower case; an irregular form has the stem of its base."""
    return stem(_BASES.get(word, word))


_GROUPS: Final = """
abandon drop discard scrap|accept approve agree endorse|accuse allege charge
achieve attain reach accomplish|acquire obtain get gain receive|add append insert introduce
aim goal objective purpose target|allow permit let enable|also additionally furthermore too
amount quantity sum|annually yearly|answer reply respond response
apologise apologize sorry apology|appear seem look|argue contend|argument parameter
arrest detain detention custody|ask request inquire query|assault attack
assert claim maintain insist|assist help aid support|attempt try effort
attorney lawyer solicitor counsel|average mean|ban prohibit forbid bar outlaw|beat defeat overcome
begin start commence initiate launch kick|believe think consider feel|benefit advantage
big large huge great enormous massive giant|boundary border|boy lad|bug defect fault
build construct assemble|business company firm corporation enterprise|buy purchase|capture catch
car vehicle automobile|cause trigger provoke prompt|chance opportunity possibility
change modify alter amend adjust edit update revise|cheap inexpensive affordable low-cost
check verify validate confirm inspect examine|child kid youngster|choose select pick opt decide
city town|clear obvious evident|close shut|collect gather|combine merge join unite consolidate
command instruction order|complete finish conclude done end|concern worry anxiety
config configuration settings setup|connect link attach|constant steady unchanging
consumer customer client buyer shopper|contest competition tournament
convict guilty sentence conviction|cope deal manage|correct right accurate|cost price expense
country nation state|couple pair|crash collision wreck|create make produce generate
current present|damage harm hurt|danger risk hazard peril|database db|dead die death deceased kill
decide determine resolve settle|decision choice verdict ruling|default standard
delay postpone defer|delete remove erase eliminate strip|demand require need
deny refuse reject decline|depart leave exit|dependency dependencies deps package library
describe depict portray|desire want wish|destroy demolish ruin|develop evolve|dict dictionary
difference gap discrepancy|different distinct differ|difficult hard tough|directory folder dir
disclose reveal unveil expose divulge|discover find detect spot identify locate uncover
discuss talk debate|disease illness sickness|dispute disagree contest|doc docs documentation
doctor physician|duplicate copy repeated|earlier previously former prior before past
earth world globe|easy simple straightforward|emphasize stress highlight underline
employ hire recruit appoint|employee worker staff|empty blank|ensure guarantee|env environment
error exception failure|escape flee|event incident|exact precise|exceed surpass|execute run invoke
expect anticipate await|explain clarify|extra additional further|fail failure
fall drop decline decrease|fast quick rapid swift speedy|father dad|field column attribute
film movie|final last ultimate|fire sack dismiss axe|fix repair solve patch|flag option
flaw defect weakness|force compel oblige|forecast predict prediction|frequent often
friend pal mate|function method routine|game match fixture|give provide supply offer grant
glad happy pleased delighted|grow increase rise expand raise|gun firearm pistol weapon
happen occur|hate loathe detest|house home residence|hurt injure wound injury|id identifier
idea notion concept|ignore disregard skip|image picture photo photograph pic snapshot
important significant crucial key vital|imprison jail prison imprisonment
improve enhance better improvement|inform notify tell|initial first original
inquiry investigation probe|instance example|intend plan intention|investigate probe examine
issue problem trouble|journey trip travel|judge justice|keep retain preserve
kill murder slay homicide|kind type sort|law legislation|limit restrict cap ceiling maximum max
live reside|message msg|minimum min least|mistake error|money cash funds|mother mum mom
move migrate relocate shift transfer|near close|need require must|normal usual ordinary
note notice observe|number count|nurse medic|obey comply|old aged|omit skip exclude|open launch
option alternative choice|output result|own possess have|pair couple duo|parse read|pay fund
permission authorisation authorization|person individual people|phase stage step
place location site spot|plan intend scheme|police officer cops|prefer favour favor
pregnant expecting|prevent avoid stop block|prod production|progress advance|proof evidence
propose suggest recommend advise|protect guard shield secure|publish release|pupil student
quarrel argue|quit resign|reduce decrease lower shrink|repo repository|report account
reporter journalist|rescue save|result outcome consequence|retry reattempt|rich wealthy
roughly approximately about around circa|rule regulation
say state declare announce tell mention note comment|schedule plan|schema structure
search seek hunt look|see view watch witness|send dispatch transmit deliver|separate split divide
shoot gunshot shot|shop store supermarket|show display demonstrate present|sick ill unwell
similar alike|singer star vocalist|sluggish slow|smart clever intelligent|soldier troops
sole only single|stay remain|steal theft rob robbery|stop halt cease|store save persist
strange odd weird unusual|street road|strike hit|strong powerful|struggle battle fight
study research|subsequent later following next|substitute replace swap|success victory win triumph
sufficient enough adequate|surprise shock astonish|survive survivor|talk speak|task job
teacher instructor|team side squad club|temp temporary|terrorist militant extremist jihadist
test exam|tie draw|transform convert|trial hearing court|unbeaten undefeated|understand comprehend
unsuccessful fail failed|upgrade bump|use utilize utilise|user account|var variable|vast huge
video footage clip|wage salary pay|wait await|war conflict|warn caution alert
wed marry marriage wedding|whole entire complete full|wife husband spouse
wonderful excellent superb|wrong incorrect false
"""
GROUPS: Final = tuple(_GROUPS.strip().replace("\n", "|").split("|"))
"""Groups of words with one sense, each the words with spaces between."""


class StemIndex:
    """Rows of a table by the stem of a word of theirs, which is read only when asked for.

    To stem the whole list takes longer than most runs have to wait for it. A stem and its word
    differ from the stem's last letter on, so the words to stem stand side by side in the alphabet.
    """

    def __init__(self, rows: Iterable[tuple[str, int]]) -> None:
        found: dict[str, list[int]] = defaultdict(list)
        for word, row in rows:
            found[word].append(row)
        self._rows = found
        self._words = sorted(found)

    def rows(self, root: str) -> list[int]:
        """The numbers of the rows that hold a word with this stem, in order, each once."""
        shared = root[:-1] if len(root) > SHORT_STEM else root
        start = bisect_left(self._words, shared)
        words = takewhile(lambda word: word.startswith(shared), islice(self._words, start, None))
        return sorted({row for word in words if stem(word) == root for row in self._rows[word]})


Entry = tuple[str, ...]
"""The words of one entry of the list; several for a set expression."""


@lru_cache(maxsize=1)
def listed_groups() -> tuple[tuple[Entry, ...], ...]:
    """The groups of ``synonyms.txt``."""
    text = resources.files(__package__).joinpath("synonyms.txt").read_text("utf-8")
    lines = (line for line in text.splitlines() if line and not line.startswith("#"))
    return tuple(tuple(tuple(entry.split()) for entry in line.split(",")) for line in lines)


@lru_cache(maxsize=1)
def _sense_words() -> StemIndex:
    listed = ([entry[0] for entry in group if len(entry) == 1] for group in listed_groups())
    numbered = enumerate([*map(str.split, GROUPS), *listed])
    return StemIndex((base_form(word), number) for number, group in numbered for word in group)


@lru_cache(maxsize=65536)
def senses(root: str) -> frozenset[int]:
    """The numbers of the groups that hold a word with this stem."""
    return frozenset(_sense_words().rows(root))


_SPELLINGS: Final = tuple(
    (re.compile(pattern), spelling)
    for pattern, spelling in (
        (r"(?<=[a-z]{2})our(?=$|s|ed|ing|al|ful)", "or"),
        (r"(?<=(?:col|vol|fav|hon|lab|hum|nei|eho|avi))or(?=$|s|ed|ing|al)", "our"),
        (r"(?<=[a-z]{3})is(?=e$|es$|ed$|ing$|ation)", "iz"),
        (r"(?<=[a-z]{3})iz(?=e$|es$|ed$|ing$|ation)", "is"),
        (r"(?<=[a-z])ys(?=e$|es$|ed$|ing$)", "yz"),
        (r"(?<=[a-z])yz(?=e$|es$|ed$|ing$)", "ys"),
        (r"(?<=[a-z]{2}[aeiou])ll(?=ed$|ing$)", "l"),
        (r"(?<=[bcdnv][aeo])l(?=ed$|ing$)", "ll"),
        (r"tre(?=$|s$)", "ter"),
        (r"(?<=cen)ter(?=$|s$)", "tre"),
        (r"ogue(?=$|s$)", "og"),
        (r"(?<=al)og(?=$|s$)", "ogue"),
    )
)


Expression = tuple[str, ...]
"""The stems of a set expression of several words, irregular forms by their base."""


def expression_key(expression: Expression) -> str:
    """What a sentence that holds the expression can be asked by; no word has a space."""
    return " ".join(expression)


@lru_cache(maxsize=1)
def _entry_groups() -> tuple[tuple[Entry, ...], ...]:
    """The irregular forms of each word, and the groups of the list."""
    irregular = (((base,), *((form,) for form in forms)) for base, forms in IRREGULAR_FORMS.items())
    return (*irregular, *listed_groups())


@lru_cache(maxsize=1)
def _words() -> StemIndex:
    """The groups by the words that are entries of theirs."""
    numbered = enumerate(_entry_groups())
    return StemIndex(
        (form, number)
        for number, group in numbered
        for entry in group
        if len(entry) == 1
        for form in _forms(entry[0])
    )


@lru_cache(maxsize=1)
def _first_words() -> StemIndex:
    """The groups by the first words of the expressions in them."""
    return StemIndex(
        (base_form(entry[0]), number)
        for number, group in enumerate(_entry_groups())
        for entry in group
        if len(entry) > 1
    )


def _forms(word: str) -> tuple[str, ...]:
    return (word, *IRREGULAR_FORMS.get(word, ()))


@lru_cache(maxsize=8192)
def _keys_of_group(number: int) -> tuple[str, ...]:
    return tuple(key for entry in _entry_groups()[number] for key in _keys_of(entry))


def _keys_of(entry: Entry) -> list[str]:
    if len(entry) > 1:
        return [expression_key(_expression(entry))]
    return [stem(form) for form in _forms(entry[0])]


def _expression(entry: Entry) -> Expression:
    return tuple(map(base_stem, entry))


@lru_cache(maxsize=65536)
def expressions_from(root: str) -> tuple[Expression, ...]:
    """The expressions of the list whose first word has this stem."""
    entries = (entry for number in _first_words().rows(root) for entry in _entry_groups()[number])
    found = (_expression(e) for e in entries if len(e) > 1 and base_stem(e[0]) == root)
    return tuple(dict.fromkeys(found))


@lru_cache(maxsize=8192)
def same_words(word: str) -> tuple[str, ...]:
    """The keys under which a text may hold this word or one that summaries use for it."""
    keys: dict[str, None] = {}
    for form in (word, *_respelled(word)):
        root = stem(form)
        keys[root] = None
        for number in _words().rows(root):
            keys.update(dict.fromkeys(_keys_of_group(number)))
    return tuple(keys)


@lru_cache(maxsize=8192)
def same_expressions(words: Expression) -> tuple[str, ...]:
    """The keys of an expression of several words and of what the list has for it, if it has it."""
    if not words or words not in expressions_from(words[0]):
        return ()
    key = expression_key(words)
    groups = map(_keys_of_group, _first_words().rows(words[0]))
    return tuple(dict.fromkeys([key, *(one for keys in groups if key in keys for one in keys)]))


@lru_cache(maxsize=8192)
def expression_senses(expression: Expression) -> frozenset[int]:
    """The numbers of the groups that hold an expression, counted as those of single words are."""
    first = len(_entry_groups()) - len(listed_groups()) - len(GROUPS)
    key = expression_key(expression)
    rows = _first_words().rows(expression[0])
    return frozenset(number - first for number in rows if key in _keys_of_group(number))


def _respelled(word: str) -> tuple[str, ...]:
    """The word as the other side of the Atlantic spells it, if that differs."""
    return tuple(
        changed
        for pattern, spelling in _SPELLINGS
        if (changed := pattern.sub(spelling, word, count=1)) != word
    )


_PARTICLES: Final = frozenset(
    """about across along apart around aside away back down forward in off on out over through
    up""".split()
)
_BETWEEN: Final = 3
"""The most words between a verb and its particle."""
Token = tuple[str, int]
"""A token of a normalised sentence and the place where it begins."""


def forms_of_words(key: str) -> list[tuple[str, ...]]:
    """The stems that a sentence with the expression holds, one of each tuple."""
    return [forms_of(word) for word in key.split(" ")]


def expressions_in(tokens: Sequence[Token]) -> Iterator[tuple[str, tuple[int, int]]]:
    """The keys of the expressions that a sentence holds, with their places. Linear."""
    opened = [
        (first, found) for first, (token, _) in enumerate(tokens) if (found := _opened_by(token))
    ]
    if not opened:
        return
    roots = [base_stem(token) for token, _ in tokens]
    for first, found in opened:
        for expression in found:
            last = _end(expression, roots, first)
            if last is not None:
                token, start = tokens[last]
                yield expression_key(expression), (tokens[first][1], start + len(token))


@lru_cache(maxsize=65536)
def _opened_by(token: str) -> tuple[Expression, ...]:
    """The expressions that begin with this word."""
    return expressions_from(base_stem(token))


def _end(expression: Expression, roots: Sequence[str], first: int) -> int | None:
    """The number of the token that ends the expression begun by this one, if it stands there."""
    place = first
    for word in expression[1:]:
        widest = _BETWEEN if word in _PARTICLES and len(expression) == 2 else 0
        following = roots[place + 1 : place + 2 + widest]
        if word not in following:
            return None
        place += 1 + following.index(word)
    return place


_OPPOSITES: Final = """
accept adopt approve choose chosen / reject discard abandon dismiss refuse decline
add introduce insert append / drop remove delete strip
allow permit / forbid prohibit ban disallow
absent missing lack / present contain available
ascending / descending
asynchronous async / synchronous sync
backward / forward
best / worst
break destroy / restore preserve repair
cheap cheaper / expensive dearer
clean / dirty
client / server
correct right / incorrect wrong
create / delete destroy
decrease reduce lower shrink fall / increase raise grow rise
early earlier / late later
empty blank / full filled
enable activate / disable deactivate
exclude / include
explicit / implicit
fail failure / pass succeed success
false / true
fast quick faster quicker / slow slower
fewer less / more
fresh / stale
global / local
high higher / low lower
input / output
inside / outside
internal / external
install / uninstall
keep kept retain / drop discard remove
known / unknown
left / right
left-hand / right-hand
load / unload
lock / unlock
longer / shorter
many / few
maximum max / minimum min
mutable / immutable
open / closed
optional / mandatory required
prefix / suffix
private / public
pull / push
read / write
ready / unfinished
reliable / unreliable flaky
remote / local
safe / unsafe dangerous
same identical / different
smaller / larger bigger
sorted / unsorted
stable / unstable
staged / unstaged
strict / lenient
sufficient enough / insufficient
tracked / untracked
top / bottom
upgrade / downgrade
upper / lower
valid / invalid
visible / hidden invisible
vertical / horizontal
""".strip().splitlines()


def _sides_table() -> dict[str, tuple[tuple[int, int], ...]]:
    table: dict[str, list[tuple[int, int]]] = {}
    for row, pair in enumerate(_OPPOSITES):
        for side, words in enumerate(pair.split("/")):
            for word in words.split():
                table.setdefault(base_stem(word), []).append((row, side))
    return {root: tuple(found) for root, found in table.items()}


_SIDES: Final = _sides_table()


def sides(word: str) -> tuple[tuple[int, int], ...]:
    """The pairs of opposites that hold the word, each as its number and the side, 0 or 1."""
    return _SIDES.get(base_stem(word), ())
