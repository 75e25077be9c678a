"""How a model reads dense summaries: its requests, and its replies against two readers."""

import json

import pytest
from support.pages import DOCS

from tests.benchmarks import reader

FACTS = [fact for kind in reader.KINDS.values() for given in kind() for fact in given.facts]


@pytest.fixture
def replied(tmp_path, monkeypatch):
    """Keeps the replies of a reader that says of each fact what ``outcome`` makes of its label."""

    def keep(outcome, passage=lambda summary: summary[:40]):
        monkeypatch.setattr(reader, "KEPT", tmp_path / "kept.json")
        labels = {fact.asked.text: fact.labels[0] for fact in FACTS}
        for name, request in reader.requests():
            quoted = passage(request.view[0][1])
            said = {
                str(n): {"passage": quoted, "outcome": outcome(labels[claim.text])}
                for n, claim in enumerate(request.claims, 1)
            }
            (tmp_path / f"{name}.json").write_text(f"Here it is:\n{json.dumps(said)}\n", "utf-8")
        return reader.keep_replies(tmp_path, "a model", "2026-11-30")

    return keep


def as_labelled(label):
    return "uncertain" if label == "partly" else label


def test_every_fact_is_asked_about_once_and_no_label_is_shown(tmp_path):
    assert reader.write_requests(tmp_path) == 44
    texts = [path.read_text("utf-8") for path in sorted(tmp_path.glob("*.txt"))]
    assert len(FACTS) == 420
    for fact in FACTS:
        line = " ".join(fact.asked.text.split())
        assert sum(f"] {line}\n" in text for text in texts) == 1
    assert not any('"labels"' in text for text in texts)


def test_a_reader_that_says_what_the_first_one_said_agrees_with_it_wholly(replied, capsys):
    assert replied(as_labelled) == []
    reader.main([])
    shown = capsys.readouterr().out
    assert "| English | a model | 1.00 | 1.00 | 168 of 168 | 0 of 132 |" in shown
    assert "| English | rules | 0.81 | 0.81 | 147 of 168 | 7 of 132 |" in shown
    assert "| real compactions | a model | 1.00 | 0.98 | 55 of 55 | 0 of 65 |" in shown
    assert "real compactions: 120 facts, 0 unread" in shown


def test_the_page_shows_how_a_model_read_them():
    page = (DOCS / "how-it-measures.md").read_text("utf-8")
    _, _, section = page.partition("## A model as reader")
    read = {kind: found for kind in reader.KINDS if (found := list(reader.rows(kind)))}
    assert len(read["English"]) == 300
    for kind, found in read.items():
        assert "\n".join(reader.table(kind, found)) in section
        unread = sum(row.model is None for row in found)
        assert f"{unread} of {len(found)}" in section


def test_made_up_passages_count_on_no_side(replied, capsys):
    replied(as_labelled, lambda summary: "nobody wrote this")
    reader.main([])
    assert "English: 300 facts, 229 unread" in capsys.readouterr().out


def test_replies_that_are_missing_or_broken_are_named(replied, tmp_path, capsys):
    replied(as_labelled)
    (tmp_path / "english-web-1.json").unlink()
    (tmp_path / "english-web-2.json").write_text("{}")
    reader.main(["--replies", str(tmp_path)])
    shown = capsys.readouterr().out
    assert "english-web-1.json: " in shown
    assert "english-web-2.json: the object lacks 1, 2" in shown
    assert "English: 280 facts, 0 unread" in shown
