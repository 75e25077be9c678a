"""The invariant that a view is of the conversation that was given, and of no other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pytest_compaction.checking.examples.renamed import names_in
from pytest_compaction.checking.invariants.invariant import Breach, Invariant
from pytest_compaction.checking.observation import Observation
from pytest_compaction.conversation.messages import readable
from pytest_compaction.text import normalize, printable


def own_log(observation: Observation) -> Iterator[Breach]:
    """Names of another conversation in what the strategy wrote about this one."""
    other = observation.renamed
    if other is None:
        return
    elsewhere = {name for m in observation.scenario.log for name in names_in(readable(m))}
    heard = normalize("\n".join(readable(message) for message in other.scenario.log))
    for number, step in enumerate(other.steps, 1):
        for message in step.after if step.rewrote else ():
            if message.id in step.said:
                continue
            names = (name for name in names_in(readable(message)) if name in elsewhere)
            found = next((name for name in names if normalize(name) not in heard), None)
            if found is not None:
                yield Breach(
                    f"{printable(found, 60)!r} is of another conversation, which was compacted "
                    "before",
                    (message.id,),
                    number,
                )
                return


INVARIANTS: Final = (
    Invariant(
        "own-log",
        "content",
        "What the strategy wrote names nothing of another conversation that it compacted before.",
        "A cache with too short a key, or a variable of a module, tells one user what another one "
        "said, and the agent goes on with the work of somebody else.",
        own_log,
    ),
)
