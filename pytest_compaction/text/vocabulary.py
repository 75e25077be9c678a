"""Words of software that key groups take for one another: abbreviations and near synonyms.

This list is stricter than ``synonyms``, because one word of a key decides alone.
"""

from __future__ import annotations

from typing import Final

from pytest_compaction.text.synonyms import IRREGULAR_FORMS
from pytest_compaction.text.words import stem

_GROUPS: Final = """
add introduce insert
allow permit
ask request demand
begin start
bug defect
build compile
call invoke
cause reason
change modify alter
check verify validate
choose select pick chose chosen
config configuration
create make made
crash abort
database db
decide settle
default standard
delete remove
dependency dependencies
dev development
directory folder dir
disable deactivate
discard reject abandon drop retract dismiss decline withdraw withdrawn scrap refuse
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
file files
find found locate discover
finish complete done
fix repair correct resolve
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
must require mandatory
param parameter
argument arg
parse parser
path location
pass green succeed
permission perm
postpone defer delay
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
wrong incorrect
write wrote written
yes true
""".strip().splitlines()


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
    root = stem(word)
    return _SAME.get(root, (root,))
