"""What others claim, what is doubted, planned, conditional or quoted is uncertain, in every place.

A frame stands in a sentence, opens a list, or heads a section; `{fact}` in it takes a faithful
paraphrase. The rules were written with the tuning half of the frames, and the report half was read
once, when they were done. Firm frames say that the fact holds. Figures: docs/how-it-measures.md.
"""

import json
from collections import Counter
from itertools import islice
from pathlib import Path

import pytest
from calibration.test_paraphrases import FOLDER
from support.readings import statement_of

from pytest_compaction.text import Statement, TextIndex

FRAMES = Path(__file__).parent / "attribution"
HALVES = {"tuning": "design", "report": "report"}
"""The half of the paraphrases that the frames of a half are put around."""
FACTS = 8
"""Facts of a frame in the ordinary run; the exhaustive one takes them all."""
PLACES = ("inline", "list", "heading")
LEAST, MOST = 0.9, 0.03
"""Least share that a frame makes uncertain, and the most that a firm frame does."""
OTHERS = {
    "de": [
        ("die Pause dauert 45 Sekunden", (("Pause",), ("45 Sekunden",))),
        ("Odyssey wird nicht verwendet", (("Odyssey",), ("nicht verwendet",))),
        ("der Port ist 8443", (("Port",), ("8443",))),
        ("schema.sql wurde geändert", (("schema.sql",), ("geändert",))),
    ],
    "zh": [
        ("支付服务的超时是45秒", (("支付服务",), ("超时",), ("45秒",))),
        ("连接池采用PgBouncer", (("连接池",), ("PgBouncer",))),
        ("不要修改 schema.sql", (("schema.sql",), ("修改",))),
        ("端口是8443", (("端口",), ("8443",))),
    ],
}


def frames(half):
    """Language, place, kind and text of each frame of a half."""
    lines = (FRAMES / f"{half}.tsv").read_text("utf-8").splitlines()
    return [tuple(line.split("\t")) for line in lines if not line.startswith("#")]


def framed(place, frame, said):
    if place == "inline":
        return f"- {frame.replace('{fact}', said.rstrip('.'))}"
    return f"{'## ' if place == 'heading' else ''}{frame}\n\n- {said}\n- Nothing else is new."


def statements(half):
    """Facts with a paraphrase in one sentence that states them; a plan is none."""
    with (FOLDER / f"{HALVES[half]}.jsonl").open(encoding="utf-8") as lines:
        for item in map(json.loads, lines):
            asked = statement_of(item)
            said = item["paraphrase"]
            single = len(said) < 250 and not any(mark in said for mark in (". ", "; ", "?"))
            if single and item["type"] != "next_step" and stated(f"- {said}", asked):
                yield asked, said


def stated(text, asked):
    return TextIndex(text).read(asked).outcome == "stated"


def shares(half, facts):
    """The share of readings that are uncertain, by place, and that of the firm frames."""
    known = list(statements(half))
    found, total = Counter(), Counter()
    for number, (language, place, kind, frame) in enumerate(frames(half)):
        if language == "en":
            for asked, said in islice(known, number % 7, facts and 7 * facts, 7 if facts else 1):
                of = "firm" if kind == "firm" else place
                total[of] += 1
                reading = TextIndex(framed(place, frame, said)).read(asked)
                found[of] += reading.outcome == "uncertain"
    return {of: found[of] / total[of] for of in total}


@pytest.mark.parametrize("facts", [FACTS, pytest.param(None, marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize("half", HALVES)
def test_what_others_say_is_uncertain_and_what_is_firm_is_not(half, facts):
    found = shares(half, facts)
    assert all(found[place] >= LEAST for place in PLACES), found
    assert found["firm"] <= MOST, found


@pytest.mark.parametrize("half", HALVES)
def test_each_half_has_frames_of_every_place_and_kind(half):
    kinds = Counter(kind for language, _, kind, _ in frames(half) if language == "en")
    assert set(kinds) == {"attribution", "doubt", "plan", "condition", "quotation", "firm"}
    assert sum(kinds.values()) - kinds["firm"] >= 24
    assert {place for _, place, _, _ in frames(half)} == {*PLACES}


@pytest.mark.parametrize("half", HALVES)
@pytest.mark.parametrize("language", OTHERS)
def test_frames_of_other_languages_make_uncertain(half, language):
    outcomes = []
    for code, place, _, frame in frames(half):
        for text, keys in OTHERS[language] if code == language else ():
            asked = Statement(text, keys=keys, language=language)
            assert stated(f"- {text}", asked)
            outcomes.append(TextIndex(framed(place, frame, text)).read(asked).outcome)
    assert outcomes.count("uncertain") >= LEAST * len(outcomes)
    assert len(outcomes) >= 20
