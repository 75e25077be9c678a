"""Runs the shell steps of a GitHub workflow on this machine."""

import os
import re
import shutil
import subprocess
import sys

import yaml
from support.paths import ROOT
from support.scenarios import lean

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
[[ "$*" == "-m pip install "* ]] || exec {sys.executable} "$@"
"""
PYTEST = f"""#!/bin/bash
exec {sys.executable} -m pytest {" ".join(lean())} "$@"
"""


class Service:
    """GitHub as far as a workflow of one job sees it: artifacts, secrets, and jobs that run steps.

    What only GitHub has is played: ``gh`` lists and downloads the runs of a folder, and installing
    the project does nothing.
    """

    def __init__(self, folder, workflow):
        self.folder = folder
        self.workflow = yaml.safe_load(workflow)
        (self.steps,) = (job["steps"] for job in self.workflow["jobs"].values())
        self.values = {"github.token": "a token"}
        """What stands in ``${{ }}`` in the environment of a step; empty where it is not set."""
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
            "PYTHONDONTWRITEBYTECODE": "1",
            "GITHUB": str(self.folder),
            "GITHUB_ACTIONS": "true",
            "GITHUB_WORKFLOW": self.workflow["name"],
            **({"GITHUB_BASE_REF": "main"} if event == "pull_request" else {}),
            **{name: str(path) for name, path in files.items()},
        }
        said, exit_code = "", 0
        for step in self.steps:
            if "run" in step and exit_code == 0 and applies(step, event):
                own = {name: self._value(text) for name, text in step.get("env", {}).items()}
                done = self._shell(step["run"], project, environment | own)
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

    def _value(self, text):
        found = re.fullmatch(r"\$\{\{ ([\w.]+) \}\}", text)
        return self.values.get(found[1], "") if found else text

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
