"""The texts of the page: logs, views and answers, each once, packed by case.

The data of a case is JSON, compressed and in base64, which a browser unpacks when one of its
items is opened.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pytest_compaction.records.texts import RunTexts
from pytest_compaction.reports.page.arms import Arm, PageRun
from pytest_compaction.reports.page.items import Index, detail_of

Block = dict[str, Any]
"""All texts of a case: its ``log`` or ``None``, its ``views`` by hash, its ``items`` by number."""

_LIMITS: Final = (None, 20_000, 8_000, 3_000, 1_000, 300, 0)
"""The most characters of a message, tried until all is small enough; 0 is for no texts."""


@dataclass(frozen=True, slots=True)
class Texts:
    """The packed block of each case, and how messages had to be cut so that all found room.

    ``limit`` is the most characters of a message, ``None`` if none was cut; ``left_out`` counts
    the characters that are not there.
    """

    blocks: tuple[str, ...]
    limit: int | None = None
    left_out: int = 0
    logs: int = 0
    """Cases whose log is there."""


def texts_of(runs: Sequence[PageRun], arms: Sequence[Arm], index: Index, most: int) -> Texts:
    """The texts of all cases in at most about ``most`` bytes; longer messages are cut for it."""
    blocks = _blocks(runs, arms, index)
    logs = sum(block["log"] is not None for block in blocks)
    made = Texts(())
    for limit in _LIMITS:
        left_out = 0
        packed = []
        for block in blocks:
            shorter, missing = (block, 0) if limit is None else _cut(block, limit)
            left_out += missing
            packed.append(_packed(shorter))
        made = Texts(tuple(packed), limit, left_out, logs)
        if sum(map(len, packed)) <= most:
            break
    return made


def _blocks(runs: Sequence[PageRun], arms: Sequence[Arm], index: Index) -> list[Block]:
    blocks: list[Block] = [{"log": None, "views": {}, "items": {}} for _ in index.cases]
    sources = [None if each.folder is None else RunTexts(each.folder) for each in runs]
    # Items of one probe stand together, so that the same texts come within reach of the packing.
    order = sorted(range(len(index.items)), key=lambda n: (index.items[n]["probe"], n))
    for number in order:
        item, record = index.items[number], index.records[number]
        block = blocks[index.probes[item["probe"]]["case"]]
        block["items"][str(number)] = detail_of(record)
        source = sources[arms[item["arm"]].run]
        if source is None:
            continue
        if block["log"] is None:
            block["log"] = _shown_of_log(source.log(record))
        if item["view"] and item["view"] not in block["views"]:
            messages = source.view(record)
            if messages is not None:
                block["views"][item["view"]] = [_without_log(message) for message in messages]
    return blocks


def _shown_of_log(log: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """What the page shows of a log, which may hold more."""
    if log is None:
        return None
    return {
        name: [{key: each[key] for key in keys} for each in log[name]]
        for name, keys in (("messages", ("id", "role", "text")), ("points", ("id", "after")))
    }


def _without_log(message: Mapping[str, Any]) -> dict[str, Any]:
    """A message of a view; one that stands word for word in the log has its text there alone."""
    kept = message["origin"] == "log" and not message["changed"]
    return {key: message[key] for key in ("id", "role", "origin", *(() if kept else ("text",)))}


def _cut(block: Block, limit: int) -> tuple[Block, int]:
    """The block with the beginnings of its messages, and how many characters that leaves out."""
    if not limit:
        return {**block, "log": None, "views": {}}, _length(block)
    log = block["log"]
    shorter = {
        **block,
        "log": log and {**log, "messages": [_beginning(m, limit) for m in log["messages"]]},
        "views": {
            name: [_beginning(message, limit) for message in view]
            for name, view in block["views"].items()
        },
    }
    return shorter, _length(block) - _length(shorter)


def _beginning(message: Mapping[str, Any], limit: int) -> dict[str, Any]:
    text = message.get("text") or ""
    if len(text) <= limit:
        return dict(message)
    return {**message, "text": text[:limit], "cut": len(text) - limit}


def _length(block: Block) -> int:
    views = [message for view in block["views"].values() for message in view]
    log = block["log"]["messages"] if block["log"] else []
    return sum(len(message.get("text") or "") for message in (*log, *views))


def _packed(block: Block) -> str:
    text = json.dumps(block, separators=(",", ":"), allow_nan=False)
    return base64.b64encode(zlib.compress(text.encode(), 9)).decode()
