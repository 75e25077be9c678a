"""``pytest-compaction ab``: a function at two git refs, two prompts, and held-out cases."""

import json
import signal
import subprocess
from importlib import resources
from pathlib import Path

import jsonschema
import pytest
from support.endpoint_replies import Answer, checked, completion, is_check
from support.endpoint_server import serving
from support.exporting import batch_lines, result, write_results
from support.runs_here import run_here
from support.scenarios import case, lean
from support.stub_endpoint import long_case

from pytest_compaction.cli import main
from pytest_compaction.commands.ab.base_settings import note_on_models
from pytest_compaction.commands.ab.command import check_holdout, note_reading
from pytest_compaction.commands.ab.refs import trees_of
from pytest_compaction.commands.arguments import CommandError
from pytest_compaction.records import load_run, run_files

COMPACTOR = "--compactor=compactors.mine:compact"
SOURCE = """
import time
from pathlib import Path

async def compact(messages, budget, model):
    await model.summarize(messages)
    Path("{folder}/at {gone}").touch()
    stops = time.monotonic() + 60
    while len(list(Path("{folder}").glob("at *"))) < 2:
        assert time.monotonic() < stops, "the other ref does not run at the same time"
        time.sleep(0.02)
    return [m for m in messages if "{gone}" not in str(m.get("content"))]
"""


