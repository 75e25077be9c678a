"""What was made with an older version, and the runs that made it."""

import json
import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

HERE = Path(__file__).parent
PROJECT = HERE / "project"
"""The folder in which the runs were made: cases, dialogues, strategies."""
MODEL = "--compaction-model=gpt-4o-mini"
BY_RULES = "--compaction-judge=offline"
"""For strategies, because the judge's requests are others by design."""
USUAL = (MODEL, "--compaction-over-budget=report")
LONG = ("--compaction-cases=chats", "--compaction-budget=1000")
TALKS = (
    "--compaction-cases=talks.jsonl",
    "--compaction-history=recorded",
    "--compaction-dialogue-budget=0.5",
)
RUNS = {
    "trials, judgements, a control": (
        "--compactor=anchored",
        "--compaction-trials=2",
        "--compaction-judgements=2",
        "--compaction-control",
    ),
    "budgets": ("--compactor=anchored,window", "--compaction-budget=700,1500"),
    "a long conversation": ("--compactor=anchored,light,window", *LONG),
    "dialogues": (
        "--compactor=anchored,truncate",
        "--compaction-trigger=turns:1",
        "--compaction-model=talker",
        *TALKS,
    ),
    "a model that thinks": ("--compactor=anchored", "--compaction-model=o3"),
    "replies that are cut": ("--compactor=anchored", "--compaction-model=cut"),
    "judgements that are repaired": ("--compactor=window", "--compaction-judge=unsure"),
    "a client of its own": ("--compactor=own:asked", "--compaction-proxy"),
}
"""Runs besides one with each strategy: what they measure, and their arguments."""


def digests():
    """The digests of requests, by strategy for ``strategies``, and by run for ``runs``."""
    return json.loads((HERE / "digests.json").read_text("utf-8"))


def unpacked(name, to):
    """Unpack an archive of this folder; returns where."""
    with tarfile.open(HERE / name) as file:
        file.extractall(to, filter="data")
    return to


def in_store(folder):
    """The digests of the requests in a store."""
    return {path.stem for path in folder.glob("??/*.json")}


def copy_of_project(folder):
    """A copy of the project to run in."""
    return shutil.copytree(PROJECT, folder, dirs_exist_ok=True)


def run(folder, url, *arguments):
    """One run in a process of its own; returns its output."""
    environment = {**os.environ, "OPENAI_BASE_URL": url, "ANTHROPIC_BASE_URL": url[: -len("/v1")]}
    environment.pop("OPENAI_API_KEY", None)
    command = [sys.executable, "-m", "pytest", "-n0", "--tb=no", "-pno:cacheprovider"]
    done = subprocess.run(
        [*command, *USUAL, *arguments], cwd=folder, env=environment, capture_output=True, text=True
    )
    return done.stdout + done.stderr
