"""Exports of every shipped strategy that asks a model, against what its run asks for."""

import asyncio

import pytest
from support.sessions import (
    ASKING,
    endpoint_reply,
    ids,
    mostly_exhaustive,
    run_really,
    selection,
    session_of,
)

from pytest_compaction.models import CallReply
from pytest_compaction.models.calls.store import Store
from pytest_compaction.models.wire.reply import usage_of
from pytest_compaction.session.export import lack_of


class Replying:
    """A caller that answers as the endpoint does."""

    async def call(self, call):
        body = endpoint_reply(call)
        return CallReply(body, usage_of(body))


@pytest.mark.parametrize("name", mostly_exhaustive(ASKING))
def test_every_call_that_is_exported_is_one_that_the_run_makes_and_none_is_left(
    tmp_path, monkeypatch, name
):
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    session = session_of(tmp_path, name)
    try:
        chosen = selection(session, ids(session, 2))
        exported = set()
        while lack := lack_of(session, session.endpoints, chosen).calls:
            assert exported.isdisjoint(call.digest for call in lack)
            exported.update(call.digest for call in lack)
            for call in lack:
                asyncio.run(Store(tmp_path / "store", Replying()).call(call))
        asked = []
        find = Store.find

        async def noting(self, call):
            asked.append(call.digest)
            return await find(self, call)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Store, "find", noting)
            run_really(session, chosen)
        assert set(asked) == exported
    finally:
        session.close()