def git(*arguments):
    named = ("-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *named, *arguments], check=True, capture_output=True)


def commit(text, folder, cases=("first", "second"), budget=3000):
    """A commit with a compactor that forgets what holds ``text``, and with cases.

    It waits until that of another commit runs too.
    """
    place = folder / "compactors"
    place.mkdir(exist_ok=True)
    (place / "mine.py").write_text(SOURCE.format(gone=text, folder=folder.as_posix()))
    (folder / "cases").mkdir(exist_ok=True)
    for id in cases:
        data = case(id, budget=budget)
        (folder / f"cases/{id}.json").write_text(json.dumps(data))
    git("add", "-A")
    git("commit", "-q", "-m", "state")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def begin(folder, *ignored):
    """A repository in a folder, which leaves out what runs and these tests write."""
    git("init", "-q", "-b", "main")
    (folder / ".gitignore").write_text("\n".join([".pytest_compaction/", "__pycache__/", *ignored]))


@pytest.fixture
def repository(folder):
    """Two commits: ``main`` keeps all that is asked about, and HEAD forgets the limit of 45."""
    begin(folder, "at *")
    commit("no such text", folder)
    git("checkout", "-q", "-b", "change")
    commit("45", folder, cases=("third",))
    return folder


def worktrees():
    said = subprocess.run(["git", "worktree", "list"], capture_output=True, text=True, check=True)
    return len(said.stdout.splitlines())


def refused(capsys, *arguments):
    assert main(["ab", *arguments]) == 1
    shown = capsys.readouterr()
    assert shown.out == ""
    return shown.err


def test_a_function_at_two_refs_is_compared_over_the_cases_of_the_first(
    repository, no_model_named, capsys
):
    arguments = ["ab", "main..HEAD", COMPACTOR, "--report=ab.html", "--comment=ab.md"]
    limits = ["--pytest=--compaction-max-cost=5", "--pytest=--compaction-concurrency=9"]
    arguments += ["--report=ab.json", "--pytest=-pno:xdist", *limits]
    assert main(arguments) == 0, capsys.readouterr().err
    comment = (repository / "ab.md").read_text("utf-8").replace("\\", "")
    assert comment.startswith("<!-- pytest-compaction ab -->\n\nRules wrote the summaries: ")
    assert "\n\n## A/B: main (" in comment
    assert "too few cases for other sessions: decide by the facts" in comment
    assert "Facts gained (0)." in comment
    runs = run_files(repository / ".pytest_compaction/runs")
    assert [sorted(load_run(path).header["cases"]) for path in runs] == [["first", "second"]] * 2
    lost = comment[comment.index("Facts lost") :]
    assert "- first-limit" in lost and "- second-limit" in lost
    headers = [load_run(path).header["settings"] for path in runs]
    limits = [(settings["concurrency"], settings["max_cost"]) for settings in headers]
    assert limits == [(4, 2.5)] * 2
    data = json.loads((repository / "ab.json").read_text("utf-8"))
    files = resources.files("pytest_compaction.reports")
    jsonschema.validate(data, json.loads((files / "report.schema.json").read_text("utf-8")))
    names = [version["name"] for version in data["ab"][0]["versions"]]
    assert [name.partition(" (")[0] for name in names] == ["main", "HEAD"]
    [change] = data["ab"][0]["changes"]
    assert len(change["facts"]["gone"]) == lost.count("\n- ")
    assert [each["name"] for each in data["strategies"]][:2] == names
    assert 'class="comparison ab"' in (repository / "ab.html").read_text("utf-8")
    assert worktrees() == 1


MODELS = "def pytest_compaction_models(config):\n    return {}\n"
BASE = """
[tool.pytest.ini_options]
addopts = ["-p", "no:xdist", "--compaction-pass-score=2"]
compaction_reader = "reader-of-main"
compaction_rubric = "grading/rubric.json"
"""
CHANGED = """
[pytest]
addopts = -p no:xdist --compaction-pass-score=4.5 --strict-markers
markers =
    slow: takes long
compaction_reader = offline
compaction_rubric = grading/rubric.json
compaction_judgements = 3
"""


def test_both_refs_are_graded_by_the_settings_of_the_first(folder, monkeypatch, capsys):
    begin(folder, "at *")
    (folder / "grading").mkdir()
    rubric = folder / "grading/rubric.json"
    rubric.write_text(json.dumps({"completeness_coverage": {"weight": 4}}))
    (folder / "pyproject.toml").write_text(BASE)
    commit("no such text", folder)
    git("checkout", "-q", "-b", "change")
    (folder / "pyproject.toml").unlink()
    (folder / "pytest.ini").write_text(CHANGED)
    rubric.write_text(json.dumps({"completeness_coverage": {"weight": 9}}))
    commit("45", folder, cases=("third",))

    def stated(asked):
        if is_check(asked.body):
            return Answer(checked())
        text = asked.body["messages"][-1]["content"].split("<<< claims ")[1]
        claims = text.split(">>> end of claims")[0].splitlines()[1:]
        numbers = [line.partition(". ")[0] for line in claims]
        said = {number: {"passage": "", "outcome": "absent"} for number in numbers}
        return Answer(completion(json.dumps(said)))

    with serving(stated) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        given = ["ab", "main..HEAD", COMPACTOR, "--model=offline"]
        assert main(given) == 1
        assert "nothing was measured; --yes measures without asking" in capsys.readouterr().err
        assert main([*given, "--yes"]) == 0, capsys.readouterr().err
    assert "## A/B: main (" in capsys.readouterr().out
    headers = [load_run(path).header for path in run_files(folder / ".pytest_compaction/runs")]
    names = ("reader", "rubric", "pass_score", "judgements")
    found = [[header["settings"][name] for name in names] for header in headers]
    assert found == [["reader-of-main", {"completeness_coverage": {"weight": 4}}, 2, 1]] * 2
    assert {each.body["model"] for each in server.asked} == {"reader-of-main"}


@pytest.mark.parametrize(
    ("before", "now", "noted"),
    [(MODELS, MODELS, False), ("", MODELS, True), (MODELS, "", True), ("x = 1", "x = 2", False)],
)
def test_models_that_each_ref_adds_are_told_of(repository, before, now, noted):
    with trees_of("main..HEAD", "compactors.mine:compact") as trees:
        for tree, text in zip(trees, (before, now), strict=True):
            if text:
                (tree.folder / "conftest.py").write_text(text)
        said = note_on_models(*trees)
    assert said.startswith("conftest.py differs between the refs: ") if noted else said == ""


ASKING = """
async def compact(messages, budget, model):
    about = "{about}" if "second0x0" in str(messages) else ""
    text = await model.summarize(messages, instructions=about)
    return [*messages[:1], {{"role": "user", "content": text}}]
"""


def test_the_requests_of_both_refs_are_one_batch_and_replayed(
    pytester, folder, monkeypatch, capsys
):
    run_here(pytester, monkeypatch)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    begin(folder, "batch/", "*.jsonl")
    (folder / "mine.py").write_text(ASKING.format(about="files"))
    (folder / "cases").mkdir()
    for id in ("first", "second"):
        (folder / f"cases/{id}.json").write_text(json.dumps(long_case(id)))
    git("add", "-A")
    git("commit", "-q", "-m", "old")
    git("checkout", "-q", "-b", "change")
    (folder / "mine.py").write_text(ASKING.format(about="decisions"))
    git("commit", "-q", "-a", "-m", "new")
    quietly = [f"--pytest={one}" for one in (*lean(), "--compaction-responder=offline")]
    given = ["ab", "main..HEAD", "--compactor=mine:compact", "--model=gpt-4o-mini", "--trials=1"]
    given += [*quietly, "--pytest=--compaction-judge=offline"]
    assert main([*given, "--export=batch"]) == 0, capsys.readouterr().err
    said = capsys.readouterr().out
    assert said.index("main (") < said.index("HEAD (") < said.index("both refs: 3 requests in ")
    asked = batch_lines(folder / "batch")
    assert len({line["custom_id"] for line in asked}) == len(asked) == 3
    while asked:
        results = write_results(folder / "results.jsonl", map(result, asked))
        assert main(["answers", "batch", str(results)]) == 0
        capsys.readouterr()
        assert main([*given, "--export=batch"]) == 0
        asked = batch_lines(folder / "batch")
    assert capsys.readouterr().out.count("nothing is missing: run the same command") == 2
    assert main([*given, "--replay"]) == 0, capsys.readouterr().err
    assert "## A/B: main (" in capsys.readouterr().out


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_trees_are_removed_if_the_command_is_stopped(repository, stop):
    folders = []

    def stopped():
        with trees_of("main..HEAD", "compactors.mine:compact") as both:
            folders.extend(tree.folder for tree in both)
            assert all((each / "compactors/mine.py").exists() for each in folders)
            assert worktrees() == 3
            signal.raise_signal(stop)
            pytest.fail("the command went on")

    with pytest.raises(KeyboardInterrupt):
        stopped()
    assert worktrees() == 1
    assert len(folders) == 2 and not any(each.exists() for each in folders)


def test_three_dots_compare_with_where_the_branch_began(repository):
    git("checkout", "-q", "main")
    commit("another text", repository)
    with trees_of("main...change", "compactors.mine:compact") as (base, _):
        assert "no such text" in (base.folder / "compactors/mine.py").read_text()


def test_a_function_that_one_ref_lacks_is_named_with_that_ref(repository, capsys):
    git("rm", "-q", "-r", "compactors")
    git("commit", "-q", "-m", "gone")
    said = refused(capsys, "main..HEAD", COMPACTOR)
    assert "cannot be made at HEAD (" in said
    assert "ModuleNotFoundError" in said
    assert said.rstrip().endswith("name a function that both refs have")
    assert worktrees() == 1


def test_code_outside_the_tree_is_no_version_of_it(repository):
    with (
        pytest.raises(CommandError, match="both refs would run the same code"),
        trees_of("main..HEAD", "json:dumps"),
    ):
        pass


def test_what_is_no_repository_and_no_ref_is_said(folder, capsys):
    assert "in no git repository" in refused(capsys, "main..HEAD", COMPACTOR)
    git("init", "-q", "-b", "main")
    said = refused(capsys, "main..HEAD", COMPACTOR)
    assert "git knows no commit 'main'; fetch it first" in said


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["old.md"], "'old.md' is one version; name two prompt files"),
        (["old.md", "new.md"], "there is no prompt file old.md"),
        (["old.md", "new.md", "--compactor=a,b"], "names several strategies"),
        (["old.md", "new.md", "--final"], "name their folder with --holdout"),
        (["old.md", "new.md", "--holdout=kept"], "there is no folder with cases"),
    ],
)
def test_what_cannot_be_compared_is_said(folder, capsys, given, said):
    assert said in refused(capsys, COMPACTOR, *given)


