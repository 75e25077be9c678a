"""A project with a model that answers and a judge that can be shifted, for judge snapshots."""

import pytest
from support.scenarios import set_up

JUDGE = '''
"""A judge that scores as the file ``shift.json`` says."""

import json
from dataclasses import replace
from pathlib import Path

from pytest_compaction.models.offline.model import OfflineModel
from pytest_compaction.models.protocol import JudgeReply, ModelError

SHIFT = Path(__file__).with_name("shift.json")


class Shifted(OfflineModel):
    name = "shifted"

    async def judge(self, request):
        reply = await super().judge(request)
        shift = json.loads(SHIFT.read_text()) if SHIFT.exists() else {}
        if request.kind in shift.get("refuses", ()):
            return JudgeReply(unscored="the judge refused")
        if shift.get("dead"):
            raise ModelError("the endpoint refused the connection")
        criteria = tuple(
            replace(
                score,
                score=max(0.0, min(5.0, 4.0 + shift.get(score.id, shift.get("all", 0)))),
                reasoning=shift.get("says", score.reasoning),
            )
            for score in reply.criteria
        )
        hit = tuple(True for _ in reply.hit) if shift.get("hit") else reply.hit
        stated = tuple(False for _ in reply.stated) if shift.get("misses") else reply.stated
        return JudgeReply(criteria, stated, hit)


class Answering(OfflineModel):
    name = "answering"


def pytest_compaction_models(config):
    return {"shifted": Shifted(), "answering": Answering()}
'''


@pytest.fixture(autouse=True)
def no_worker(monkeypatch):
    """Let inner runs report their snapshots even if this test runs on a worker."""
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)
    monkeypatch.delenv("PYTEST_XDIST_WORKER_COUNT", raising=False)


@pytest.fixture
def project(pytester):
    """Two cases, a judge that can be shifted, and no test module."""
    set_up(pytester)
    pytester.makeconftest(JUDGE)
    return pytester
