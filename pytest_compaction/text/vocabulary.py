"""Words of software that key groups take for one another: abbreviations and near synonyms.

This list is stricter than ``synonyms``, because one word of a key decides alone.
"""

from __future__ import annotations

import re
from typing import Final

from pytest_compaction.text.synonyms import IRREGULAR_FORMS
from pytest_compaction.text.words import stem

_GROUPS: Final = """
add introduce insert append
allow permit
ask request demand
begin start launch
bug defect fault
build compile
call invoke
cause reason
change modify alter
check verify validate
choose select pick chose chosen
config configuration
create make made
crash abort die died
database db
decide settle
default standard
delete remove
dependency dependencies
dev development
directory folder dir
disable deactivate
discard reject abandon drop retract dismiss decline withdraw withdrawn scrap refuse bounce veto
documentation docs
doc document
double twice
duplicate dup
enable activate
env environment
error failure
expect await
fail broke broken
fast quick rapid
hang stall freeze froze frozen stuck
join concatenate concat
overwrite replace clobber
reboot restart
reproduce repro
answer reply respond
stale outdated obsolete
exact precise
sum total aggregate
merge combine
split divide separate
skip omit
notice detect spot
measure benchmark profile
deploy deployment rollout roll-out
retrieve obtain fetch
buy purchase
consider contemplate
refund repay repaid reimburse
forecast predict
guarantee ensure
conflict collide clash
file files
find found locate discover
finish complete done
fix repair correct resolve mend patch
forbid prohibit disallow forbidden
function func fn
hold held
huge large big
identical same equal
implement implementation
increase raise
info information
interval period
keep kept retain preserve
limit cap maximum max
lose lost
lower reduce decrease
max maximum
message msg
min minimum
miss absent lack
move relocate
must require mandatory need necessary
param parameter
argument arg
parse parser
path location
pass green succeed
permission perm
postpone defer delay park shelve
print output
prod production
pull fetch
read load
regression regress
release ship
remain leave left stay
rename renamed
repo repository
return yield
retry reattempt
revert undo undone
rewrite rewrote rewritten
root underlying
run execute ran
save store persist
schema schemas
send sent
server host
show display
slow sluggish
small little tiny
spec specification
staging stage
stop halt
string str
suppress silence
switch migrate
temp temporary tmp
test tests
timeout time-out
truncate cut
unit units
update upgrade
use employ utilise utilize
user customer
variable var
wait await
warn warning
wrong incorrect faulty
write wrote written
yes true
""".strip().splitlines()


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


def _table() -> dict[str, tuple[str, ...]]:
    table: dict[str, dict[str, None]] = {}
    for group in [*_GROUPS, *(" ".join((base, *forms)) for base, forms in IRREGULAR_FORMS.items())]:
        words = [form for word in group.split() for form in (word, *IRREGULAR_FORMS.get(word, ()))]
        stems = [stem(word) for word in words]
        for one in stems:
            table.setdefault(one, {one: None}).update(dict.fromkeys(stems))
    return {one: tuple(others) for one, others in table.items()}


_SAME: Final = _table()


def same_words(word: str) -> tuple[str, ...]:
    """The stems under which a text may hold this word or one that summaries use for it."""
    stems: dict[str, None] = {}
    for form in (word, *_respelled(word)):
        root = stem(form)
        stems.update(dict.fromkeys(_SAME.get(root, (root,))))
    return tuple(stems)


def _respelled(word: str) -> tuple[str, ...]:
    """The word as the other side of the Atlantic spells it, if that differs."""
    return tuple(
        changed
        for pattern, spelling in _SPELLINGS
        if (changed := pattern.sub(spelling, word, count=1)) != word
    )
