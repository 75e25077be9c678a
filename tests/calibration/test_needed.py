"""Facts that are asked because a session needed them: what readers say of them, and of controls.

docs/developers/instrument.md gives these figures and says how they came about.
"""

import json
import random
from collections import Counter
from pathlib import Path
from statistics import fmean

import pytest
from support.pages import DOCS
from support.paths import public_data

from pytest_compaction.case_making.derive import UNLIKELY
from pytest_compaction.metrics import weighted_kappa
from tests.calibration.needed import sheets

FOLDER = Path(__file__).parent / "needed"
MOVED = {"commands", "file-gaps", "findings", "states"}
"""Families that were asked when they were read, and are proposals since then."""


def rows(name):
    with (FOLDER / f"{name}.jsonl").open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def share(found, verdict, reader):
    return fmean(row["readers"][reader] == verdict for row in found)


@pytest.mark.parametrize(
    ("kind", "size", "hurt", "wrong"),
    [
        ("asked", 94, (0.72, 0.70), (0.06, 0.04)),
        ("control", 80, (0.36, 0.30), (0.26, 0.32)),
        ("proposed", 60, (0.30, 0.18), (0.13, 0.13)),
    ],
)
def test_the_page_says_what_readers_found(kind, size, hurt, wrong):
    found = [row for row in rows("unseen") if row["kind"] == kind]
    assert len(found) == size
    for reader in (0, 1):
        assert share(found, "hurt", reader) == pytest.approx(hurt[reader], abs=0.006)
        assert share(found, "wrong", reader) == pytest.approx(wrong[reader], abs=0.006)


def test_the_page_says_what_readers_found_where_nothing_shown_tells_a_fact():
    found = rows("other_projects")
    asked = [row for row in found if row["kind"] == "asked"]
    controls = [row for row in found if row["kind"] == "control"]
    assert (len(asked), len(controls)) == (108, 39)
    assert fmean(row["after"] == "hurt" for row in asked) == pytest.approx(0.71, abs=0.006)
    assert fmean(row["after"] == "hurt" for row in controls) == pytest.approx(0.38, abs=0.006)
    assert not any(row["after"] == "wrong" for row in found)
    assert fmean(row["before"] == "hurt" for row in asked) == pytest.approx(0.55, abs=0.006)
    assert fmean(row["before"] == "hurt" for row in controls) == pytest.approx(0.36, abs=0.006)
    assert fmean(row["before"] == "wrong" for row in asked) == pytest.approx(0.10, abs=0.006)
    kappa = weighted_kappa([(row["before"] == "hurt", row["after"] == "hurt") for row in found])
    assert kappa == pytest.approx(0.69, abs=0.006)
    types = ("decision", "constraint", "value", "error")
    assert fmean(row["type"] in types for row in asked) == pytest.approx(0.35, abs=0.006)
    for count, figures in (("guessed", (9, 6, 21)), ("guessed_2", (8, 7, 27))):
        told = Counter(row["family"] for row in asked if row[count])
        assert (told["requests"], told["open-steps"], told.total()) == figures
    assert sum(row["guessed"] and row["guessed_2"] for row in asked) == 19
    told = Counter(row["family"] for row in asked if row["guessed_from_views"])
    assert (told["open-steps"], told["answer"], told.total()) == (8, 8, 23)
    of = Counter(row["family"] for row in asked)
    assert (of["open-steps"], of["answer"]) == (20, 13)
    both = [row for row in found if row["kind"] != "stated only"]
    hurts = [row["after"] == "hurt" for row in both]
    needed = sheets.auc([float(row["kind"] == "asked") for row in both], hurts)
    assert needed == pytest.approx(0.64, abs=0.006)
    others = sheets.auc(sheets.by_other_projects(both, hurts), hurts)
    assert others == pytest.approx(0.69, abs=0.006)


@pytest.mark.parametrize(
    ("kind", "size", "hurt", "wrong"),
    [
        ("asked", 98, (0.72, 0.72), 0.01),
        ("control", 43, (0.19, 0.09), 0.02),
        ("proposed", 20, (0.60, 0.65), 0.05),
        ("stated only", 18, (0.06, 0.28), 0.0),
    ],
)
def test_the_page_says_what_readers_found_in_sessions_that_no_rule_was_made_with(
    kind, size, hurt, wrong
):
    held = [row for row in rows("eight_projects") if row["kind"] == kind]
    assert len(held) == size
    for reader, share in zip(("before", "after"), hurt, strict=True):
        assert fmean(row[reader] == "hurt" for row in held) == pytest.approx(share, abs=0.006)
        assert fmean(row[reader] == "wrong" for row in held) == pytest.approx(wrong, abs=0.006)


