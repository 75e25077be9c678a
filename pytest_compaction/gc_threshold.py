"""How often Python looks for garbage while a benchmark runs or a session is imported.

Conversations, views and their indexes are many small objects that live long and refer to each
other in no circle. By its defaults Python looks through all of them again and again, which took an
eighth of the time of a run, measured.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Final

MORE_OBJECTS: Final = 50_000
"""Objects that are made, beyond those that went, before Python looks at the young ones."""


def look_less_often() -> Callable[[], None]:
    """Look for garbage less often; what is returned makes it as it was.

    Where somebody has switched the search off, or made it as rare, nothing changes.
    """
    before = gc.get_threshold()
    if not gc.isenabled() or not 0 < before[0] < MORE_OBJECTS:
        return lambda: None
    gc.unfreeze()
    gc.set_threshold(MORE_OBJECTS, *before[1:])
    return lambda: gc.set_threshold(*before)
