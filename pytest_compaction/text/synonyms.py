"""Words of general English and of software that summaries use for one another."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

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


def _classes() -> dict[str, tuple[str, ...]]:
    table: dict[str, dict[str, None]] = {}
    for line in _GROUPS:
        stems = [stem(word) for word in line.split()]
        for one in stems:
            table.setdefault(one, {one: None}).update(dict.fromkeys(stems))
    return {one: tuple(others) for one, others in table.items()}


@lru_cache(maxsize=1)
def _table() -> dict[str, tuple[str, ...]]:
    return _classes()


def same_words(stemmed: str) -> tuple[str, ...]:
    """The stem and the stems of its synonyms."""
    return _table().get(stemmed, (stemmed,))
