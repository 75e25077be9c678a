"""Views read by a model: the claims of its requests, and the readings of a probe by its replies.

All facts and traps of the probes at a point are asked about, each once, with the constraints that
stand there, in the order of the case file. So the requests depend on case and view alone, and not
on which items run.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from pytest_compaction.case import Case, Fact, Probe, Trap
from pytest_compaction.conversation import Message, readable
from pytest_compaction.metrics import Readings, standing_constraints
from pytest_compaction.models import (
    CLAIMS,
    Model,
    ModelError,
    NotAskedError,
    ReadReply,
    ReadRequest,
    RequestSlot,
    Usage,
    claim_line,
    read_by,
    requests_in,
)
from pytest_compaction.text import Reading, printable

Claims = tuple[Fact | Trap, ...]


@dataclass(frozen=True, slots=True)
class Said:
    """What a model said of claims about a view, by their lines; ``why`` it said nothing of others.

    ``usage`` is that of all requests about the view.
    """

    readings: Mapping[str, Reading] = field(default_factory=dict)
    usage: Usage = Usage()
    why: str = ""

    def of(self, claim: Fact | Trap) -> Reading:
        return self.readings.get(claim_line(claim)) or Reading("unread", why=self.why)

    def of_probe(self, probe: Probe) -> Readings:
        """As rules read the facts and traps of a probe: a trap that is hit contradicts its fact.

        A trap that is left unread leaves all facts of the probe unread, because nobody knows
        whether it is hit.
        """
        facts = {fact.text: self.of(fact) for fact in probe.facts}
        hit = []
        for trap in probe.traps:
            stale, fact = self.of(trap), facts.get(trap.of) if trap.of else None
            if stale.outcome == "unread":
                unread = replace(stale, why=f"{printable(trap.text, 80)}: {stale.why}")
                return Readings((unread,) * len(probe.facts), (False,) * len(probe.traps))
            caught = stale.outcome == "stated" and (fact is None or fact.outcome != "stated")
            hit.append(caught)
            if caught and trap.of and fact is not None and fact.outcome != "contradicted":
                why = f"states instead: {printable(trap.text, 80)}"
                facts[trap.of] = Reading("contradicted", stale.clause, why=why)
        return Readings(tuple(facts[fact.text] for fact in probe.facts), tuple(hit))

    def unread(self, facts: Sequence[Fact]) -> str | None:
        """Why one of the facts is unread; ``None`` if all were read."""
        found = (reading.why for reading in map(self.of, facts) if reading.outcome == "unread")
        return next(found, None)


def claims_of(case: Case, probes: Sequence[Probe], point: int) -> Claims:
    """The claims about a view after a point, each once; ``probes`` are those that share it."""
    asked: list[Fact | Trap] = []
    for probe in probes:
        asked += [*probe.facts, *probe.traps]
    asked += standing_constraints(case, point)
    return tuple({claim_line(claim): claim for claim in asked}.values())


async def said_of(model: Model, view: Sequence[Message], claims: Claims, turn: RequestSlot) -> Said:
    """Ask a model about a view, all batches at once.

    A request that fails leaves its claims unread, with the reason. Raises :class:`NotAskedError`,
    with what was spent, if one was not made.
    """
    texts = tuple((message.role, readable(message)) for message in view)
    batches = [claims[start : start + CLAIMS] for start in range(0, len(claims), CLAIMS)]

    async def reply_to(batch: Claims) -> ReadReply:
        with requests_in(turn):
            return await read_by(model, ReadRequest(texts, batch))

    replies = await asyncio.gather(*map(reply_to, batches), return_exceptions=True)
    readings: dict[str, Reading] = {}
    usage, not_asked = Usage(), None
    for batch, reply in zip(batches, replies, strict=True):
        if isinstance(reply, ModelError):
            usage += reply.spent.get("reader", Usage())
            if isinstance(reply, NotAskedError):
                not_asked = not_asked or reply
            reply = ReadReply((Reading("unread", why=printable(str(reply), 300)),) * len(batch))
        elif isinstance(reply, BaseException):
            raise reply
        usage += reply.usage
        readings |= zip(map(claim_line, batch), reply.readings, strict=True)
    if not_asked is not None:
        not_asked.spent = {"reader": usage}
        raise not_asked
    return Said(readings, usage)
