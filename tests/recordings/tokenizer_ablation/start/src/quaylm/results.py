"""Tables of results: for the terminal and as tab-separated text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from quaylm.measure import Score

COLUMNS = ("value", "pieces", "unknown", "bpc")


@dataclass(frozen=True)
class Row:
    """One value of a sweep and what came of it."""

    value: float
    pieces: int
    unknown: float
    bpc: float

    @classmethod
    def of(cls, value: float, score: Score) -> Row:
        """The row of a score."""
        return cls(value, score.pieces, score.unknown_share, score.bpc)

    def cells(self) -> tuple[str, str, str, str]:
        """As text; the share of unknown pieces in percent."""
        return f"{self.value:g}", str(self.pieces), f"{100 * self.unknown:.1f}%", f"{self.bpc:.3f}"


def table(name: str, rows: Sequence[Row]) -> str:
    """A table for the terminal, the lowest bpc marked with a star."""
    best = min(rows, key=lambda row: row.bpc)
    lines = [f"{name:>12} {'pieces':>8} {'unknown':>8} {'bpc':>7}"]
    for row in rows:
        value, pieces, unknown, bpc = row.cells()
        star = " *" if row is best else ""
        lines.append(f"{value:>12} {pieces:>8} {unknown:>8} {bpc:>7}{star}")
    return "\n".join(lines)


def write_rows(path: Path, rows: Sequence[Row]) -> None:
    """Write the rows as tab-separated text, header first."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = ["\t".join(COLUMNS), *("\t".join(row.cells()) for row in rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def read_rows(path: Path) -> list[Row]:
    """Read a table that ``write_rows`` wrote."""
    rows = []
    for line in path.read_text(encoding="utf-8").splitlines()[1:]:
        value, pieces, unknown, bpc = line.split("\t")
        rows.append(Row(float(value), int(pieces), float(unknown.rstrip("%")) / 100, float(bpc)))
    return rows
