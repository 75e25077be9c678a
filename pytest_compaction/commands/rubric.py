"""``pytest-compaction rubric``: the rubric as a file that ``--compaction-rubric`` takes."""

from __future__ import annotations

import argparse
from typing import Any

from pytest_compaction.judges import rubric_text


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "rubric",
        help="print the rubric: questions, anchors and weights of all criteria",
        description="Print the default rubric as JSON: of each criterion the question and the "
        "anchors (0, 3 and 5) for a model that judges, what rules read in its place, and the "
        "weight. Change what you like, and name the file with --compaction-rubric.",
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    print(rubric_text(), end="")
    return 0
