"""A small basin in a folder of its own."""

from datetime import datetime, timedelta
from pathlib import Path

import pytest

from hourfold.readings import Reading, Series

REPOSITORY = Path(__file__).parents[1]


@pytest.fixture
def root(tmp_path):
    """Settings and tables of the repository, no raw files."""
    (tmp_path / "data").mkdir()
    for name in ("hourfold.ini", "stations.ini", "data/zones.csv", "data/ratings.csv"):
        (tmp_path / name).write_text((REPOSITORY / name).read_text())
    return tmp_path


@pytest.fixture
def put_csv(root):
    """Writes a raw CSV file of ``(stamp, level)`` rows."""

    def put(station, day, rows):
        lines = ["stamp;level_cm;status", *(f"{stamp};{level};ok" for stamp, level in rows)]
        path = root / "raw" / station / f"{day}.csv"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(lines) + "\n")
        return path

    return put


@pytest.fixture
def make_series():
    """A series with a reading at every ``step`` minutes from a start on."""

    def make(start, count, step=15, level=100.0):
        first = datetime.fromisoformat(start)
        return Series(
            "torv-outlet",
            [Reading(first + timedelta(minutes=step * n), level + n) for n in range(count)],
        )

    return make
