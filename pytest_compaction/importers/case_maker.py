"""A case from an imported transcript: points, sizes, derived probes, and the last check."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pytest_compaction.case import case_from_json
from pytest_compaction.case_files import (
    MAX_FILE_BYTES,
    CaseFault,
    evidence_faults,
    message_faults,
    reference_faults,
    schema_faults,
)
from pytest_compaction.chat_format import to_chat
from pytest_compaction.conversation import Message, groups
from pytest_compaction.importers.probes import DEFAULT_COUNT, derive_probes
from pytest_compaction.importers.protocol import ImportFormatError, Transcript
from pytest_compaction.tokens import TokenCounter

TOKENS_A_POINT: Final = 25_000
MIN_POINTS, MAX_POINTS = 3, 8
MIN_BUDGET: Final = 2_000
_WINDOWS: Final = (32_000, 64_000, 128_000, 200_000, 400_000, 1_000_000)


@dataclass(frozen=True, slots=True)
class MadeCase:
    """A case as it will be written, with its size in tokens."""

    data: dict[str, Any]
    tokens: int


def make_case(
    transcript: Transcript, task: str = "assistant", count: int = DEFAULT_COUNT
) -> MadeCase:
    """The case of a transcript; raises :class:`ImportFormatError` when none can be made."""
    counter = TokenCounter()
    sizes = [counter.message(message) for message in transcript.messages]
    tokens = sum(sizes)
    points = compaction_points(transcript.messages, sizes)
    probes = derive_probes(transcript.messages, points, count)
    if not probes:
        raise ImportFormatError(
            f"{transcript.source}: no probe can be derived from its {len(transcript.messages)} "
            "messages (nothing is stated that is at risk of being lost); import a longer session"
        )
    data: dict[str, Any] = {
        "id": slug(Path(transcript.source).stem),
        "title": f"Imported from {Path(transcript.source).name}"[:300],
        "task": task,
        "window": next((size for size in _WINDOWS if size >= tokens), tokens * 2),
        "budget": max(MIN_BUDGET, round(tokens / 12 / 500) * 500),
        "messages": to_chat(transcript.messages, ids=True),
        "compaction_points": [
            {"id": f"p{number}", "after": transcript.messages[place].id}
            for number, place in enumerate(points, start=1)
        ],
        "probes": probes,
    }
    faults = case_faults(data)
    if faults:
        shown = "; ".join(str(fault) for fault in faults[:3])
        raise ImportFormatError(f"{transcript.source}: the case made of it is not valid: {shown}")
    return MadeCase(data, tokens)


def compaction_points(messages: Sequence[Message], sizes: Sequence[int]) -> list[int]:
    """Positions after which to compact: about one for each 25,000 tokens, three to eight.

    A point never falls between a tool call and its result; the last one is the
    end of the log.
    """
    total = sum(sizes)
    wanted = min(MAX_POINTS, max(MIN_POINTS, round(total / TOKENS_A_POINT)))
    points: list[int] = []
    passed = 0
    for start, end in groups(messages):
        passed += sum(sizes[start:end])
        if passed * wanted >= total * (len(points) + 1) and end < len(messages):
            points.append(end - 1)
    return [*points[: wanted - 1], len(messages) - 1]


def slug(name: str) -> str:
    """A case id from a file name: letters, digits, dots, dashes and underscores, at most 80."""
    cleaned = re.sub(r"[^A-Za-z0-9_.-]+", "-", name).strip("-._")
    return cleaned[:80] or "session"


def case_faults(data: dict[str, Any]) -> list[CaseFault]:
    """Everything that the loader would find wrong with the case."""
    faults = schema_faults(data) or reference_faults(data)
    if faults:
        return faults
    case = case_from_json(data)
    return [*message_faults(case), *evidence_faults(case)]


def write_case(data: dict[str, Any], path: Path) -> None:
    """Write the case atomically; an existing file is replaced only by a whole one.

    Raises :class:`ImportFormatError` for a case above the loader's limit of 50 MB.
    """
    content = json.dumps(data, ensure_ascii=False, indent=1).encode("utf-8") + b"\n"
    if len(content) > MAX_FILE_BYTES:
        raise ImportFormatError(
            f"{path}: the case would take {len(content) / 1024**2:.1f} MB; "
            f"a case file may take {MAX_FILE_BYTES // 1024**2} MB. Import a part of the session"
        )
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        umask = os.umask(0)
        os.umask(umask)
        Path(temporary).chmod(0o666 & ~umask)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
