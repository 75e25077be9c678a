"""What each shipped strategy sends is what an older version sent: else stores are paid again.

The lists are in ``digests.json``, the requests themselves in ``store.tar.xz``.
"""

import pytest
from older.endpoint import Endpoint
from older.material import BY_RULES, RUNS, USUAL, copy_of_project, digests, in_store, unpacked
from support.scenarios import lean, records


@pytest.fixture
def measured(pytester, monkeypatch):
    """A run in a copy of the project, with a local endpoint; its store is ``store``."""
    copy_of_project(pytester.path)
    monkeypatch.syspath_prepend(pytester.path)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with Endpoint().serving() as endpoint:
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
        monkeypatch.setenv("ANTHROPIC_BASE_URL", endpoint.url.removesuffix("/v1"))

        def run(*arguments):
            shown = pytester.runpytest_inprocess(
                *lean(), "-n0", "--tb=no", *USUAL, *arguments, "--compaction-store=store"
            )
            return shown, endpoint

        yield run


def test_every_strategy_sends_the_requests_that_it_sent(pytester, measured):
    expected = digests()["strategies"] | digests()["changed"]
    measured(f"--compactor={','.join(expected)}", BY_RULES)
    sent = in_store(pytester.path / "store")
    changed = {name: sorted(set(listed) - sent) for name, listed in expected.items()}
    assert {name: missing for name, missing in changed.items() if missing} == {}
    assert sent == set().union(*expected.values()), "requests that were not sent before"


@pytest.mark.parametrize("name", RUNS)
def test_every_kind_of_run_sends_the_requests_that_it_sent(pytester, measured, name):
    measured(*RUNS[name])
    assert sorted(in_store(pytester.path / "store")) == digests()["runs"][name]


def test_the_store_of_then_answers_every_request(pytester, measured):
    unpacked("store.tar.xz", pytester.path / "store")
    shown, endpoint = measured(
        f"--compactor={','.join(digests()['strategies'])}", "--compaction-replay", BY_RULES
    )
    assert endpoint.asked == 0
    assert "this run: 0 calls made" in shown.stdout.str()
    assert {record["status"] for record in records(pytester).records} <= {"passed", "failed"}
