"""How many calls a run has made by now, read from its accounts while they are written."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_BUSY_S: Final = 1.0
_READ: Final = """
select coalesce(sum(case when state = 'paid' then calls else 0 end), 0),
       coalesce(sum(state = 'stored'), 0),
       coalesce(sum(case when state = 'paid' then usd end), 0),
       coalesce(sum(state = 'paid' and calls > 0 and usd is null), 0)
from calls
"""


@dataclass(frozen=True, slots=True)
class SoFar:
    """Calls that were answered, over all processes of a run.

    ``made`` were answered by an endpoint, ``stored`` by the store. ``usd`` (US dollars) is
    ``None`` if a call that was made has no price.
    """

    made: int = 0
    stored: int = 0
    usd: float | None = 0.0

    @property
    def done(self) -> int:
        """All calls that were answered."""
        return self.made + self.stored


def so_far(accounts: Path) -> SoFar:
    """What stands in the file of the accounts. Writes nothing, and keeps no writer waiting.

    Raises :class:`sqlite3.Error` if the file cannot be read.
    """
    address = f"{accounts.absolute().as_uri()}?mode=ro"
    with closing(sqlite3.connect(address, uri=True, timeout=_BUSY_S)) as db:
        made, stored, usd, unpriced = db.execute(_READ).fetchone()
    return SoFar(made, stored, None if unpriced else float(usd))
