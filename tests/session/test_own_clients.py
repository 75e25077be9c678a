"""Strategies with clients of their own: their calls go through the endpoint of the run."""

import json
import os

import pytest
from support.endpoint_server import serving, unused_url
from support.own_clients import STRATEGIES, SUMMARY, both_forms, too_long_at_first
from support.scenarios import lean, records, write_cases
from support.stub_endpoint import long_case
from support.talks import talk, write

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
        result = pytester.runpytest_inprocess(*lean(), *more, *arguments, **how)
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
    assert (
        used["clients:anthropic", "first", 1] == used["clients:anthropic:stream=true", "first", 1]
    )
    assert used["clients:anthropic", "first", 1]["cached_tokens"] == 600
    result.stdout.fnmatch_lines(
        ["compaction: clients:plain, *: calls by OpenAI and Anthropic clients go through a local*"]
    )
    # What is in records has dollars only where the prices of the other models are known.
    assert not any(record["usd"]["compaction"] for record in records(pytester).records)
    texts = json.dumps(stored(pytester)) + str(result.stdout)
    assert not any(key in texts for key in (*KEYS, first[0]["key"], first[0]["key"][:20]))

    again = project(unused_url().removesuffix("/v1"), *(f"--compactor={n}" for n in names),
                    "--compaction-replay")  # fmt: skip
    assert usage(pytester) == used
    assert "Traceback" not in str(again.stdout)
    assert asked == len(stored(pytester))


PRICES = {
    "as_of": "2026-03-01",
    "models": [
        {"name": "gpt-4o-mini", "input": 1000, "output": 2000},
        {"name": "Claude-Haiku-4-5", "input": 500, "cached_input": 50, "output": 1000},
    ],
}


@pytest.mark.exhaustive
def test_a_limit_holds_for_calls_of_both_forms_and_all_workers(pytester, project):
    """Each call costs 0.44 or less, and may cost more before its reply is there."""
    (pytester.path / "prices.json").write_text(json.dumps(PRICES))
    given = ["--compactor=clients:falls_back", "--compaction-prices=prices.json"]
    with serving(both_forms) as server:
        result = project(base(server), *given, "--compaction-max-cost=1", "-n", "2")
        made = len(server.asked)
        found = records(pytester).records
        unpaid = [record for record in found if record["status"] == "unscored"]
        assert unpaid
        assert all("--compaction-max-cost=1 leaves no room" in r["reason"] for r in unpaid)
        # Money is set aside before a call: what it may cost at most is more than it costs.
        assert made < 4
        result.stdout.fnmatch_lines(["*If clients:falls_back asks a model once for each comp*"])
        assert any("PaymentRequired" in one["error"] or "402" in one["error"]
                   for one in seen(pytester) if "error" in one)  # fmt: skip

        result = project(base(server), *given, "--compaction-max-cost=9", "-n", "2")
        found = records(pytester).records
        assert {record["status"] for record in found} <= {"passed", "failed"}
        # What was paid for is not paid again, and each case has its own calls in dollars.
        assert len(server.asked) == 4
        assert {record["usd"]["compaction"] for record in found} == {0.88}
        result.stdout.fnmatch_lines([f"this run: {4 - made} calls made for *; {made} came from*"])


def test_trials_share_no_calls_and_a_missing_call_is_an_error_whatever_the_strategy_does(
    pytester, project
):
    given = ["--compactor=clients:falls_back", "-k", "first"]
    with serving(both_forms) as server:
        project(base(server), *given, "--compaction-trials=2")
        assert len(server.asked) == 4
    project(unused_url().removesuffix("/v1"), *given, "--compaction-replay",
            "--compaction-trials=3")  # fmt: skip
    found = {record["trial"]: record for record in records(pytester).records}
    assert {found[trial]["status"] for trial in (1, 2)} <= {"passed", "failed"}
    assert found[3]["status"] == "error"
    assert "is not in the store" in found[3]["reason"]


def test_a_request_that_is_too_long_is_refused_in_a_replay_too(pytester, project):
    given = ["--compactor=clients:shortens", "-k", "first"]
    with serving(too_long_at_first) as server:
        project(base(server), *given)
    first = seen(pytester)
    assert {one["code"] for one in first if "code" in one} == {"context_length_exceeded"}
    project(unused_url().removesuffix("/v1"), *given, "--compaction-replay")
    again = seen(pytester)
    own = ("key", "url")
    assert [[one.get(name) for name in one if name not in own] for one in again] == [
        [one.get(name) for name in one if name not in own] for one in first
    ]


def test_other_paths_are_served_or_refused_in_a_sentence(pytester, project):
    with serving(both_forms) as server:
        project(base(server), "--compactor=clients:others", "-k", "first-limit")
    (one, *_) = seen(pytester)
    assert (one["length"], one["models"]) == (2, ["gpt-4o-mini"])
    no_path, no_key = one["refused"]
    assert no_path.startswith("404 ")
    assert "--compaction-proxy does not pass on POST /v1/images/generations" in no_path
    assert no_key.startswith("401 ")
    assert "the local endpoint of --compaction-proxy" in no_key
    # The list of models and the count of tokens cost nothing and are on no bill.
    assert usage(pytester)["clients:others", "first", 1]["calls"] == 2


