"""The published data: its files, its tasks, and how exactly its figures are met."""

from __future__ import annotations

import json
from typing import Any

from support.paths import public_data

MT_BENCH = "mt-bench-101/mtbench101.jsonl"
TAU = "tau-bench/gpt-4o-airline-tasks-0-9.json"
RAW_TASKS = ("GR", "SA", "SC")
PUBLISHED_TASKS = ("CC", "CM", "GR", "IC", "PI", "SA", "SC", "SI", "TS")
"""The tasks for which the evaluation published figures."""
EXACT = 1e-9


def read_json(name: str) -> Any:
    return json.loads(public_data(name).read_text("utf-8"))
