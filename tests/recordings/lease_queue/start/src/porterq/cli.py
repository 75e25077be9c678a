"""Command line of the queue."""

from __future__ import annotations

import argparse
import json
import logging
import os
import sys
from pathlib import Path

from porterq.clock import SystemClock
from porterq.config import Settings, load_settings
from porterq.errors import PorterError
from porterq.handlers import Registry
from porterq.queue import JobQueue
from porterq.rehearse import rehearse
from porterq.store import LeaseStore
from porterq.worker import Worker

EXIT_USAGE = 64
EXIT_LOST = 75


def parser() -> argparse.ArgumentParser:
    """The parser with all commands."""
    top = argparse.ArgumentParser(prog="porterq")
    top.add_argument("--db", default="porterq.db")
    top.add_argument("--config", type=Path, default=Path("porterq.toml"))
    commands = top.add_subparsers(dest="command", required=True)
    put = commands.add_parser("put", help="add a job")
    put.add_argument("kind")
    put.add_argument("payload", nargs="?", default="null")
    commands.add_parser("stats", help="jobs by state")
    events = commands.add_parser("events", help="history of a job")
    events.add_argument("job", type=int)
    work = commands.add_parser("work", help="run jobs until none is ready")
    work.add_argument("--handlers", required=True)
    work.add_argument("--id", default="w1")
    play = commands.add_parser("rehearse", help="play a load with a manual clock")
    play.add_argument("--jobs", type=int, default=40)
    play.add_argument("--workers", type=int, default=4)
    play.add_argument("--job-seconds", type=int, default=6)
    play.add_argument("--batch", type=int)
    play.add_argument("--trace", type=int, metavar="JOB", help="print the history of a job")
    return top


def main(argv: list[str] | None = None) -> int:
    """Run one command; returns the exit code."""
    logging.basicConfig(format="%(levelname)s %(name)s: %(message)s", stream=sys.stderr)
    arguments = parser().parse_args(argv)
    try:
        settings = load_settings(arguments.config, os.environ)
        if arguments.command == "rehearse":
            return _rehearse(arguments, settings)
        return _with_store(arguments, settings)
    except PorterError as error:
        print(f"porterq: {error}", file=sys.stderr)
        return EXIT_USAGE


def _rehearse(arguments: argparse.Namespace, settings: Settings) -> int:
    logging.getLogger("porterq").setLevel(logging.CRITICAL)
    if arguments.batch:
        settings = load_settings(
            arguments.config, os.environ | {"PORTERQ_BATCH_SIZE": str(arguments.batch)}
        )
    report = rehearse(settings, arguments.jobs, arguments.workers, arguments.job_seconds)
    print("\n".join(report.lines()))
    for event in report.events:
        if event.job_id == arguments.trace:
            print(event)
    return 0 if report.clean else EXIT_LOST


def _with_store(arguments: argparse.Namespace, settings: Settings) -> int:
    store = LeaseStore(arguments.db, SystemClock(), settings.busy_timeout_ms)
    queue = JobQueue(store, settings)
    try:
        if arguments.command == "put":
            print(queue.put(arguments.kind, json.loads(arguments.payload)))
        elif arguments.command == "stats":
            for state, number in queue.stats().items():
                print(f"{state:<7s} {number}")
        elif arguments.command == "events":
            for event in store.events(arguments.job):
                print(event)
        else:
            return _work(arguments, queue)
    finally:
        store.close()
    return 0


def _work(arguments: argparse.Namespace, queue: JobQueue) -> int:
    worker = Worker(queue, Registry.from_module(arguments.handlers), arguments.id)
    metrics = worker.run_until_idle()
    print(metrics.line())
    return EXIT_LOST if metrics["lost"] else 0
