"""Words that say the opposite of one another, so that one in the other's place changes a fact."""

from __future__ import annotations

from typing import Final

from pytest_compaction.text.lexicon.synonyms import base_stem

_PAIRS: Final = """
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


def _table() -> dict[str, tuple[tuple[int, int], ...]]:
    table: dict[str, list[tuple[int, int]]] = {}
    for row, pair in enumerate(_PAIRS):
        for side, words in enumerate(pair.split("/")):
            for word in words.split():
                table.setdefault(base_stem(word), []).append((row, side))
    return {root: tuple(found) for root, found in table.items()}


_SIDES: Final = _table()


def sides(word: str) -> tuple[tuple[int, int], ...]:
    """The pairs of opposites that hold the word, each as its number and the side, 0 or 1."""
    return _SIDES.get(base_stem(word), ())
