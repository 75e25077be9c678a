"""Records a session: drives a real repository in a temporary folder and writes the case.

A session script is a plain Python file with a function ``record(session)``. What
the user and the assistant say is written in the script; every tool call is
really executed, its output is what the tool printed, and what became of the
files is read from git. Run a script to write its case beside it::

    python cases/debugging/lease_queue.py

The same script gives the same bytes again (on the same minor versions of Python,
pytest and git): dates, authors, locale and hash seed are fixed, and durations,
memory addresses and the temporary folder are replaced by stand-ins.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pytest_compaction.chat_format import message_from_chat
from pytest_compaction.conversation import readable
from pytest_compaction.matching import TextIndex

HOME = "/home/dev"
_STAND_INS = (
    (re.compile(r"\bin \d+\.\d+s\b"), "in 0.42s"),
    (re.compile(r"0x[0-9a-f]{8,16}\b"), "0x7f00c0ffee00"),
    (re.compile(r"\x1b\[[0-9;]*m"), ""),
)


class Recorder:
    """Collects the messages of one session while it really happens."""

    def __init__(self, repository: str, workspace: Path) -> None:
        self.name = repository
        self.root = workspace / repository
        self.root.mkdir(parents=True)
        self.messages: list[dict[str, Any]] = []
        self.points: list[dict[str, str]] = []
        self.probes: list[dict[str, Any]] = []
        self._workspace = workspace
        self._clock = 1_772_000_000
        self._calls = 0
        self._indexes: list[TextIndex] = []

    # What is said -----------------------------------------------------------

    def system(self, text: str) -> None:
        """The system prompt."""
        self._add({"role": "system", "content": text})

    def user(self, text: str) -> str:
        """The user says something. Returns the message id."""
        return self._add({"role": "user", "content": text})

    def say(self, text: str) -> str:
        """The assistant says something without calling a tool. Returns the message id."""
        return self._add({"role": "assistant", "content": text})

    # What is done -----------------------------------------------------------

    def bash(self, command: str, say: str | None = None) -> str:
        """Run a shell command in the repository. Returns its output as recorded."""
        return self.together([("bash", {"command": command})], say)[0]

    def read(self, path: str, say: str | None = None, lines: tuple[int, int] | None = None) -> str:
        """Read a file (or the lines ``first`` to ``last`` of it)."""
        arguments: dict[str, Any] = {"path": path}
        if lines:
            arguments |= {"first_line": lines[0], "last_line": lines[1]}
        return self.together([("read_file", arguments)], say)[0]

    def write(self, path: str, content: str, say: str | None = None) -> str:
        """Write a whole file."""
        return self.together([("write_file", {"path": path, "content": content})], say)[0]

    def edit(self, path: str, old: str, new: str, say: str | None = None) -> str:
        """Replace the one occurrence of ``old`` in a file by ``new``."""
        arguments = {"path": path, "old": old, "new": new}
        return self.together([("edit_file", arguments)], say)[0]

    def together(
        self, calls: Sequence[tuple[str, Mapping[str, Any]]], say: str | None = None
    ) -> list[str]:
        """Several tool calls in one assistant message, executed in order."""
        tools: dict[str, Callable[..., tuple[str, bool]]] = {
            "bash": self._bash,
            "read_file": self._read_file,
            "write_file": self._write_file,
            "edit_file": self._edit_file,
        }
        requests: list[dict[str, Any]] = []
        outcomes: list[tuple[str, str, bool]] = []
        for name, arguments in calls:
            self._calls += 1
            id = f"call_{self._calls:03d}"
            function = {"name": name, "arguments": json.dumps(arguments, ensure_ascii=False)}
            requests.append({"id": id, "type": "function", "function": function})
            output, failed = tools[name](**arguments)
            outcomes.append((id, self._scrub(output), failed))
        self._add({"role": "assistant", "content": say, "tool_calls": requests})
        for id, output, failed in outcomes:
            message = {"role": "tool", "tool_call_id": id, "content": output}
            self._add(message | ({"is_error": True} if failed else {}))
        return [output for _, output, _ in outcomes]

    # What is measured -------------------------------------------------------

    def point(self, id: str) -> None:
        """The log is compacted here."""
        self.points.append({"id": id, "after": self.messages[-1]["id"]})

    def fact(
        self,
        text: str,
        *aliases: str,
        about: str | None = None,
        said_in: Iterable[str] | None = None,
    ) -> dict[str, Any]:
        """A fact whose evidence is looked up in the log recorded so far.

        ``said_in`` names message ids instead, for a text that occurs elsewhere
        with another meaning. A fact that the log does not state is an error.
        """
        evidence = list(said_in or self._evidence((text, *aliases)))
        if not evidence:
            raise LookupError(f"the log does not state {text!r}")
        result: dict[str, Any] = {"text": text, "evidence": evidence}
        if aliases:
            result["aliases"] = list(aliases)
        if about:
            result["about"] = about
        return result

    def _evidence(self, forms: Sequence[str]) -> list[str]:
        """The first two and the last of the messages that state the fact: enough to prove it."""
        for item in self.messages[len(self._indexes) :]:
            message = message_from_chat(item, item["id"], item["id"])
            self._indexes.append(TextIndex(readable(message)))
        found = [
            item["id"]
            for item, index in zip(self.messages, self._indexes, strict=True)
            if index.states(forms)
        ]
        return list(dict.fromkeys([*found[:2], *found[-1:]]))

    def probe(
        self,
        id: str,
        kind: str,
        question: str,
        facts: Sequence[dict[str, Any]],
        traps: Sequence[dict[str, Any]] = (),
        answer: Mapping[str, Any] | None = None,
        point: str | None = None,
    ) -> None:
        """Ask a question after a point (the last one when it is not named)."""
        probe: dict[str, Any] = {"id": id, "kind": kind, "question": question, "facts": list(facts)}
        if traps:
            probe["traps"] = list(traps)
        if answer:
            probe["answer"] = dict(answer)
        if point:
            probe["point"] = point
        self.probes.append(probe)

    def git(self, *arguments: str) -> str:
        """Ask git for the truth; nothing of this is recorded."""
        return self._run(["git", *arguments])[0]

    def changed(self, since: str, status: str) -> list[str]:
        """Paths that git says were added (``A``), modified (``M``), deleted (``D``) since then.

        The index is brought up to date first, so work that is not committed counts.
        """
        self.git("add", "-A")
        lines = self.git("diff", "--cached", "-M", "--name-status", since).splitlines()
        return sorted(line.split("\t")[-1] for line in lines if line.startswith(status))

    # The tools --------------------------------------------------------------

    def _bash(self, command: str) -> tuple[str, bool]:
        output, code = self._run(["bash", "-c", command])
        if code:
            output = f"{output.rstrip()}\n[exit code {code}]"
        return output.strip("\n") or "(no output)", code != 0

    def _read_file(
        self, path: str, first_line: int = 1, last_line: int | None = None
    ) -> tuple[str, bool]:
        file = self.root / path
        if not file.exists():
            return f"read_file: no such file: {path}", True
        lines = file.read_text(encoding="utf-8").splitlines()[first_line - 1 : last_line]
        return "\n".join(f"{n:4d}  {line}" for n, line in enumerate(lines, first_line)), False

    def _write_file(self, path: str, content: str) -> tuple[str, bool]:
        file = self.root / path
        verb = "overwrote" if file.exists() else "created"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content, encoding="utf-8")
        return f"{verb} {path} ({len(content.splitlines())} lines)", False

    def _edit_file(self, path: str, old: str, new: str) -> tuple[str, bool]:
        file = self.root / path
        if not file.exists():
            return f"edit_file: no such file: {path}", True
        text = file.read_text(encoding="utf-8")
        if text.count(old) != 1:
            return f"edit_file: the text occurs {text.count(old)} times in {path}; expected 1", True
        line = text[: text.index(old)].count("\n") + 1
        file.write_text(text.replace(old, new), encoding="utf-8")
        return f"edited {path} at line {line}", False

    def _run(self, command: Sequence[str]) -> tuple[str, int]:
        self._clock += 97
        stamp = f"{self._clock} +0000"
        environment = {
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(self._workspace),
            "LC_ALL": "C.UTF-8",
            "TZ": "UTC",
            "COLUMNS": "100",
            "PYTHONHASHSEED": "0",
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONPATH": "src:.",
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            "PY_COLORS": "0",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_PAGER": "cat",
            "GIT_AUTHOR_NAME": "Dev",
            "GIT_AUTHOR_EMAIL": "dev@example.org",
            "GIT_COMMITTER_NAME": "Dev",
            "GIT_COMMITTER_EMAIL": "dev@example.org",
            "GIT_AUTHOR_DATE": stamp,
            "GIT_COMMITTER_DATE": stamp,
        }
        done = subprocess.run(
            command,
            cwd=self.root,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=120,
            check=False,
        )
        return done.stdout.decode("utf-8", "replace"), done.returncode

    def _scrub(self, output: str) -> str:
        output = output.replace(str(self._workspace.resolve()), HOME)
        output = output.replace(str(self._workspace), HOME)
        output = output.replace(str(Path(sys.executable).parent), f"{HOME}/.venv/bin")
        for pattern, stand_in in _STAND_INS:
            output = pattern.sub(stand_in, output)
        return output

    def _add(self, message: dict[str, Any]) -> str:
        id = f"m{len(self.messages):03d}"
        self.messages.append({"id": id} | message)
        return id


def seed(session: Recorder, text: str) -> None:
    """Lay the files of a seed text (``=== path`` before each) and commit them as history."""
    parts = re.split(r"^=== (\S+)\n", text, flags=re.MULTILINE)
    for path, content in zip(parts[1::2], parts[2::2], strict=True):
        file = session.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content.rstrip("\n") + "\n", encoding="utf-8")
    session.git("init", "-q", "-b", "main")
    session.git("add", "-A")
    session.git("commit", "-q", "-m", "Initial import")
    session.git("tag", "start")


def versions() -> dict[str, str]:
    """The minor versions that outputs depend on."""
    git = subprocess.run(["git", "--version"], capture_output=True, text=True, check=True).stdout
    import pytest

    return {
        "git": ".".join(git.split()[2].split(".")[:2]),
        "pytest": ".".join(pytest.__version__.split(".")[:2]),
        "python": f"{sys.version_info.major}.{sys.version_info.minor}",
    }


def build(
    script: str | Path,
    record: Callable[[Recorder], None],
    *,
    title: str,
    task: str,
    window: int,
    budget: int,
    repository: str,
) -> str:
    """Record the session of a script and return the text of its case file."""
    workspace = Path(tempfile.mkdtemp(prefix="recording-"))
    try:
        session = Recorder(repository, workspace)
        seed_file = Path(script).with_suffix(".seed")
        seed(session, seed_file.read_text(encoding="utf-8"))
        record(session)
    finally:
        shutil.rmtree(workspace, ignore_errors=True)
    case = {
        "id": Path(script).stem,
        "title": title,
        "task": task,
        "window": window,
        "budget": budget,
        "recorded_with": versions(),
        "messages": session.messages,
        "compaction_points": session.points,
        "probes": session.probes,
    }
    return json.dumps(case, ensure_ascii=False, indent=1) + "\n"


def write(script: str | Path, text: str) -> None:
    """Write the case beside its script, check it, and say what it holds."""
    from pytest_compaction.case_files import load_cases
    from pytest_compaction.tokens import TokenCounter

    target = Path(script).with_suffix(".json")
    target.write_text(text, encoding="utf-8")
    loaded = load_cases([target])
    for error in loaded.errors:
        print(error, file=sys.stderr)
    if loaded.errors:
        raise SystemExit(1)
    case = loaded.cases[0]
    tokens = TokenCounter().messages(case.messages)
    facts = sum(len(probe.facts) for probe in case.probes)
    print(
        f"{target}: {len(case.messages)} messages, {tokens} tokens, {len(case.points)} points, "
        f"{len(case.probes)} probes, {facts} facts"
    )
