"""How a model reads dense summaries: its requests, and its replies against two readers."""

import json

import pytest
from support.pages import DOCS

from tests.benchmarks import reader


@pytest.fixture
def replied(tmp_path, monkeypatch):
    """Keeps the replies of a reader that says of each fact what ``outcome`` makes of its labels."""

    def keep(outcome, passage=lambda summary: summary[:40]):
        monkeypatch.setattr(reader, "KEPT", tmp_path / "kept.json")
        sets = reader.sets()
        labels = {f["text"]: f["labels"] for given in sets.values() for f in given["facts"]}
        for name, request in reader.requests():
            summary = request.view[0][1]
            said = {
                str(n): {"passage": passage(summary), "outcome": outcome(labels[claim.text])}
                for n, claim in enumerate(request.claims, 1)
            }
            (tmp_path / f"{name}.json").write_text(f"Here it is:\n{json.dumps(said)}\n", "utf-8")
        return reader.keep_replies(tmp_path, "a model", "2026-11-30")

    return keep


def test_every_fact_is_asked_about_once_and_no_label_is_shown(tmp_path):
    assert reader.write_requests(tmp_path) == 30
    texts = [path.read_text("utf-8") for path in sorted(tmp_path.glob("*.txt"))]
    facts = [fact for given in reader.sets().values() for fact in given["facts"]]
    assert len(facts) == 300
    for fact in facts:
        assert sum(f"] {fact['text']}\n" in text for text in texts) == 1
    assert not any('"labels"' in text or 'contradicted", "' in text for text in texts)


def test_a_reader_that_says_what_the_first_one_said_agrees_with_it_wholly(replied, capsys):
    assert replied(lambda labels: labels[0]) == []
    reader.main([])
    shown = capsys.readouterr().out
    assert "| a model | 1.00 | 1.00 | 168 of 168 | 0 of 132 |" in shown
    assert "| rules | 0.80 | 0.80 | 147 of 168 | 9 of 132 |" in shown
    assert "300 facts; 0 left unread" in shown


def test_the_page_shows_how_a_model_read_them():
    rows = list(reader.rows())
    page = (DOCS / "how-it-measures.md").read_text("utf-8")
    _, _, section = page.partition("## A model as reader")
    shown = "\n".join(reader.table(rows)).partition("\n\n")[0]
    assert shown in section
    unread = sum(row.model is None for row in rows)
    assert f"it left {unread} of {len(rows)} facts unread" in " ".join(section.split())


def test_made_up_passages_count_on_no_side(replied, capsys):
    replied(lambda labels: labels[0], lambda summary: "nobody wrote this")
    rows = list(reader.rows())
    assert [row.model for row in rows if row.label != "absent"] == [None] * 229
    reader.main([])
    assert "71 facts; 229 left unread" in capsys.readouterr().out


def test_replies_that_are_missing_or_broken_are_named(replied, tmp_path, capsys):
    replied(lambda labels: labels[0])
    (tmp_path / "english-web-1.json").unlink()
    (tmp_path / "english-web-2.json").write_text("{}")
    reader.main(["--replies", str(tmp_path)])
    shown = capsys.readouterr().out
    assert "english-web-1.json: " in shown
    assert "english-web-2.json: the object lacks 1, 2" in shown
    assert "280 facts; 0 left unread" in shown
