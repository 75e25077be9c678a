"""The option ``--store`` of the commands that ask a model."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Final

DEFAULT_STORE: Final = ".pytest_compaction/store"


def add_store_option(parser: argparse.ArgumentParser) -> None:
    """Add the option: the folder in which the calls of the model are kept."""
    parser.add_argument(
        "--store",
        type=Path,
        default=Path(DEFAULT_STORE),
        metavar="DIR",
        help=f"where the calls of that model are kept ({DEFAULT_STORE})",
    )
