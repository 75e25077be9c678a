"""The command line."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from raftline import frames
from raftline.counters import Counters
from raftline.errors import ShipError
from raftline.pipeline import run_pipeline
from raftline.settings import load


def main(arguments: Sequence[str]) -> int:
    """Run a command. Returns the exit code."""
    parser = argparse.ArgumentParser(prog="raftline")
    commands = parser.add_subparsers(dest="command", required=True)
    ship = commands.add_parser("ship", help="ship what is new")
    ship.add_argument("--config", type=Path, default=Path("raftline.ini"))
    ship.add_argument("--counters", action="store_true")
    show = commands.add_parser("frames", help="list the frames of a shore file")
    show.add_argument("path", type=Path)
    options = parser.parse_args(arguments)
    if options.command == "frames":
        for frame in frames.decode(options.path.read_bytes()):
            print(f"frame {frame.number}: {frame.records} records, {len(frame.body)} bytes")
        return 0
    return _ship(options.config, options.counters)


def _ship(config: Path, show_counters: bool) -> int:
    counters = Counters()
    try:
        run_pipeline(load(config), sys.stderr, counters)
    except ShipError as error:
        print(f"raftline: {error}", file=sys.stderr)
        return error.exit_code
    finally:
        if show_counters:
            print(counters.text())
    return 0
