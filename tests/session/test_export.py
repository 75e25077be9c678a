"""Batch files in place of an endpoint: what is exported is what the run asks for."""

import json

import pytest
from support.exporting import FOLDER, MODEL, answered, batch_lines, exported, refusal, result
from support.scenarios import own, records, refused, run, run_files, set_up, write_cases
from support.stub_endpoint import PRICED, long_case, reply_to, role_of, serving
from support.talks import talk, write
from support.worker_counts import BOTH

from pytest_compaction.cli import main
from pytest_compaction.session.session import shipped_cases

TWO = f"--compactor={own('keep')},anchored"
REPORT = "--compaction-over-budget=report"
"""``keep`` leaves more than these budgets allow, which is not what these tests are about."""
STORE = "--compaction-store=from-files"
POINTS = shipped_cases() / "debugging" / "lease_queue.json"


@pytest.fixture
def project(pytester, monkeypatch):
    """A project with cases that ``anchored`` compacts, and no endpoint."""
    set_up(pytester, "first", "second")
    write_cases(pytester, long_case("first"), long_case("second"))
    pytester.makeconftest(PRICED)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    return pytester


def folder(pytester):
    return pytester.path / FOLDER


def store_files(pytester, name):
    found = sorted((pytester.path / name).glob("??/*.json"))
    return {path.name: path.read_bytes() for path in found}


def without_times(pytester):
    return [{**record, "latency_s": None} for record in records(pytester).records]


def rounds(pytester, *arguments):
    """Export and answer until nothing is missing; the roles of each stage."""
    stages = []
    while True:
        shown = exported(pytester, *arguments, STORE)
        assert shown.ret == pytest.ExitCode.OK, shown.stdout.str()
        lines = batch_lines(folder(pytester))
        if not lines:
            shown.stdout.fnmatch_lines(["nothing is missing: *"])
            return stages
        assert answered(pytester, map(result, lines)) == 0
        stages.append([role_of(line["body"]) for line in lines])
        assert len(stages) < 12


def run_live(pytester, monkeypatch, *arguments):
    """The records of a run against the mock endpoint, and its store."""
    with serving() as stub, monkeypatch.context() as patch:
        patch.setenv("OPENAI_BASE_URL", stub.url)
        run(
            pytester,
            f"--compaction-model={MODEL}",
            "--compaction-store=live",
            REPORT,
            *arguments,
            compactor=None,
        )
    return without_times(pytester)


def replayed(pytester, *arguments):
    model = f"--compaction-model={MODEL}"
    run(pytester, model, STORE, REPORT, "--compaction-replay", *arguments, compactor=None)
    return without_times(pytester)


def test_files_lead_to_the_records_and_the_store_of_a_run_against_the_endpoint(
    project, monkeypatch
):
    live = run_live(project, monkeypatch, TWO)
    stages = rounds(project, TWO)
    assert replayed(project, TWO) == live
    assert {record["status"] for record in live} == {"passed"}
    assert store_files(project, "from-files") == store_files(project, "live")
    assert [set(stage) for stage in stages] == [
        {"compaction", "responder"},
        {"responder", "judge"},
        {"judge"},
    ], "what does not depend on a summary is asked at once"


@pytest.mark.exhaustive
def test_each_compaction_waits_for_the_one_before(project, monkeypatch):
    arguments = ("--compactor=anchored", f"--compaction-cases={POINTS}", "-k", "root-cause")
    arguments += ("--compaction-trigger=turns:6",)
    live = run_live(project, monkeypatch, *arguments)
    stages = rounds(project, *arguments)
    assert replayed(project, *arguments) == live
    assert store_files(project, "from-files") == store_files(project, "live")
    assert stages[-2:] == [["responder"], ["judge"]]
    assert len(stages) > 3
    assert all(stage == ["compaction"] for stage in stages[:-2])


FALLS_BACK = '''
from pytest_compaction.models.protocol import ModelError, SummaryRequest
from pytest_compaction.models.structured_summary import Section

NOTES = (Section("all", "Notes", "What matters.", ("intent",)),)


async def compact(messages, budget, model):
    """Asks for less where it got no summary."""
    try:
        reply = await model.summarize(SummaryRequest((), NOTES, budget))
    except ModelError:
        reply = await model.summarize(SummaryRequest((), NOTES, budget // 2))
    return [{"role": "user", "content": reply.summary.render(NOTES)}]
'''


