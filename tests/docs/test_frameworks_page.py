"""The page docs/frameworks.md: each object of it runs, where its package is installed."""

import importlib.util
import os
import re

import pytest
from support.endpoint_replies import Answer
from support.endpoint_server import serving
from support.own_clients import both_forms
from support.pages import DOCS, arguments, blocks, code
from support.scenarios import lean, long_case, records, write_cases

WITH_FRAMEWORKS = "WITH_LANGCHAIN"
"""Set where the packages must be there: the tests that need them then fail without them."""
PAGE = DOCS / "frameworks.md"
COMMANDS = [block.strip() for language, block in blocks(PAGE) if language == "console"]
PACKAGES = {
    "with_langchain": "langchain_openai",
    "with_deepagents": "deepagents",
    "with_agents": "agents",
    "with_pydantic_ai": "pydantic_ai",
    "with_llama_index": "llama_index",
    "with_adk": "google.adk",
}
ASKING = {
    "with_langchain.py:middleware",
    "with_langchain.py:agent",
    "with_deepagents.py:middleware",
}
ASKING |= {"with_adk.py:config", "with_agents.py:make_session"}


def compacting(asked):
    """An endpoint that also compacts, into one item that only it can read."""
    if not asked.path.endswith("/responses/compact"):
        return both_forms(asked)
    item = {"type": "compaction", "id": "cmp", "encrypted_content": "gAAAA"}
    made = {"id": "r", "object": "response.compaction", "created_at": 1, "output": [item]}
    details = {"input_tokens_details": {"cached_tokens": 0}}
    details |= {"output_tokens_details": {"reasoning_tokens": 0}}
    usage = {"input_tokens": 400, "output_tokens": 20, "total_tokens": 420, **details}
    return Answer({**made, "usage": usage})


@pytest.mark.parametrize("command", COMMANDS, ids=lambda c: re.search(r"with_\w+", c)[0])
def test_what_the_page_names_runs_is_counted_and_replayed(pytester, monkeypatch, command):
    name = re.search(r"with_\w+", command)[0]
    if WITH_FRAMEWORKS not in os.environ and not _is_there(PACKAGES[name]):
        pytest.skip(f"{PACKAGES[name]} is not installed; it has a lane of its own in .ci/run")
    (pytester.path / f"{name}.py").write_text(code(PAGE, "python", f"# {name}.py"), "utf-8")
    write_cases(pytester, long_case("small"))
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none")
    given = [*lean(), *arguments(command), "--compaction-proxy", "-q", "--tb=short"]
    with serving(compacting) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        result = pytester.runpytest_subprocess(*given)
    result.stdout.no_fnmatch_line("*INTERNALERROR*")
    for replayed in (False, True):
        if replayed:
            pytester.runpytest_subprocess(*given, "--compaction-replay")
        for record in records(pytester).records:
            unscored = record["compactor"] == "with_agents.py:make_session"
            assert record["status"] in ({"unscored"} if unscored else {"passed", "failed"}), record
            asks = record["compactor"] in ASKING
            assert bool(record["usage"]["compaction"]["calls"]) == asks, record["compactor"]


def test_every_object_of_the_page_has_a_row_here():
    assert {re.search(r"with_\w+", command)[0] for command in COMMANDS} == PACKAGES.keys()


def _is_there(package):
    try:
        return importlib.util.find_spec(package) is not None
    except ModuleNotFoundError:
        return False
