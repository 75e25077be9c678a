"""Snapshots that nothing in a run used, as syrupy found them at its end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest

from pytest_compaction.text.words import printable

_SHOWN: Final = 10
"""The number of names printed; ``--snapshot-details`` prints all."""


@dataclass(frozen=True, slots=True)
class Unused:
    """Unused snapshots of a run: ``names`` as shown, and whether they ``fail`` it."""

    names: tuple[str, ...]
    fail: bool

    def lines(self) -> Iterator[str]:
        """The lines of the summary; no line if every snapshot was used."""
        if not self.names:
            return
        count = len(self.names)
        yield ""
        yield (
            f"{count} {'snapshot is' if count == 1 else 'snapshots are'} used by nothing in this "
            "run; --snapshot-update removes:"
        )
        for name in self.names[:_SHOWN]:
            yield f"  {printable(name, 200)}"
        if count > _SHOWN:
            yield f"  and {count - _SHOWN} more (--snapshot-details)"


def unused_snapshots(config: pytest.Config) -> Unused | None:
    """The unused snapshots; ``None`` if syrupy did not look for them or has removed them.

    Under pytest-xdist the controller adds up what all workers used. With
    ``--snapshot-warn-unused`` unused snapshots are named but fail nothing.
    """
    session: Any = getattr(config, "_syrupy", None)
    report = getattr(session, "report", None)
    if report is None or getattr(report, "unused_detection_incomplete", False):
        return None
    if getattr(session, "disable_unused_snapshots", False) or session.update_snapshots:
        return None
    names: list[str] = []
    for collection in report.unused:
        place = Path(collection.location)
        root = config.rootpath
        shown = str(place.relative_to(root) if place.is_relative_to(root) else place)
        inner = sorted(snapshot.name for snapshot in collection)
        whole = len(inner) < 2 and place.name.endswith(".judge.json")
        names += [shown] if whole else [f"{shown}: {name}" for name in inner]
    return Unused(tuple(sorted(names)), fail=not session.warn_unused_snapshots)