def test_a_strategy_that_falls_back_without_its_summary_asks_for_nothing_else(project, monkeypatch):
    (project.path / "falls_back.py").write_text(FALLS_BACK)
    arguments = ("--compactor=falls_back:compact",)
    live = run_live(project, monkeypatch, *arguments)
    stages = rounds(project, *arguments)
    assert replayed(project, *arguments) == live
    assert store_files(project, "from-files") == store_files(project, "live")
    assert set(stages[0]) == {"compaction"}


def test_dialogues_are_answered_turn_by_turn(project, monkeypatch):
    write(project.path, talk(turns=4))
    arguments = ("--compactor=regenerate", "--compaction-cases=talks.jsonl")
    live = run_live(project, monkeypatch, *arguments)
    rounds(project, *arguments)
    assert replayed(project, *arguments) == live
    assert store_files(project, "from-files") == store_files(project, "live")


@pytest.mark.exhaustive
def test_trials_and_several_judges_are_exported_in_one_file_for_each_model(project):
    arguments = (TWO, "--compaction-trials=2", "--compaction-judge=gpt-4o-mini,gpt-4o")
    rounds(project, *arguments)
    run(
        project,
        f"--compaction-model={MODEL}",
        STORE,
        "--compaction-replay",
        REPORT,
        *arguments,
        compactor=None,
    ).assert_outcomes(passed=32)
    for path in (project.path / "from-files").rglob("*.json"):
        if role_of(json.loads(path.read_bytes())["request"]) == "judge":
            path.unlink()
    exported(project, *arguments, STORE)
    files = sorted(folder(project).glob("requests-*.jsonl"))
    texts = [path.read_text("utf-8") for path in files]
    models = [{json.loads(line)["body"]["model"] for line in text.splitlines()} for text in texts]
    assert models == [{"gpt-4o"}, {"gpt-4o-mini"}]


@BOTH
def test_an_export_asks_nothing_writes_no_records_and_gives_the_estimate(
    project, monkeypatch, workers
):
    with serving() as stub, monkeypatch.context() as patch:
        patch.setenv("OPENAI_BASE_URL", stub.url)
        shown = exported(project, workers, TWO, "--compaction-threshold=overall>=5")
        assert stub.calls == []
    assert shown.ret == pytest.ExitCode.OK
    assert run_files(project) == []
    words = " ".join(shown.stdout.str().split())
    assert "total 30 4 " in words
    assert "next: 10 requests (2 compaction, 8 responder)" in words
    assert f"out/requests-1.jsonl 10 for {MODEL} (chat.completions), " in words
    assert "pytest-compaction answers out RESULTS.jsonl" in words
    assert "(so far for 16 items)" in words
    assert "GATE" not in words


def test_the_lines_are_those_of_the_batch_format_and_the_same_in_two_exports(project):
    exported(project, TWO)
    first = {path.name: path.read_bytes() for path in folder(project).rglob("*.*")}
    exported(project, TWO)
    assert {path.name: path.read_bytes() for path in folder(project).rglob("*.*")} == first
    lines = batch_lines(folder(project))
    assert len({line["custom_id"] for line in lines}) == len(lines) == 10
    for line in lines:
        assert set(line) == {"custom_id", "method", "url", "body"}
        assert len(line["custom_id"]) == 64, "OpenAI takes no longer id"
        assert (line["method"], line["url"]) == ("POST", "/v1/chat/completions")


def test_replies_to_an_earlier_export_are_taken_after_another_one(project):
    exported(project, TWO)
    lines = batch_lines(folder(project))
    exported(project, TWO, "-k", "first")
    assert len(batch_lines(folder(project))) == 5
    assert answered(project, map(result, lines)) == 0
    exported(project, TWO)
    assert {role_of(line["body"]) for line in batch_lines(folder(project))} == {
        "responder",
        "judge",
    }


