"""A pytest plugin of ``pytest-compaction words``: the requests for words that a run would make.

``pytest -p pytest_compaction.session.words --compaction-estimate --words-requests=FILE`` runs no
item. It compacts each case of the run, answers from the store or from recorded words, and writes
every request to FILE as JSON.
"""

from __future__ import annotations

import json
from argparse import SUPPRESS
from collections.abc import Iterable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from pytest_compaction.case import CaseEntry, CaseFileError
from pytest_compaction.compactors import asks_model, without_archive
from pytest_compaction.models import (
    Archive,
    Call,
    CallReply,
    Endpoints,
    Model,
    Place,
    State,
    WordsRequest,
    WordsRequestCaller,
    WordsRequestModel,
    read_reply,
)
from pytest_compaction.run import Arm
from pytest_compaction.session.items.collection import selected
from pytest_compaction.session.items.probe import ProbeItem
from pytest_compaction.session.recorded_words import archive_of, runs_as_cases_say
from pytest_compaction.session.session import BenchmarkSession, shipped_cases


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--words-requests", metavar="FILE", help=SUPPRESS)
    parser.addoption("--words-recorded", action="store_true", help=SUPPRESS)


class WordsRequests:
    """Writes the requests of the selected items in place of the run."""

    def __init__(
        self, session: BenchmarkSession, endpoints: Endpoints | None, config: pytest.Config
    ) -> None:
        self._session = session
        self._endpoints = endpoints
        self._root = shipped_cases() if session.shipped else config.rootpath
        self._file = Path(config.getoption("words_requests"))
        self._recorded = config.getoption("words_recorded")
        self._archives: dict[str, Archive | None] = {}
        self._outside = tuple(map(without_archive, session.asking_outside))

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        if session.testsfailed:
            return None
        arms = {
            (item.case, replace(item.arm, compactor=without_archive(item.arm.compactor))): None
            for item in (each.item for each in selected(session.items))
            if isinstance(item, ProbeItem)
            and isinstance(item.case, CaseEntry)
            and item.arm is not None
        }
        cases = {entry.id: entry for entry, _ in arms}
        for entry in cases.values():
            file = self._session.case_set.file(entry.id)
            self._archives[entry.id] = archive_of(file, self._root, self._session.named)
        requests, failures = self._requests(list(arms))
        asked = {(row["case"], row["strategy"]) for row in requests}
        data = {
            "requests": requests,
            "failures": failures,
            "arms": [[case.id, arm.compactor, arm.trial] for case, arm in arms],
            "silent": [] if failures else self._silent(arms, asked),
            "outside": list(self._outside),
            "cases": {
                entry.id: {
                    "digest": entry.digest,
                    "file": str(self._session.case_set.file(entry.id)),
                }
                for entry in cases.values()
            },
        }
        self._file.write_text(json.dumps(data), "utf-8")
        return True

    def _requests(
        self, arms: list[tuple[CaseEntry, Arm]]
    ) -> tuple[list[dict[str, Any]], list[str]]:
        tokens = self._session.roles.tokens
        caller = WordsRequestCaller(self._in_archive if self._recorded else self._in_store, tokens)

        def model(real: Model, role: str) -> Model:
            return WordsRequestModel(real.name, caller, tokens) if role == "compaction" else real

        dry = self._session.with_models(model)
        failures = []
        try:
            for entry, arm in arms:
                if arm.compactor in self._outside:
                    continue
                caller.begin()
                try:
                    dry.engine.compaction(dry.case_set.case(entry.id), arm)
                except CaseFileError as error:
                    failures.append(str(error))
        finally:
            dry.close()
        return [*map(self._row, caller.requests)], failures

    def _silent(
        self, arms: Iterable[tuple[CaseEntry, Arm]], asked: set[tuple[str, str]]
    ) -> list[tuple[str, str, bool]]:
        """Each case and strategy that can ask a model, and whether it asks none there."""
        session = self._session
        able = {
            without_archive(spec.text)
            for spec in session.specs
            if asks_model(session.registry.example(spec))
            and runs_as_cases_say(session.settings, spec.text)
        }
        found = {(case.id, arm.compactor) for case, arm in arms if arm.compactor in able}
        return [(*pair, pair not in asked) for pair in sorted(found)]

    async def _in_store(self, call: Call, _: Place, __: int) -> tuple[State, CallReply | None]:
        endpoints = self._endpoints
        found = await endpoints.caller.find(call) if endpoints is not None else None
        return ("missing" if found is None else "recorded", found)

    async def _in_archive(
        self, call: Call, place: Place, number: int
    ) -> tuple[State, CallReply | None]:
        archive = self._archives.get(place.case)
        words = archive.at(place, number) if archive else None
        if words is None:
            return "missing", None
        return "recorded" if words.answer(call, place) else "stale", words.reply

    def _row(self, request: WordsRequest) -> dict[str, Any]:
        names = "number digest covers prompt flaws state".split()
        row = asdict(request.place) | {name: getattr(request, name) for name in names}
        row |= {"read": request.entry.read, "written": request.entry.written}
        if request.reply is not None:
            said = read_reply("chat.completions", request.reply.body)
            row["finish"] = "length" if said.cut else "content_filter" if said.refused else "stop"
            row["words"] = said.text or said.problem * said.refused
            row["written"] = row["written"] or self._session.roles.tokens.text(said.text)
        return row
