"""The page docs/own-compactor.md, followed step by step as a user would."""

import json
import os
import re
from fnmatch import fnmatch

import pytest
from support.pages import DOCS, arguments, code
from support.scenarios import lean, long_case, records, write_cases

from pytest_compaction import cli

WITH_LANGCHAIN = "WITH_LANGCHAIN"
"""Set where the libraries must be there: the tests that need them then fail without them."""
PAGE = DOCS / "own-compactor.md"
STRATEGIES_PAGE = DOCS / "strategies.md"


def command(mark, page):
    """The arguments of the command of the page that holds ``mark``."""
    lines = [line for line in code(page, "console", mark).splitlines() if mark in line]
    return arguments(lines[0])


@pytest.mark.parametrize("language", ["python", "console", "toml"])
def test_a_block_that_the_page_lacks_is_a_failure(language):
    with pytest.raises(AssertionError, match=r"0 .* blocks with '# no_such_file\.py'"):
        code(PAGE, language, "# no_such_file.py")


@pytest.fixture
def at_work(pytester):
    """Runs a command of the page over one small case, in the folder of the page's files."""
    write_cases(pytester, long_case("small"))

    def run(mark, *more, files=(), page=PAGE):
        for name in files:
            source = code(PAGE, "python", f"# {name}.py")
            file = pytester.path / f"{name}.py"
            file.parent.mkdir(exist_ok=True)
            file.write_text(source, "utf-8")
        given = command(mark, page)
        return pytester.runpytest_inprocess(*lean(), *given, *more, "-q", "--tb=short")

    return run


def statuses(pytester):
    """What became of the items of the last run, by strategy."""
    found = {}
    for record in records(pytester).records:
        found.setdefault(record["compactor"], set()).add(record["status"])
    return found


@pytest.mark.parametrize(
    ("mark", "file", "names"),
    [
        (
            "my_compactor:keep_the_newest,truncate",
            "my_compactor",
            ["my_compactor:keep_the_newest", "truncate"],
        ),
        ("external:command", "compact_cli", ["external:command=*"]),
        (
            "my_strategy:FirstLines:keep=2+ledger",
            "my_strategy",
            ["my_strategy:FirstLines:keep=2", "my_strategy:FirstLines:keep=2+ledger"],
        ),
        (
            "agent/compact.py:Summary",
            "agent/compact",
            ["agent.compact.newest", "agent/compact.py:Summary:keep=6"],
        ),
        (
            "langchain_core.messages:trim_messages",
            None,
            ["langchain_core.messages:trim_messages:token_counter=approximate*"],
        ),
    ],
)
def test_what_the_page_names_compacts_and_is_scored(pytester, at_work, mark, file, names):
    if file is None and WITH_LANGCHAIN not in os.environ:
        pytest.importorskip("langchain_core", reason="has a lane of its own in .ci/run")
    at_work(mark, files=[file] if file else [])
    found = statuses(pytester)
    assert len(found) == len(names) and all(map(fnmatch, sorted(found), names))
    assert set().union(*found.values()) <= {"passed", "failed"}


def test_the_check_finds_what_the_page_says_it_finds(pytester, at_work):
    result = at_work(
        "keep_the_newest --compaction-check", "--compaction-examples=40", files=["my_compactor"]
    )
    failed = set(re.findall(r"keep_the_newest breaks ([\w-]+):", result.stdout.str()))
    assert failed == {
        "system-unchanged",
        "starts-with-user",
        "within-budget",
    }


def test_the_class_breaks_no_invariant(pytester, at_work):
    result = at_work(
        "my_strategy:FirstLines --compaction-check",
        "--compaction-examples=60",
        files=["my_strategy"],
    )
    assert result.ret == 0
    result.stdout.fnmatch_lines(["my_strategy:FirstLines*invariants hold*"])


def test_an_entry_point_gives_it_a_name(pytester, at_work):
    (pytester.path / "my_strategy.py").write_text(code(PAGE, "python", "# my_strategy.py"), "utf-8")
    entry = code(PAGE, "toml", "first-lines =")
    section, line = entry.strip().splitlines()
    group = re.fullmatch(r'\[project\.entry-points\."(.+)"\]', section)[1]
    name, target = (part.strip(' "') for part in line.split("="))
    installed = pytester.mkdir("my_strategy-1.0.dist-info")
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: my-strategy\nVersion: 1.0\n")
    (installed / "entry_points.txt").write_text(f"[{group}]\n{name} = {target}\n")
    pytester.syspathinsert()
    listed = pytester.runpytest_inprocess(*lean(), "--compactors")
    listed.stdout.fnmatch_lines(["first-lines *Cuts old tool results*"])
    pytester.runpytest_inprocess(*lean(), "--compactor=first-lines:keep=2", "-q")
    assert set(statuses(pytester)) == {"first-lines:keep=2"}