@pytest.fixture
def kept(folder):
    """A folder with one held-out case."""
    (folder / "kept").mkdir()
    (folder / "kept/held.json").write_text(json.dumps(case("held", budget=3000)))
    return Path("kept")


def test_each_reading_of_held_out_cases_is_counted(kept):
    assert note_reading(kept, "a.md b.md") == "Held-out cases of kept, reading 1."
    again = note_reading(kept, "a.md c.md")
    assert again.endswith("reading 2: each reading makes them less of a test.")
    assert Path("kept.readings.txt").read_text() == "a.md b.md\na.md c.md\n"


@pytest.mark.parametrize("cases", ["kept", ".", "kept/held.json"])
def test_cases_that_every_run_reads_are_not_held_out(kept, cases):
    with pytest.raises(CommandError, match="lie in one another"):
        check_holdout(kept, [cases])


@pytest.mark.exhaustive
def test_held_out_cases_are_read_by_final_alone(repository, kept, capsys):
    arguments = ["ab", "main..HEAD", COMPACTOR, "--holdout=kept", "--final"]
    assert main([*arguments, "--pytest=-pno:xdist"]) == 0
    assert "Held-out cases of kept, reading 1." in capsys.readouterr().out
    newest = run_files(repository / ".pytest_compaction/runs")[-1]
    assert list(load_run(newest).header["cases"]) == ["held"]
