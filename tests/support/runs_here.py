"""Commands that start runs of pytest, without a process for each: it would load everything anew."""

import io
import os
import subprocess
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from types import SimpleNamespace

import pytest

from pytest_compaction.commands import pytest_runs


def run_here(pytester, monkeypatch):
    """Let commands run pytest in this process, one run after the other."""

    class Here:
        """What a command uses of a process; it has ended when it is made."""

        def __init__(self, command, stdout, stderr, cwd, env):
            said = io.StringIO()
            with (
                pytest.MonkeyPatch.context() as patch,
                redirect_stdout(said),
                redirect_stderr(said),
            ):
                patch.chdir(cwd or Path.cwd())
                for name, value in env.items():
                    patch.setenv(name, value)
                for folder in filter(None, env.get("PYTHONPATH", "").split(os.pathsep)):
                    patch.syspath_prepend(folder)
                _, _, module, *arguments = command
                assert module == "pytest"
                self._code = pytester.inline_run(*arguments).ret
            stdout.write(said.getvalue().encode("utf-8", "replace"))

        def poll(self):
            return int(self._code)

    processes = SimpleNamespace(Popen=Here, STDOUT=subprocess.STDOUT)
    monkeypatch.setattr(pytest_runs, "subprocess", processes)