@pytest.mark.exhaustive
def test_what_a_model_refuses_is_left_out_of_the_next_export_and_found_by_the_run(project, capsys):
    exported(project, TWO, STORE)
    lines = batch_lines(folder(project))
    said = "Unsupported parameter: 'max_tokens' is not supported with this model."
    assert answered(project, [refusal(line, said, param="max_tokens") for line in lines]) == 0
    shown = capsys.readouterr().out
    assert f"{MODEL} refused 10 requests; export again: they are then sent with max_comp" in shown
    assert "10 exported requests have no reply yet" in shown

    exported(project, TWO, STORE)
    again = batch_lines(folder(project))
    assert [line["custom_id"] for line in again] == [line["custom_id"] for line in lines]
    assert all("max_completion_tokens" in line["body"] for line in again)
    assert not any("max_tokens" in line["body"] for line in again)
    rounds(project, TWO)
    assert {record["status"] for record in replayed(project, TWO)} == {"passed"}


def test_embeddings_are_exported_kept_and_paid_as_other_calls(project, monkeypatch):
    dense = "--compactor=rag:embedding=text-embedding-3-small"
    live = run_live(project, monkeypatch, dense)
    stages = rounds(project, dense)
    assert replayed(project, dense) == live
    assert store_files(project, "from-files") == store_files(project, "live")
    assert len(stages) == 4  # texts, questions, answers, judgements
    assert stages[0].count("embedding") > 4
    files = map(json.loads, store_files(project, "live").values())
    kept = [each for each in files if each["operation"] == "embeddings"]
    assert len(kept) == sum(stage.count("embedding") for stage in stages)
    vectors = [item["embedding"] for each in kept for item in each["reply"]["data"]]
    assert {(type(vector), len(vector)) for vector in vectors} == {(str, 72)}


def test_a_judgement_that_cannot_be_read_is_asked_for_again(project):
    arguments = ("--compactor=none", "-k", "first and limit")
    exported(project, *arguments)
    answered(project, map(result, batch_lines(folder(project))))
    exported(project, *arguments)
    (line,) = batch_lines(folder(project))
    body = reply_to(line["body"])
    body["choices"][0]["message"]["content"] = "Four points, I think."
    answered(project, [result(line, body)])
    exported(project, *arguments)
    (repair,) = batch_lines(folder(project))
    assert len(repair["body"]["messages"]) > len(line["body"]["messages"])
    answered(project, [result(repair)])
    exported(project, *arguments).stdout.fnmatch_lines(["nothing is missing: *"])


def test_native_compaction_is_named_as_what_batches_do_not_take(project):
    shown = exported(project, "--compactor=openai-compact")
    assert shown.ret == pytest.ExitCode.OK
    words = " ".join(shown.stdout.str().split())
    assert f"2 requests of responses.compact to {MODEL} not written: batches do not take" in words
    assert batch_lines(folder(project)) == []
    assert "nothing is missing" not in words


def test_a_strategy_that_breaks_is_named(project):
    shown = exported(project, f"--compactor={own('raises')}")
    words = " ".join(shown.stdout.str().split())
    assert "the summariser is out of order" in words
    assert "cannot be asked" in words


def test_a_folder_in_use_for_something_else_is_refused(project):
    folder(project).mkdir()
    (folder(project) / "notes.txt").write_text("mine")
    shown = exported(project, TWO)
    said = refused(shown)
    assert "is in use for something else; name an empty folder" in said
    assert [path.name for path in folder(project).iterdir()] == ["notes.txt"]


def test_plain_files_lead_to_a_replay_too(project):
    for _ in range(4):
        shown = exported(project, TWO, plain=True)
        requests = sorted((folder(project) / "requests").glob("*.txt"))
        if not requests:
            break
        for request in requests:
            call = json.loads((folder(project) / "calls" / f"{request.stem}.json").read_bytes())
            text = reply_to(call["body"])["choices"][0]["message"]["content"]
            assert call["body"]["messages"][-1]["content"] in request.read_text()
            (folder(project) / "replies" / request.name).write_text(text)
        assert main(["answers", str(folder(project)), "--plain"]) == 0
    shown.stdout.fnmatch_lines(["nothing is missing: *"])
    model = f"--compaction-model={MODEL}"
    replay = "--compaction-replay"
    run(project, TWO, model, REPORT, replay, compactor=None).assert_outcomes(passed=16)
    spent = records(project).records[0]["usage"]
    assert spent["responder"]["input_tokens"] > 0, "counted here, as nobody reported it"
