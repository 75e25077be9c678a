"""Recall probes about the pull request that a session works on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from pytest_compaction.probes.draft import Candidate, Draft
from pytest_compaction.probes.log import ProbeLog

_NUMBERED: Final = re.compile(
    r"\bgh pr (?:view|diff|checkout|edit|merge|comment|checks|review|ready) (?P<given>\d{1,6})\b"
    r"|\bpulls/(?P<path>\d{1,6})(?:/|\b)|\bpullRequest\(number: ?(?P<query>\d{1,6})\b"
)
_MAX_MENTIONS: Final = 60


def pull_request_drafts(log: ProbeLog) -> Iterator[Draft]:
    """One draft: the only pull request that commands of the session name by its number."""
    places: dict[str, list[int]] = {}
    for command in log.commands:
        place = log.position[command.message_id]
        for match in _NUMBERED.finditer(command.text) if place <= log.points[-1] else ():
            places.setdefault(match["given"] or match["path"] or match["query"], []).append(place)
    if len(places) != 1:
        return
    ((number, held),) = places.items()
    bare = (number,) if len(number) > 1 else ()
    keys = ((*bare, f"#{number}", f"PR {number}", f"pull request {number}", f"pulls/{number}"),)
    told = Candidate(f"pull request #{number}", "identifier", keys, places=tuple(held))
    point, found = log.find_due(told, held[0], most=_MAX_MENTIONS)
    question = "Which number does the pull request have that the agent's commands name?"
    yield Draft("recall", "pull-request", question, found, point, 0.25, least=1)
