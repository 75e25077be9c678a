"""The logs and views of the page: packed case by case, cut where the page would be too large."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pytest_compaction.records import RunTexts
from pytest_compaction.reports.page.runs import Arm, Index, PageRun, detail_of

_Block = dict[str, Any]
"""All texts of a case: its ``log`` or ``None``, its ``views`` by hash, its ``items`` by number."""
_KEYS: Final = ("id", "role", "origin")
_LIMITS: Final = (None, 20_000, 8_000, 3_000, 1_000, 300, 0)
"""The most characters of a message, tried until all is small enough; 0 is for no texts."""


@dataclass(frozen=True, slots=True)
class Texts:
    """The packed block of each case, and how messages had to be cut so that all found room.

    ``left_out`` counts the characters that are not there, ``logs`` the cases whose log is there.
    """

    blocks: tuple[str, ...] = ()
    limit: int | None = None
    left_out: int = 0
    logs: int = 0


def texts_of(runs: Sequence[PageRun], arms: Sequence[Arm], index: Index, most: int) -> Texts:
    """The texts of all cases in at most about ``most`` bytes; longer messages are cut for it."""
    blocks = _blocks(runs, arms, index)
    logs = sum(block["log"] is not None for block in blocks)
    whole = sum(map(_length, blocks))
    made = Texts()
    for limit in _LIMITS:
        shorter = blocks if limit is None else [_cut(block, limit) for block in blocks]
        left_out = whole - sum(map(_length, shorter))
        made = Texts(tuple(map(_packed, shorter)), limit, left_out, logs)
        if sum(map(len, made.blocks)) <= most:
            break
    return made


def _blocks(runs: Sequence[PageRun], arms: Sequence[Arm], index: Index) -> list[_Block]:
    blocks: list[_Block] = [{"log": None, "views": {}, "items": {}} for _ in index.cases]
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
        log = source.log(record)
        if block["log"] is None and log is not None:
            block["log"] = {
                name: [{key: each[key] for key in keys} for each in log[name]]
                for name, keys in (
                    ("messages", ("id", "role", "text")),
                    ("points", ("id", "after")),
                )
            }
        if item["view"] and item["view"] not in block["views"]:
            messages = source.view(record)
            if messages is not None:  # what stands word for word in the log has its text there
                block["views"][item["view"]] = [
                    {key: message[key] for key in (*_KEYS, *(("text",) if own else ()))}
                    for message in messages
                    for own in [message["origin"] != "log" or message["changed"]]
                ]
    return blocks


def _cut(block: _Block, limit: int) -> _Block:
    """The block with the beginnings of its messages, or with none of them."""
    if not limit:
        return {**block, "log": None, "views": {}}

    def shorter(messages: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
        over = [len(message.get("text") or "") - limit for message in messages]
        return [
            {**message, "text": message["text"][:limit], "cut": more} if more > 0 else message
            for message, more in zip(messages, over, strict=True)
        ]

    log = block["log"]
    return {
        **block,
        "log": log and {**log, "messages": shorter(log["messages"])},
        "views": {name: shorter(view) for name, view in block["views"].items()},
    }


def _length(block: _Block) -> int:
    texts = [*block["views"].values(), block["log"]["messages"] if block["log"] else []]
    return sum(len(message.get("text") or "") for each in texts for message in each)


def _packed(block: _Block) -> str:
    text = json.dumps(block, separators=(",", ":"), allow_nan=False)
    return base64.b64encode(zlib.compress(text.encode(), 9)).decode()
