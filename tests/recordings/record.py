"""Writes the cases of scripted sessions: ``python tests/recordings/record.py NAME...``.

Plays ``NAME/play.py`` in a repository that begins with the files of ``NAME/start/`` and
writes ``cases/TASK/NAME.json``. The same play gives the same bytes again, on the same minor
versions of Python, pytest and git; see ``repository.py`` for what is held fixed.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import sys
import tempfile
from pathlib import Path

from recorder import Play, Recorder
from repository import Repository, versions

from pytest_compaction.case.files import load_cases
from pytest_compaction.conversation.tokens import TokenCounter

RECORDINGS = Path(__file__).resolve().parent
CASES = RECORDINGS.parents[1] / "cases"


def names() -> list[str]:
    """Names of all plays."""
    return sorted(path.parent.name for path in RECORDINGS.glob("*/play.py"))


def load(name: str) -> Play:
    """The play of that name."""
    spec = importlib.util.spec_from_file_location(f"play_{name}", RECORDINGS / name / "play.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    play: Play = module.PLAY
    return play


def target(name: str, play: Play) -> Path:
    """The file that the case goes to."""
    return CASES / play.task / f"{name}.json"


def case_text(name: str, play: Play) -> str:
    """Play the session, and return the text of its case file."""
    with tempfile.TemporaryDirectory(prefix="recording-", ignore_cleanup_errors=True) as workspace:
        session = Recorder(Repository(play.repository, Path(workspace)))
        session.repo.seed(RECORDINGS / name / "start")
        play.record(session)
    case = {
        "id": name,
        "title": play.title,
        "task": play.task,
        "window": play.window,
        "budget": play.budget,
        "recorded_with": versions(),
        "messages": session.messages,
        "compaction_points": session.points,
        "probes": session.probes,
    }
    return json.dumps(case, ensure_ascii=False, indent=1) + "\n"


def write(name: str) -> str:
    """Write the case, check it, and say what it holds. A broken case ends the program."""
    play = load(name)
    file = target(name, play)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(case_text(name, play), encoding="utf-8")
    loaded = load_cases([file])
    if loaded.errors:
        sys.exit("\n".join(map(str, loaded.errors)))
    case = loaded.cases[0]
    tokens = TokenCounter().messages(case.messages)
    facts = sum(len(probe.facts) for probe in case.probes)
    return (
        f"{file}: {len(case.messages)} messages, {tokens} tokens, {len(case.points)} points, "
        f"{len(case.probes)} probes, {facts} facts"
    )


def main() -> None:
    """Record the sessions that the command line names."""
    parser = argparse.ArgumentParser(description="Record scripted sessions as cases.")
    parser.add_argument("names", nargs="+", choices=names(), metavar="NAME")
    for name in parser.parse_args().names:
        print(write(name))


if __name__ == "__main__":
    main()