def test_functions_over_other_message_objects_run_as_they_are(pytester, at_work):
    at_work("my_messages:without_old_results", files=["my_messages"])
    found = statuses(pytester)
    assert len(found) == 2
    assert all(status <= {"passed", "failed"} for status in found.values())
    views = {record["compactor"]: record["tokens"]["view"] for record in records(pytester).records}
    assert (
        views["my_messages:since_the_last_request"] < records(pytester).records[0]["tokens"]["log"]
    )


SESSION = """
import types

from agents import SQLiteSession
from agents.memory import OpenAIResponsesCompactionSession


class Responses:
    async def compact(self, *, model, input, **others):
        kept = [item for item in input if item.get("role") == "user"]
        made = {"type": "compaction", "id": "cmp", "encrypted_content": "q+/="}
        return types.SimpleNamespace(output=[*kept, made], usage=None, id="r", model=model)


def compacting():
    client = types.SimpleNamespace(responses=Responses())
    return OpenAIResponsesCompactionSession("case", SQLiteSession("case"), client=client)


class Newest(SQLiteSession):
    async def compact(self):
        items = await self.get_items()
        asked = [number for number, item in enumerate(items) if item.get("role") == "user"]
        await self.clear_session()
        await self.add_items(items[asked[-1] :])
"""


def test_sessions_of_the_agents_sdk_run(pytester, at_work):
    if WITH_LANGCHAIN not in os.environ:
        pytest.importorskip("agents", reason="has a lane of its own in .ci/run")
    pytester.makepyfile(sdk_sessions=SESSION)
    names = ["sdk_sessions:compacting", "sdk_sessions:Newest"]
    result = pytester.runpytest_inprocess(*lean(), f"--compactor={','.join(names)}", "--tb=short")
    found = statuses(pytester)
    assert found["sdk_sessions:compacting"] == {"unscored"}
    assert found["sdk_sessions:Newest"] <= {"passed", "failed"}
    result.stdout.fnmatch_lines(["compaction: sdk_sessions:Newest is a session: *"])


def test_the_ledger_is_compared_with_a_strategy_alone(pytester, at_work):
    result = at_work("anchored,anchored+ledger", page=STRATEGIES_PAGE)
    assert set(statuses(pytester)) == {"anchored", "anchored+ledger"}
    result.stdout.fnmatch_lines(["same views, one row: anchored, anchored+ledger"])


def test_a_strategy_with_an_archive_is_compared_with_it_alone(pytester, at_work):
    result = at_work("anchored+archive -n 2", page=STRATEGIES_PAGE)
    assert set(statuses(pytester)) == {"anchored", "anchored+archive"}
    result.stdout.no_fnmatch_line("*before search*")
    at_work("anchored+archive -n 2", "-vv", "-n0", page=STRATEGIES_PAGE).stdout.fnmatch_lines(
        ["  before search 100% *"]
    )


def test_the_curve_has_each_strategy_without_and_with_its_archive(at_work, capsys):
    at_work("--compaction-budget=2000,4000", "--compaction-budget=250", page=STRATEGIES_PAGE)
    capsys.readouterr()
    assert cli.main(["report", "last", "--table=curve", "--format=json"]) == 0
    rows = json.loads(capsys.readouterr().out)["tables"]["curve"]["rows"]
    names = [f"{name}+archive-b{n}" for name in ("anchored", "truncate") for n in (250, 2000, 4000)]
    assert sorted(row["compactor"] for row in rows) == sorted(names)
    for row in rows:
        assert row["searched_tokens"] >= row["tokens"]
        assert row["searched"]["value"] >= row["stated"]["value"]
    assert any(row["searched"]["value"] > row["stated"]["value"] for row in rows)


def test_the_curve_has_strategies_that_see_the_question_with_what_it_brought(
    pytester, at_work, capsys
):
    pytester.runpytest_inprocess(*lean(), "--compactor=rag,light,rag+archive", "-q")
    capsys.readouterr()
    assert cli.main(["report", "last", "--table=curve", "--format=json"]) == 0
    rows = json.loads(capsys.readouterr().out)["tables"]["curve"]["rows"]
    found = {row["compactor"]: row for row in rows}
    assert sorted(found) == ["light", "rag", "rag+archive"]
    for name in ("rag", "light"):
        assert found[name]["searched_tokens"] > found[name]["tokens"]
        assert found[name]["searched"]["value"] > found[name]["stated"]["value"]
    assert found["rag+archive"]["tokens"] == found["rag"]["searched_tokens"]


def test_a_thing_that_is_no_compactor_is_refused_in_a_sentence(pytester, at_work):
    (pytester.path / "my_mistake.py").write_text("class Nothing:\n    pass\n\nNUMBER = 3\n")
    for name, said in (
        ("Nothing", "*'my_mistake:Nothing' is not a compactor: it has no start, observe, due*"),
        ("NUMBER", "*'my_mistake:NUMBER' is int; expected a function over messages*"),
        ("nothing", "*has no 'nothing'; did you mean 'Nothing'?*"),
    ):
        result = pytester.runpytest_inprocess(*lean(), f"--compactor=my_mistake:{name}")
        assert result.ret == pytest.ExitCode.USAGE_ERROR
        result.stderr.fnmatch_lines([said])
        assert "Traceback" not in result.stderr.str()
