"""Snapshots that nothing used in a run, by name, from what syrupy found at its end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest

from pytest_compaction.text.words import printable

_SHOWN: Final = 10
"""Names that are printed; ``--snapshot-details`` prints all."""


@dataclass(frozen=True, slots=True)
class Unused:
    """Unused snapshots of a run: ``names`` as shown, and whether they ``fail`` it."""

    names: tuple[str, ...]
    fail: bool

    def lines(self) -> Iterator[str]:
        """What the summary says of them; nothing where there are none."""
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
    """The unused snapshots; ``None`` if syrupy did not look, or removed them as it was told to.

    Under pytest-xdist this is the controller's account, made of those of all workers.
    What ``--snapshot-warn-unused`` asks for holds here as well: named, and no failure.
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
