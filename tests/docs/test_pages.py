"""The pages hold together: short README, links that lead somewhere, code that can be read."""

import json
import re
import tomllib

import pytest
from support.builders import context_of
from support.pages import DOCS, PAGES, README, arguments, blocks, commands, name, prose, text
from support.paths import ROOT
from support.readme_blocks import PAGE_OF, has_records, shown

from pytest_compaction import cli
from pytest_compaction.checking import INVARIANTS
from pytest_compaction.compactors import named_strategies
from pytest_compaction.compactors.registry import Registry
from pytest_compaction.compactors.specs import parse_spec
from pytest_compaction.importers import load_importers
from pytest_compaction.options.table import LISTING_FLAG, OPTIONS

README_LINES = 150
LINKED = (*PAGES, ROOT / "cases/README.md")

BY_PAGE = pytest.mark.parametrize("page", PAGES, ids=name)


def anchors(page):
    """The anchors that GitHub gives to the headings of a page."""
    headings = re.findall(r"^#+ (.+)$", prose(page), re.MULTILINE)
    kept = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in headings)
    return {heading.replace(" ", "-") for heading in kept}


def links(page):
    """Every link of a page that does not leave the project."""
    found = re.findall(r"\]\(([^)\s]+)\)", prose(page))
    return [target for target in found if not target.startswith(("http://", "https://"))]


def python_blocks():
    return [
        pytest.param(block, id=f"{name(page)}-{number}")
        for page in PAGES
        for number, (language, block) in enumerate(blocks(page))
        if language == "python"
    ]


def test_the_readme_is_short():
    assert len(text(README).splitlines()) <= README_LINES


def test_the_readme_lists_each_page_once():
    listed = text(README).split("## Documentation")[1]
    for page in DOCS.rglob("*.md"):
        assert listed.count(f"({name(page)})") == 1, page


@pytest.mark.parametrize("page", LINKED, ids=name)
def test_links_lead_to_a_file_and_a_heading_of_it(page):
    for link in links(page):
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), link
        assert target.is_relative_to(ROOT), link
        if anchor:
            assert anchor in anchors(target), link


@BY_PAGE
def test_fences_are_closed_and_name_their_language(page):
    fences = re.findall(r"^ *```(.*)$", text(page), re.MULTILINE)
    assert len(fences) == 2 * len(blocks(page))
    known = {"console", "python", "text", "json", "toml", "yaml"}
    assert {language for language, _ in blocks(page)} <= known


@BY_PAGE
def test_data_on_a_page_can_be_read(page):
    for language, block in blocks(page):
        if language == "json":
            json.loads(block)
        elif language == "toml":
            tomllib.loads(block)


@pytest.mark.parametrize("block", python_blocks())
def test_python_compiles(block):
    compile(block, "page", "exec")


@BY_PAGE
def test_options_named_in_text_exist(page):
    known = {option.flag for option in OPTIONS} | {LISTING_FLAG}
    assert set(re.findall(r"--compact(?:ion|or)[\w-]*", text(page))) <= known


@BY_PAGE
def test_commands_shown_exist_with_their_options(page, capsys):
    for command in commands(page):
        if command.startswith("pytest-compaction "):
            name, *given = arguments(command)
            with pytest.raises(SystemExit):
                cli.main([name, "--help"])
            known = capsys.readouterr().out
            flags = (each.partition("=")[0] for each in given if re.match("--?[a-z]", each))
            assert [flag for flag in flags if flag not in known] == [], command


def test_the_two_commands_of_a_clone_stand_in_the_readme_and_are_run_by_ci():
    first = {
        "python -m pip install -e . && pytest --compactor=anchored -n 8",
        'python -m pip install -e ".[test]" && pytest tests',
    }
    assert first <= commands(README)
    assert all(command in (ROOT / ".ci/run").read_text("utf-8") for command in first)


def test_every_shipped_strategy_has_one_row():
    rows = re.findall(r"^\| `([\w-]+)` \|", text(DOCS / "strategies.md"), re.MULTILINE)
    assert sorted(rows) == Registry().names()


def test_the_page_says_at_how_many_tokens_each_product_is_due():
    page = text(DOCS / "strategies.md").split("### When each is due")[1].split("\n## ")[0]
    rows = re.findall(r"^\| ([\d,]+) \| (.+) \|$", page, re.MULTILINE)
    stated = {
        name: int(tokens.replace(",", ""))
        for tokens, names in rows
        for name in re.findall(r"`([^`]+)`", names)
    }
    registry, specs = named_strategies(list(stated), {})
    context = context_of(window=200_000)
    assert len(stated) == 15
    assert stated == {spec.text: registry.create(spec).due_at(context) for spec in specs}


def test_every_format_has_a_row():
    rows = re.findall(r"^\| (`[a-z].*?) \|", text(DOCS / "own-sessions.md"), re.MULTILINE)
    named = [format for row in rows for format in re.findall(r"`([\w-]+)`", row)]
    assert sorted(named) == sorted(load_importers().importers)


@pytest.mark.parametrize("page", ["strategies.md", "invariants.md", "README.md"])
def test_strategies_with_parameters_in_text_can_be_made(page):
    place = README if page == "README.md" else DOCS / page
    names = "|".join(map(re.escape, Registry().names()))
    for spec in re.findall(rf"`((?:{names})(?:[:+][^`…]+))`", prose(place)):
        Registry().create(parse_spec(spec))


@pytest.mark.parametrize("block", [b for b in PAGE_OF if b != "production" or has_records()])
def test_a_generated_block_stands_on_its_page(block):
    assert shown(block)


def test_the_number_of_invariants_is_the_real_one():
    for page in (README, DOCS / "invariants.md"):
        stated = re.findall(r"(\d+) (?:invariants|rules)\b", prose(page))
        assert stated
        assert set(stated) == {str(len(INVARIANTS))}


def test_a_failure_is_shown_with_the_words_of_the_invariant():
    shown_failure = " ".join(
        block for language, block in blocks(DOCS / "invariants.md") if language == "text"
    )
    said = " ".join(shown_failure.split())
    (invariant,) = (one for one in INVARIANTS if one.name == "starts-with-user")
    assert f"The invariant: {invariant.sentence}" in said
    assert f"Why it matters: {invariant.matters}" in said


def test_every_module_of_the_package_is_in_a_room_that_is_described():
    page = text(DOCS / "developers/contributing.md")
    package = ROOT / "pytest_compaction"
    for path in package.iterdir():
        if path.is_dir() and (path / "__init__.py").exists() and path.name != "benchmark":
            assert f"`{path.name}/`" in page
        elif path.suffix == ".py" and path.name != "__init__.py":
            assert f"`{path.stem}`" in page
