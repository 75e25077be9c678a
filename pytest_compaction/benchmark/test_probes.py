"""Every case and probe as a test item."""

from __future__ import annotations

from typing import Any


def test_probe(case: Any, probe: Any, compactor: Any, judge: Any) -> None:
    """Compact the case, ask the probe, judge the answer, fail with what fell short."""
    compaction = compactor(case)
    response = compaction.ask(probe)
    verdict = judge(probe, response)
    verdict.check()
