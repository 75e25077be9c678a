"""Strategies with clients of their own: their calls go through the endpoint of the run."""

import json
import os

import pytest
from support.endpoint_server import serving, unused_url
from support.own_clients import STRATEGIES, SUMMARY, both_forms, too_long_at_first
from support.scenarios import lean, records, write_cases
from support.stub_endpoint import PRICED, long_case

KEY = "sk-proj-RealKey0123456789abcdefXYZ"
ANTHROPIC_KEY = "sk-ant-RealKey0123456789abcdefXYZ"
KEYS = (KEY, ANTHROPIC_KEY)
VARIABLES = ("OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL")


@pytest.fixture
def project(pytester, monkeypatch):
    """A project with such strategies and two cases; ``run`` measures with an endpoint."""
    pytester.makepyfile(clients=STRATEGIES)
    write_cases(pytester, long_case("first"), long_case("second"))

    def run(url, *arguments, proxy=True, **how):
        monkeypatch.setenv("OPENAI_BASE_URL", f"{url}/v1")
        monkeypatch.setenv("ANTHROPIC_BASE_URL", url)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        monkeypatch.setenv("ANTHROPIC_API_KEY", ANTHROPIC_KEY)
        before = {name: os.environ.get(name) for name in VARIABLES}
        more = ["--compaction-proxy"] if proxy else []
        result = pytester.runpytest_inprocess(*lean(), "-q", *more, *arguments, **how)
        assert {name: os.environ.get(name) for name in VARIABLES} == before
        return result

    return run


def seen(pytester):
    """What the strategies noted, and nothing of it from the run before."""
    path = pytester.path / "seen.jsonl"
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    path.unlink(missing_ok=True)
    return [json.loads(line) for line in lines]


def usage(pytester):
    """The usage of compactions by strategy, case and trial."""
    return {
        (record["compactor"], record["case"], record["trial"]): record["usage"]["compaction"]
        for record in records(pytester).records
    }


def stored(pytester):
    """The files of the store, by what was asked."""
    files = sorted((pytester.path / ".pytest_compaction/store").glob("??/*.json"))
    return [json.loads(path.read_text("utf-8")) for path in files]


def base(server):
    return server.url.removesuffix("/v1")


def test_every_client_is_recorded_priced_and_replayed_without_a_network(pytester, project):
    names = [
        f"clients:{name}"
        for name in ("plain", "streamed", "responses", "anthropic", "anthropic:stream=true")
    ]
    with serving(both_forms) as server:
        result = project(base(server), *(f"--compactor={name}" for name in names))
        asked = len(server.asked)
        headers = [one.headers for one in server.asked]
    assert {record["status"] for record in records(pytester).records} <= {"passed", "failed"}
    first = seen(pytester)
    assert all(one["said"] == SUMMARY for one in first if "said" in one)
    assert any(one.get("arguments") == '{"a": 1}' and one["usages"] == 0 for one in first)
    assert any(one.get("streamed") == SUMMARY for one in first)
    assert any(one.get("counted") == 77 for one in first)
    # The strategies see a stand-in for the key, and the endpoint sees the key itself.
    assert not any(key in json.dumps(first) for key in KEYS)
    assert {h.get("x-api-key") or h["authorization"] for h in headers} == {
        ANTHROPIC_KEY,
        f"Bearer {KEY}",
    }
    # Calls are known by case: as many as there are compactions.
    used = usage(pytester)
    assert {counts["calls"] for (name, *_), counts in used.items()} == {2, 4}
    assert used["clients:streamed", "first", 1]["input_tokens"] == 800
    assert used["clients:anthropic", "first", 1] == used["clients:anthropic:stream=true", "first", 1]
    assert used["clients:anthropic", "first", 1]["cached_tokens"] == 600
    result.stdout.fnmatch_lines(["*calls of clients:plain, * go through a local endpoint*"])
    texts = json.dumps(stored(pytester)) + str(result.stdout)
    assert not any(key in texts for key in (*KEYS, first[0]["key"], first[0]["key"][:20]))

    again = project(unused_url().removesuffix("/v1"), *(f"--compactor={n}" for n in names),
                    "--compaction-replay")  # fmt: skip
    assert usage(pytester) == used
    assert "Traceback" not in str(again.stdout)
    assert asked == len(stored(pytester))
