"""The command that holds a judge against the readers of real summaries, with a mock judge."""

import json

import pytest
from calibration import judged_labels

from pytest_compaction.cli import main


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "out"


def run(tmp_path, *arguments):
    return judged_labels.main([*map(str, arguments), "--store", str(tmp_path / "store")])


def reply(call, labels):
    """The judgement of a judge that says of each fact what the first reader said."""
    score = 5 if all(labels) else 3 if any(labels) else 0
    properties = call["body"]["response_format"]["json_schema"]["schema"]["properties"]
    said = {}
    for name, inner in properties.items():
        kind = {"facts": "stated", "stale_claims": "hit", "criteria": "score"}[name]
        said[name] = {key: {"reasoning": "read", kind: score} for key in inner["properties"]}
        if kind != "score":
            said[name] = {key: {"reasoning": "read", kind: False} for key in inner["properties"]}
    for key in said.get("facts", {}):
        said["facts"][key]["stated"] = labels.pop(0)
    return json.dumps(said)


def figures(tmp_path):
    """Kappa of each two readers of the report half."""
    assert run(tmp_path, "figures", "--half", "report", "--json", tmp_path / "found.json") == 0
    found = json.loads((tmp_path / "found.json").read_text("utf-8"))
    return {(f["first"], f["second"]): f["kappa"] for f in found if f["half"] == "report"}


def test_a_judge_that_reads_as_a_reader_agrees_with_that_reader(tmp_path, folder, capsys):
    assert run(tmp_path, "export", folder, "--half", "report") == 0
    by_call = {}
    for rows, request in judged_labels.requests("report"):
        by_call[request.facts[0].text] = [row["labels"][0] == "stated" for row in rows]
    requests = sorted((folder / "requests").glob("*.txt"))
    assert len(requests) == len(by_call)
    for path in requests:
        call = json.loads((folder / "calls" / f"{path.stem}.json").read_bytes())
        text = call["body"]["messages"][-1]["content"]
        (labels,) = (found for fact, found in by_call.items() if "1. [" in text and fact in text)
        (folder / "replies" / path.name).write_text(reply(call, list(labels)))
    assert main(["answers", str(folder), "--plain"]) == 0
    capsys.readouterr()
    kappa = figures(tmp_path)
    assert "0 judgements are missing" in capsys.readouterr().out
    assert kappa["judge", "reader 1"] == pytest.approx(1)
    assert kappa["judge", "reader 2"] == kappa["reader 1", "reader 2"]
    assert kappa["matcher", "reader 1"] == kappa["judge", "matcher"] > 0.5


def test_every_fact_is_asked_once():
    asked = [row["id"] for rows, _ in judged_labels.requests() for row in rows]
    assert len(asked) == len(set(asked)) == 270
    assert all(len(request.facts) <= judged_labels.FACTS for _, request in judged_labels.requests())
