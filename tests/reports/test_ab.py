"""Versions of one strategy in a run, side by side: in Markdown and on the page."""

import json

import pytest
from support.changed_runs import header, lowered, run_of
from support.finished import finished

from pytest_compaction.metrics import by_arm
from pytest_compaction.records import Run
from pytest_compaction.reports import PageRun, ab_markdown, page_of, versions_of
from pytest_compaction.reports.json_report import report_json

OLD, NEW = "anchored:prompt=old.md", "anchored:prompt=new.md"
OTHERS = ("truncate", "none", "window", "window:keep=3")


@pytest.fixture
def run():
    """A run of two prompts and of strategies that are no versions of each other."""
    records = run_of(lambda number, probe: 4.0 + number % 3 / 4, compactor=OLD)
    records += [{**each, "compactor": NEW} for each in lowered(0.5, spread=0.25)]
    for name in OTHERS:
        records += run_of(lambda number, probe: 1.0, compactor=name)
    prompts = {OLD: "Keep names.\nBe brief.", NEW: "Keep names.\n```\nBe complete."}
    more = {"file": "a.md", "digest": "0123", "instruction": ""}
    said = [{"strategy": name, "user": text, **more} for name, text in prompts.items()]
    head = header(compactors=[OLD, NEW, *OTHERS], prompts=said)
    items = {f"{r['item']}-{r['compactor']}": r for r in records}
    return Run(head, items)


def found(run):
    (ab,) = versions_of(by_arm(run.records), run.header)
    return ab


def test_only_parameters_make_versions_and_the_first_named_is_the_old_one(run):
    assert [each.name for each in found(run).versions] == [OLD, NEW]
    run.header["settings"]["compactors"] = [NEW, OLD]
    assert [each.name for each in found(run).versions] == [NEW, OLD]


def test_markdown_names_facts_and_shows_the_diff_in_a_fence_that_it_cannot_end(run):
    text = "\n\n".join(ab_markdown(found(run)))
    assert "## A/B: anchored:prompt=old.md → anchored:prompt=new.md" in text
    assert "worse (p 0.000)" in text.replace("\\", "")
    assert "Facts lost (24)" in text
    assert "case-00-p: fact of p" in text.replace("\\", "")
    fence = text[text.index("````diff") :]
    assert "-Be brief.\n+```\n+Be complete." in fence
    assert fence.endswith("\n````")
    assert "A/B noise" not in text and "A/A noise needs two trials" in text


def test_the_page_shows_the_same_and_nothing_of_a_run_of_one_version(run):
    page = page_of([PageRun("0001", run)])
    assert "A/B of 2 versions" in page
    assert "Facts lost (24)" in page
    assert "+Be complete." in page
    assert page.count('class="comparison ab"') == 1
    only = {name: r for name, r in run.by_item.items() if r["compactor"] != NEW}
    assert list(versions_of(by_arm(only.values()), run.header)) == []
    assert 'class="comparison ab"' not in page_of([PageRun("0001", Run(run.header, only))])


def test_the_text_of_the_strategy_is_compared_with_the_file_that_replaced_it(run):
    for each in run.records:
        if each["compactor"] == OLD:
            each["compactor"] = "anchored"
    old, new = run.header["settings"]["prompts"]
    run.header["settings"]["compactors"] = ["anchored", NEW, *OTHERS]
    run.header["settings"]["prompts"] = [{**new, "replaced": old["user"]}]
    [(title, text)] = found(run).diffs()
    assert title == "Prompts"
    assert text.startswith("--- anchored\n+++ anchored:prompt=new.md\n")
    assert "-Be brief.\n" in text and text.endswith("+Be complete.")
    run.header["settings"]["prompts"] = [{**new, "strategy": "anchored:summary=0.5:prompt=b.md"}]
    assert list(found(run).diffs()) == []


def test_json_has_the_same_figures(run):
    made = finished(*run.records, header=run.header)
    [data] = json.loads(report_json(made))["ab"]
    assert [each["name"] for each in data["versions"]] == [OLD, NEW]
    [change] = data["changes"]
    assert (change["from"], change["to"]) == (OLD, NEW)
    assert change["figures"]["overall"]["difference"]["value"] == pytest.approx(
        found(run).changes[0].figures[0].both.value
    )
    assert change["figures"]["overall"]["noise"] is None
    assert len(change["facts"]["gone"]) == 24
    assert change["facts"]["gone"][0]["text"] == "fact of p"