@pytest.mark.parametrize("name", ["plain", "pays_and_raises"])
def test_what_own_clients_ask_in_dialogues_is_in_the_records_in_dollars(pytester, project, name):
    """Each call costs 0.44; a strategy that ends in an error has paid all the same."""
    (pytester.path / "prices.json").write_text(json.dumps(PRICES))
    pytester.makepyfile(clients=STRATEGIES + PAYS_AND_RAISES)
    write(pytester.path, talk(1, 4))
    given = ["--compaction-cases=talks.jsonl", "--compaction-prices=prices.json"]
    with serving(both_forms) as server:
        project(base(server), *given, f"--compactor=clients:{name}")
        made = len(server.asked)
    (record,) = records(pytester).records
    assert record["type"] == "dialogue"
    assert record["usage"]["compaction"]["calls"] == made > 0
    assert record["usd"]["compaction"] == pytest.approx(0.44 * made)


PAYS_AND_RAISES = """

def pays_and_raises(messages, budget):
    plain(messages, budget)
    raise ValueError("cannot read the summary")
"""


THREADED = """
import concurrent.futures
import clients


def threaded(messages, budget):
    with concurrent.futures.ThreadPoolExecutor() as pool:
        return pool.submit(clients.falls_back, messages, budget).result()
"""


def test_a_call_for_no_case_that_is_known_is_counted_for_the_run(pytester, project):
    pytester.makepyfile(threads=THREADED)
    given = ["--compactor=threads:threaded", "-k", "first"]
    with serving(both_forms) as server:
        result = project(base(server), *given)
        assert len(server.asked) == 2
    assert usage(pytester)["threads:threaded", "first", 1]["calls"] == 0
    result.stdout.fnmatch_lines(["this run: 2 calls made, no price is known for gpt-4o-mini*"])
    store = pytester.path / ".pytest_compaction/store"
    store.rename(store.with_name("elsewhere"))
    result = project(unused_url().removesuffix("/v1"), *given, "--compaction-replay")
    result.stdout.fnmatch_lines(["note: a call of a strategy's own client, for no case that is*"])


def test_what_is_asked_outside_is_said_where_it_is_not_counted(pytester, project):
    said = "clients:plain: calls outside the plugin are not counted"
    with serving(both_forms) as server:
        result = project(base(server), "--compactor=clients:plain,clients:with_model,truncate",
                         "-k", "first-limit", proxy=False)  # fmt: skip
        result.stdout.fnmatch_lines([f"compaction: {said} (*--compaction-proxy does that *"])
        assert seen(pytester)[0]["key"] == KEY + ANTHROPIC_KEY
        for proxy, left_out in (
            (True, "is about 4 calls and * tokens in. Calls in the"),
            (False, "calls outside the plugin are not counted: what clients:plain"),
        ):
            result = project(base(server), "--compactor=clients:plain,anchored",
                             "--compaction-estimate", proxy=proxy)  # fmt: skip
            result.stdout.fnmatch_lines([f"*{left_out}*"])
            assert proxy == ("are not counted" not in str(result.stdout))
    result = project("http://127.0.0.1:1", "--compactor=clients:with_model,anchored",
                     "--compaction-estimate", proxy=False)  # fmt: skip
    result.stdout.no_fnmatch_line("*outside the plugin*")
    result.stdout.fnmatch_lines(["all models of this run work offline. Nothing was asked."])


@pytest.mark.parametrize("workers", [0, pytest.param(1, marks=pytest.mark.exhaustive)])
def test_a_client_made_on_import_is_replayed_and_estimated_without_a_key(
    pytester, project, monkeypatch, workers
):
    made = STRATEGIES.replace("TOOL = ", "CLIENT = OpenAI()\nTOOL = ").replace(
        "OpenAI().chat", "CLIENT.chat"
    )
    pytester.makepyfile(clients=made)
    with serving(both_forms) as server:
        assert project(base(server), "--compactor=clients:plain").ret < 2
        for name in VARIABLES:
            monkeypatch.delenv(name, raising=False)
        given = [*lean(), "--compactor=clients:plain", "--compaction-proxy"]
        replayed = pytester.runpytest_subprocess(*given, "--compaction-replay", f"-n{workers}")
        estimated = pytester.runpytest_subprocess(*given, "--compaction-estimate")
        assert len(server.asked) == 4
    assert {record["status"] for record in records(pytester).records} <= {"passed", "failed"}
    assert replayed.ret < 2
    estimated.stdout.fnmatch_lines(["*is about 4 calls and *"])


@pytest.mark.parametrize(
    "other", ["--compaction-export=out", "--compaction-executor=dask://host:1"]
)
def test_the_endpoint_is_refused_where_it_has_no_place(project, other):
    result = project("http://127.0.0.1:1", "--compactor=clients:plain", other)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*--compaction-proxy serves *{other.partition('=')[0]} has*"])
