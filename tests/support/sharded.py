"""Runs in shards inside a test, and their merger with the command."""

from pathlib import Path

from support.scenarios import run, run_files

from pytest_compaction.cli import main

IDS = ("first", "second", "tenth")
"""Ids of cases of which each of two and of three shards has one."""


def run_shards(pytester, count, *arguments, compactor="forget_limit"):
    """Run every shard; the results by index."""
    shards = range(1, count + 1)
    return {
        index: run(pytester, f"--compaction-shard={index}/{count}", *arguments, compactor=compactor)
        for index in shards
    }


def shard_files(pytester):
    """The files of all shards that have run, oldest first."""
    return [path for path in run_files(pytester) if "-shard" in path.name]


def merge(files, output, *arguments):
    """The exit code of the command."""
    return main(["merge", *map(str, files), "-o", str(output), *arguments])


def merged(pytester, *arguments):
    """The exit code of the command on the files of all shards, and the file that it wrote."""
    output = Path(pytester.path / "merged.jsonl")
    return merge(shard_files(pytester), output, *arguments), output
