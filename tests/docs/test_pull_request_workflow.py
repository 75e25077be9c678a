"""The workflow that compares a pull request with the main branch, its shell steps run for real."""

import re

import pytest
from support.pages import DOCS, code, text
from support.scenarios import case, write_cases
from support.workflow_jobs import Service

CI_PAGE = DOCS / "ci.md"

COMPACTORS = {
    "all": "return [*messages[:-1], {'role': 'user', 'content': 'Go on.'}]",
    "less": "return [m for m in messages if '45' not in str(m.get('content'))]",
}


@pytest.fixture
def service(tmp_path):
    return Service(tmp_path / "github", code(CI_PAGE, "yaml", "pull_request:"))


@pytest.fixture
def checkout(pytester):
    """A checkout of the project with a compactor of one kind."""

    def checked_out(kind):
        project = pytester.mkdir(f"checkout-{len(list(pytester.path.iterdir()))}")
        source = f"def keep_the_newest(messages, budget):\n    {COMPACTORS[kind]}\n"
        (project / "my_compactor.py").write_text(source)
        (project / "pyproject.toml").write_text(
            '[tool.pytest]\ncompaction_threshold = ["overall>=2"]\n'
        )
        cases = write_cases(pytester, *map(case, ("first", "second", "third")))
        cases.rename(project / "cases")
        return project

    return checked_out


@pytest.mark.exhaustive
def test_a_pull_request_that_loses_more_than_the_main_branch_is_red(service, checkout):
    assert service.job(checkout("all"), "push")[0] == 0
    exit_code, said, summary = service.job(checkout("less"), "pull_request")
    assert exit_code == 1
    assert "::error title=compaction" in said
    assert "## Against the baseline" in summary
    assert "**newly gone (6):**" in summary.replace("\\", "")
    page = service.folder / "artifacts/2/compaction-page"
    assert {path.name for path in page.iterdir()} == {"compaction.html"}


@pytest.mark.exhaustive
def test_a_pull_request_that_loses_no_more_is_green(service, checkout):
    service.job(checkout("less"), "push")
    exit_code, said, summary = service.job(checkout("less"), "pull_request")
    assert exit_code == 0, said
    assert "::error" not in said
    assert "## Against the baseline" in summary


@pytest.mark.exhaustive
def test_a_pull_request_without_a_run_of_the_main_branch_is_judged_by_the_thresholds(
    service, checkout
):
    exit_code, said, summary = service.job(checkout("less"), "pull_request")
    assert exit_code == 0, said
    assert "::notice::main has no run to compare with yet; the thresholds decide" in said
    assert "Against the baseline" not in summary
    assert "GATE PASSED overall 2.50" in summary


@pytest.mark.exhaustive
def test_a_download_that_fails_is_no_baseline(service, checkout):
    (service.folder / "newest").write_text("99\n")
    exit_code, said, _ = service.job(checkout("all"), "pull_request")
    assert exit_code == 0, said
    assert "::notice::main has no run" in said


def test_the_workflow_downloads_what_it_uploads_and_may_do_so(service):
    uploaded = [
        step["with"]["name"] for step in service.steps if "upload-artifact" in step.get("uses", "")
    ]
    (downloaded,) = re.findall(r"gh run download .*? --name (\S+)", text(CI_PAGE))
    assert downloaded in uploaded
    assert service.workflow["permissions"] == {"contents": "read", "actions": "read"}