def test_being_needed_tells_more_than_mentions_distance_and_type_in_other_projects():
    found = rows("eight_projects")
    assert weighted_kappa(
        [(row["before"] == "hurt", row["after"] == "hurt") for row in found]
    ) == pytest.approx(0.81, abs=0.006)
    asked = {row["id"]: row for row in found if row["kind"] == "asked"}
    assert len({row["session"] for row in found}) == 53
    types = ("decision", "constraint", "value", "error")
    assert fmean(row["type"] in types for row in asked.values()) == pytest.approx(0.27, abs=0.006)
    guessed = Counter(row["family"] for row in asked.values() if row["guessed"])
    told_of = [guessed[name] for name in ("next-needs", "changed-files", "requests", "rules")]
    assert (guessed.total(), told_of) == (21, [9, 3, 2, 2])
    paired = [asked[row["of"]] for row in found if row["kind"] == "control"]
    for reader in ("before", "after"):
        assert fmean(row[reader] == "hurt" for row in paired) == pytest.approx(0.60, abs=0.006)
    both = [row for row in found if row["kind"] in ("asked", "control")]
    hurts = [(row["before"], row["after"]) == ("hurt", "hurt") for row in both]

    def told(scores):
        value = sheets.auc(scores, hurts)
        return max(value, 1 - value)

    assert told([float(row["kind"] == "asked") for row in both]) == pytest.approx(0.75, abs=0.006)
    assert told(sheets.by_other_projects(both, hurts)) == pytest.approx(0.52, abs=0.006)
    assert told([row["distance"] for row in both]) == pytest.approx(0.70, abs=0.006)
    assert told([row["mentions"] for row in both]) == pytest.approx(0.51, abs=0.006)


def test_sheets_show_no_reader_what_is_asked_and_what_is_a_control(tmp_path, capsys):
    sheets.make(tmp_path, [public_data("claude-code/session.jsonl")])
    key = list(map(json.loads, (tmp_path / "key.jsonl").read_text("utf-8").splitlines()))
    assert {row["kind"] for row in key} == {"asked", "control"}
    (sheet,) = tmp_path.glob("before-*.txt")
    shown = sheet.read_text("utf-8")
    assert "control" not in shown and all(row["fact"] in shown for row in key)
    assert len({row["fact"] for row in key}) == len(key)
    for row in key:
        log = tmp_path / "logs" / f"{row['session']}-{row['point']}.txt"
        assert f"[{row['after']} " in log.read_text("utf-8").splitlines()[-1]
    for side in ("before", "after"):
        lines = [f"{r['id']} {'hurt' if r['kind'] == 'asked' else 'trivial'}" for r in key]
        (tmp_path / f"{side}-1.verdicts").write_text("\n".join(lines), "utf-8")
    capsys.readouterr()
    sheets.score(tmp_path)
    out = capsys.readouterr().out
    assert "100%, 100%" in out and "kappa of hurt: 1.00" in out and "AUC of needed: 1.00" in out


def test_proposals_that_readers_would_rarely_confirm_are_withheld():
    found = [r for r in rows("unseen") if r["kind"] == "proposed" or r["family"] in MOVED]
    for family in UNLIKELY:
        held = [row for row in found if row["family"] == family]
        assert fmean(share(held, "hurt", reader) for reader in (0, 1)) < 0.4, family


def test_readers_agree_and_the_families_that_stay_hurt_more():
    found = rows("unseen")
    assert weighted_kappa([tuple(v == "hurt" for v in row["readers"]) for row in found]) >= 0.75
    stay = [row for row in found if row["kind"] == "asked" and row["family"] not in MOVED]
    assert len(stay) == 70
    assert [round(share(stay, "hurt", reader), 2) for reader in (0, 1)] == [0.8, 0.79]
    assert max(share(stay, "wrong", reader) for reader in (0, 1)) <= 0.03


def test_the_page_says_how_far_being_needed_tells_what_readers_would_miss():
    found = [row for row in rows("unseen") if row["kind"] != "proposed"]
    hurts = [row["readers"] == ["hurt", "hurt"] for row in found]
    asked = [float(row["kind"] == "asked") for row in found]
    stay = [n for n, row in enumerate(found) if row["family"] not in MOVED]
    assert sheets.auc(asked, hurts) == pytest.approx(0.71, abs=0.006)
    still = sheets.auc([asked[n] for n in stay], [hurts[n] for n in stay])
    assert still == pytest.approx(0.75, abs=0.006)

    def by_type(row):
        projects = (other["session"].split("_")[0] for other in found)
        others = [
            (other["type"], hurt)
            for other, hurt, project in zip(found, hurts, projects, strict=True)
            if project != row["session"].split("_")[0]
        ]
        alike = [hurt for type, hurt in others if type == row["type"]]
        return (sum(alike) + 2 * fmean(hurt for _, hurt in others)) / (len(alike) + 2)

    assert sheets.auc(list(map(by_type, found)), hurts) == pytest.approx(0.68, abs=0.006)


def test_a_call_misses_its_name_more_often_without_the_needed_fact_than_without_a_control():
    found = rows("next_calls")
    sessions = sorted({row["session"] for row in found})
    assert (len(found), len(sessions)) == (54, 19)

    def more(names):
        drawn = [row for name in names for row in found if row["session"] == name]
        return fmean(row["without_control"] - row["without_fact"] for row in drawn)

    assert more(sessions) == pytest.approx(0.09, abs=0.006)
    draw = random.Random(1)
    means = sorted(more(draw.choices(sessions, k=len(sessions))) for _ in range(1_000))
    assert means[25] >= -0.01


def test_the_facts_of_the_real_cases_were_confirmed_by_another_reader():
    verdicts = Counter(row["verdict"] for row in rows("confirmed"))
    assert verdicts == {"hurt": 384, "trivial": 69, "wrong": 6}


def test_the_page_says_how_often_a_model_chose_the_next_call_of_a_real_case():
    found = rows("next_choices")
    assert len({row["case"] for row in found}) == 10
    right = {c: sum(row[c] == row["right"] for row in found) for c in ("view", "tail", "full")}
    page = " ".join((DOCS / "losses.md").read_text("utf-8").split())
    assert (
        f"right at {right['full']} of {len(found)} points of ten real cases from the full log, "
        f"at {right['tail']} from the newest messages and at {right['view']} from the views"
    ) in page
