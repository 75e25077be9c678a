"""Probes written by a model: kept if the log confirms them, else refused with a reason."""

import asyncio
import json

import pytest
from support.builders import session, user
from support.endpoint_builders import Replies

from pytest_compaction import cli
from pytest_compaction.case_making import by_model as probe_source
from pytest_compaction.case_making.by_model import EXCERPT_TOKENS, ModelProbes, prompt, write_probes
from pytest_compaction.conversation import TokenCounter
from pytest_compaction.conversation.formats.chat import from_chat
from pytest_compaction.models import ModelError
from pytest_compaction.secrets import STAND_IN

LOG = from_chat(session(turns=10))
POINTS = [len(LOG) // 2, len(LOG) - 1]


def reply(*probes):
    text = probes[0] if probes and isinstance(probes[0], str) else json.dumps({"probes": probes})
    return {"choices": [{"finish_reason": "stop", "message": {"content": text}}]}


def probe(question="Where was the first limit set?", *texts, kind="recall", **more):
    facts = [
        {"text": t, "type": "path", "change": "", "keys": [[t]], "evidence": ["m1"]}
        for t in texts or ["module_0.py"]
    ]
    return {"kind": kind, "question": question, "facts": facts, "traps": [], **more}


def write(*bodies, count=8, points=POINTS):
    caller = Replies(*bodies)
    return asyncio.run(write_probes(caller, "m", LOG, points, count)), caller


def test_what_the_log_states_is_kept_with_the_places_where_it_does():
    written, caller = write(reply(probe()), reply())
    assert written.proposed == 1 and written.refused == {}
    (kept,) = written.probes
    assert kept["id"] == "recall-1-written"
    keys = [["module_0.py"]]
    evidence = ["m1", "m2", "m3"]
    assert kept["facts"] == [
        {"text": "module_0.py", "type": "path", "keys": keys, "evidence": evidence}
    ]
    assert len(caller.calls) == 2
    body = caller.calls[0].body
    assert body["response_format"]["json_schema"]["name"] == "probes"
    assert "m1 user" in body["messages"][-1]["content"]


@pytest.mark.parametrize(
    ("proposal", "reason"),
    [
        (probe("What?", "never said anywhere"), "a fact that the log does not state"),
        (probe("Was module_0.py changed?"), "a question that gives its answer away"),
        (probe("What?", "module_0.py", "module_0.py"), "the same fact twice in one probe"),
        (probe("What?", "module_9.py"), "a fact that the tail of the log still states"),
        (probe("What?", ""), "a fact in the wrong form"),
        (probe("What?", kind="trivia"), "a probe in the wrong form"),
        (
            probe("What?", kind="compliance"),
            "a compliance probe, whose options must be written by hand",
        ),
        (probe(""), "a probe in the wrong form"),
        ({"kind": "recall", "question": "What?", "facts": []}, "a probe without facts"),
        (probe("What?") | {"facts": "module_0.py"}, "a probe without facts"),
        (probe("What?") | {"facts": [5]}, "a fact in the wrong form"),
        (probe(f"What is {STAND_IN}1?"), "a redacted value"),
        (5, "a probe in the wrong form"),
    ],
)
def test_what_does_not_hold_is_refused_with_the_reason(proposal, reason):
    written, _ = write(reply(proposal), reply())
    assert written.probes == []
    assert written.refused == {reason: 1}


def test_the_same_is_not_asked_twice_and_no_stretch_takes_all_places():
    first = [probe(f"Question {n}?", f"module_{n}.py") for n in range(3)]
    second = [probe("Another?", "module_5.py"), probe("question  1?", "module_4.py")]
    written, _ = write(reply(*first), reply(*second), count=3)
    asked = [each["facts"][0]["text"] for each in written.probes]
    assert asked == ["module_0.py", "module_5.py", "module_1.py"]
    assert written.refused == {"a question asked before": 1}


def test_traps_that_the_facts_fall_into_or_that_stand_against_no_fact_are_dropped():
    stale = {"text": "module_7.py", "keys": [["module_7.py"]], "of": "module_0.py"}
    traps = [stale | {"text": "module_0.py", "keys": [["module_0.py"]]}, stale, 3]
    written, _ = write(reply(probe(traps=[*traps, stale | {"of": "module_5.py"}])), reply())
    assert written.probes[0]["traps"] == [stale]


@pytest.mark.parametrize(
    "keys",
    [None, "module_0.py", [], [[]], [["  "]], [[5]], [{}], [["x" * 900]], [["0"]], [["a"]] * 50],
)
def test_key_groups_in_a_wrong_form_are_made_by_rule(keys):
    fact = {"text": "module_0.py", "type": "identifier", "keys": keys}
    written, _ = write(reply(probe() | {"facts": [fact]}), reply())
    (made,) = written.probes[0]["facts"]
    assert made["keys"] == [["module_0.py"]]


def test_key_groups_that_the_log_does_not_bear_out_are_made_by_rule():
    fact = {"text": "module_0.py", "type": "value", "keys": [["module_0.py"], ["elephant"]]}
    written, _ = write(reply(probe() | {"facts": [fact]}), reply())
    assert written.probes[0]["facts"][0]["keys"] == [["module_0.py"]]


@pytest.mark.parametrize("type", ["poem", None, 5, ["path"], {}])
def test_an_unknown_type_or_change_is_replaced_by_that_of_the_kind(type):
    fact = {"text": "module_0.py", "type": type, "change": type, "keys": [["module_0.py"]]}
    written, _ = write(reply(probe() | {"facts": [fact]}), reply())
    (made,) = written.probes[0]["facts"]
    assert made["type"] == "value" and "change" not in made


@pytest.mark.parametrize("text", ["no idea", "{", '{"probes": 5}', "[]", "{" * 9000])
def test_a_reply_without_probes_counts_and_the_others_stand(text):
    written, _ = write(reply(text), reply(probe("Which file?", "module_3.py")))
    assert len(written.probes) == 1
    (reason,) = written.refused
    assert reason.startswith("a part of the session was not answered: m wrote no probes")


def test_text_around_the_json_does_no_harm():
    text = f"Here they are:\n```json\n{json.dumps({'probes': [probe()]})}\n```"
    written, _ = write(reply(text), reply())
    assert len(written.probes) == 1


def test_a_model_that_answers_nothing_is_an_error():
    with pytest.raises(ModelError, match="refused the connection"):
        write(ModelError("it refused the connection"))


def test_the_excerpt_is_bounded_and_cannot_be_closed_from_inside():
    counter = TokenCounter()
    messages = from_chat([{"role": "user", "content": "word " * 3000}] * 60)
    system, user = prompt(messages, 5, counter.text)
    assert counter.text(user["content"]) < EXCERPT_TOKENS + 500
    mark = system["content"].split("the mark ")[1].split(".")[0]
    assert user["content"].count(mark) == 2
    assert "$" not in user["content"]


def imported(tmp_path, capsys, monkeypatch, caller):
    monkeypatch.setattr(
        "pytest_compaction.commands.import_transcripts.model_probes",
        lambda name, store: ModelProbes(name, caller, lambda: None),
    )
    source = tmp_path / "s.json"
    last = user("Please fix the retry limit in src/module_9.py for the tests.")
    system, *turns = session(turns=10)
    values = user("The retry limit of a worker must never exceed 64 tries.")
    source.write_text(json.dumps([system, values, *turns, last]), "utf-8")
    code = cli.main(["import", str(source), "-o", str(tmp_path / "cases"), "--model", "big"])
    out, err = capsys.readouterr()
    return code, out, err, tmp_path / "cases/s.json"


def test_import_says_what_the_model_proposed_and_what_was_kept(tmp_path, capsys, monkeypatch):
    caller = Replies(reply(probe(), probe("What?", "never said anywhere")), reply())
    code, out, err, path = imported(tmp_path, capsys, monkeypatch, caller)
    assert (code, err) == (0, "")
    assert "by big: 2 proposed, 1 kept" in out
    assert "not kept             1  a fact that the log does not state" in out
    kept = json.loads(path.read_text("utf-8"))["proposed"][0]
    assert kept["question"] == "Where was the first limit set?"


def test_rules_stand_in_where_nothing_was_kept(tmp_path, capsys, monkeypatch):
    code, out, _, path = imported(tmp_path, capsys, monkeypatch, Replies(reply()))
    assert code == 0
    assert "by big: 0 proposed, 0 kept; the probes are made by rules" in out
    assert json.loads(path.read_text("utf-8"))["probes"]


def test_a_dead_endpoint_is_an_error_that_says_what_to_do(tmp_path, capsys, monkeypatch):
    caller = Replies(ModelError("connection refused"))
    code, _, err, path = imported(tmp_path, capsys, monkeypatch, caller)
    assert code == 1
    assert "no probes by big: connection refused. Without --model, rules make them" in err
    assert not path.exists()


def test_a_slip_in_the_name_of_the_offline_model_is_no_endpoint(tmp_path, capsys):
    assert cli.main(["import", "x", "-o", str(tmp_path), "--model", "offlin"]) == 1
    assert "did you mean 'offline'" in capsys.readouterr().err


def test_models_are_connected_with_a_store(tmp_path, monkeypatch):
    made = probe_source.model_probes("big", tmp_path / "store")
    assert made.name == "big"
    made.close()
