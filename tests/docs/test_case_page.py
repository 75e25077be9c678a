"""The page about cases shows a case that can be used, and the words that it says decide."""

import json

from support.pages import DOCS, blocks

from pytest_compaction.case import Case, case_from_json
from pytest_compaction.case_making import inspect
from pytest_compaction.text import TextIndex


def example() -> dict[str, object]:
    shown = [block for language, block in blocks(DOCS / "cases.md") if language == "json"]
    data: dict[str, object] = json.loads(shown[0])
    return data


def with_the_choice() -> dict[str, object]:
    shown = [block for language, block in blocks(DOCS / "cases.md") if language == "json"]
    data = example()
    [choice] = [each for each in map(json.loads, shown) if each.get("kind") == "compliance"]
    probes = [*data["probes"], choice]
    return {**data, "probes": probes}


def outcomes(case: Case, text: str) -> list[str]:
    index = TextIndex(text)
    return [index.read(fact.statement).outcome for fact in case.probes[0].facts]


def test_the_example_is_a_case_without_errors(tmp_path) -> None:
    path = tmp_path / "case.json"
    path.write_text(json.dumps(example()), "utf-8")
    inspected = inspect([path], tail=0, answer=False)
    assert len(inspected.cases) == 1
    # A log of four messages fits every budget.
    assert [each.rule for each in inspected.findings if each.level == "error"] == []


def test_the_forced_choice_fits_the_example_without_a_finding(tmp_path) -> None:
    path = tmp_path / "case.json"
    path.write_text(json.dumps(with_the_choice()), "utf-8")
    (case,) = inspect([path], tail=0, answer=False).cases
    assert case.probes[1].choice is not None
    found = inspect([path], tail=0).findings
    assert [each.rule for each in found if each.pointer.startswith("/probes/1")] == []


def test_what_the_page_says_about_its_facts_holds() -> None:
    case = case_from_json(example())
    for text in ("They moved the broker to :6390.", "The message queue's port is 6390."):
        assert outcomes(case, text)[0] == "stated"
    for text in ("The broker is no longer on 6390.", "The broker listens on port 6379."):
        assert outcomes(case, text)[0] == "contradicted"
    assert outcomes(case, "The broker works.")[0] == "absent"
    assert outcomes(case, "Edited broker.toml.")[1] == "stated"
    assert outcomes(case, "The proxy must not be restarted.")[2] == "stated"
    assert outcomes(case, "I restarted the proxy.")[2] != "stated"
