"""Learned merges, kept between runs.

Learning took half a minute before it was incremental. A file below ``out/`` holds
the merges of one vocabulary size.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from quaylm.bpe import Pair, learn

FOLDER = Path("out")


def cached_merges(words: Mapping[str, int], size: int, folder: Path = FOLDER) -> list[Pair]:
    """The merges from the cache, or learned and put there."""
    file = folder / f"merges-{size}.json"
    if file.exists():
        return [(left, right) for left, right in json.loads(file.read_text(encoding="utf-8"))]
    merges = learn(words, size)
    folder.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(merges, ensure_ascii=False), encoding="utf-8")
    return merges
