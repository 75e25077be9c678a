"""The workflow that compares a pull request with the main branch, its shell steps run for real.

What only GitHub has is played: ``gh`` lists and downloads the runs of a folder, and installing
the project does nothing.
"""

import os
import re
import shutil
import subprocess
import sys

import pytest
import yaml
from support.pages import DOCS, code, text
from support.paths import ROOT
from support.scenarios import case, lean, write_cases

CI_PAGE = DOCS / "ci.md"
WORKFLOW = yaml.safe_load(code(CI_PAGE, "yaml", "pull_request:"))
STEPS = WORKFLOW["jobs"]["measure"]["steps"]

GH = """#!/bin/bash
# gh run list --workflow W --branch B … prints the id of the newest run, if the main branch has one
# gh run download ID --name NAME --dir FOLDER copies the artifact
case "$1 $2" in
  "run list") [ "$4 $6" = "compaction main" ] && cat "$GITHUB/newest" 2>/dev/null || true ;;
  "run download") cp -r "$GITHUB/artifacts/$3/$5" "$7" ;;
  *) exit 64 ;;
esac
"""
PYTHON = f"""#!/bin/bash
[ "$*" = "-m pip install ." ] || exec {sys.executable} "$@"
"""
PYTEST = f"""#!/bin/bash
exec {sys.executable} -m pytest {" ".join(lean())} "$@" -n0
"""
COMPACTORS = {
    "all": "return [*messages[:-1], {'role': 'user', 'content': 'Go on.'}]",
    "less": "return [m for m in messages if '45' not in str(m.get('content'))]",
}


class Service:
    """GitHub as far as the workflow sees it: a folder of artifacts, and jobs that run steps."""

    def __init__(self, folder):
        self.folder = folder
        self.stubs = folder / "bin"
        self.stubs.mkdir(parents=True)
        for name, script in (("gh", GH), ("python", PYTHON), ("pytest", PYTEST)):
            (self.stubs / name).write_text(script)
            (self.stubs / name).chmod(0o755)
        self.jobs = 0

    def job(self, project, event):
        """Run all steps for an event; the exit code of the first that fails, and what was said."""
        self.jobs += 1
        runner = self.folder / f"runner-{self.jobs}"
        runner.mkdir()
        files = {name: runner / name.lower() for name in ("GITHUB_ENV", "GITHUB_STEP_SUMMARY")}
        environment = {
            "PATH": f"{self.stubs}:{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT),
            "HOME": str(runner),
            "GITHUB": str(self.folder),
            "GITHUB_ACTIONS": "true",
            "GITHUB_WORKFLOW": WORKFLOW["name"],
            **({"GITHUB_BASE_REF": "main"} if event == "pull_request" else {}),
            **{name: str(path) for name, path in files.items()},
        }
        said, exit_code = "", 0
        for step in STEPS:
            if "run" in step and exit_code == 0 and applies(step, event):
                done = self._shell(step["run"], project, environment)
                said += done.stdout + done.stderr
                exit_code = done.returncode
                if files["GITHUB_ENV"].exists():
                    lines = files["GITHUB_ENV"].read_text().splitlines()
                    environment |= dict(line.split("=", 1) for line in lines)
            elif step.get("uses", "").startswith("actions/upload-artifact"):
                self._upload(project, **step["with"])
        if event == "push" and exit_code == 0:
            (self.folder / "newest").write_text(f"{self.jobs}\n")
        summary = files["GITHUB_STEP_SUMMARY"]
        return exit_code, said, summary.read_text("utf-8") if summary.exists() else ""

    def _shell(self, script, project, environment):
        """A step as GitHub runs it: ``shell: bash`` fails at the first command that does."""
        return subprocess.run(
            ["bash", "--noprofile", "--norc", "-e", "-c", script],
            cwd=project,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )

    def _upload(self, project, name, path):
        shutil.copytree(project / path, self.folder / "artifacts" / str(self.jobs) / name)


def applies(step, event):
    condition = step.get("if", "")
    found = re.fullmatch(r"\$\{\{ github\.event_name == '(\w+)' \}\}", condition)
    assert found or not condition, condition
    return found is None or found[1] == event


@pytest.fixture
def service(tmp_path):
    return Service(tmp_path / "github")


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
    assert {path.name for path in page.iterdir()} == {"compaction.html", "badge.svg"}


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


def test_the_workflow_downloads_what_it_uploads_and_may_do_so():
    uploaded = [step["with"]["name"] for step in STEPS if "upload-artifact" in step.get("uses", "")]
    (downloaded,) = re.findall(r"gh run download .*? --name (\S+)", text(CI_PAGE))
    assert downloaded in uploaded
    assert WORKFLOW["permissions"] == {"contents": "read", "actions": "read"}
