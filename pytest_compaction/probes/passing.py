"""What was there only in passing: temporary files, devices, and work in temporary folders."""

from __future__ import annotations

import re
from typing import Final

TRANSIENT: Final = re.compile(
    r"^(?:/tmp/|/var/|/private/|/dev/)|(?:^|/)(?:node_modules|te?mp|scratchpad|dist|build|target|coverage)/"
)
"""Paths that no agent needs to remember: temporary files, devices, installed packages."""
TEMPORARY: Final = re.compile(
    r"(?:^|[\s\"'=;(])/(?:private/)?(?:tmp|var/folders)/|\bmktemp\b"
    r"|\b(?:mkdir|rm) [^;&|\n]{0,200}(?:te?mp|test)[-_]?(?:repo|dir)",
    re.I,
)
"""Scripts that work in a temporary folder."""
MAX_SCRIPT: Final = 4_000
"""Bounds the search in a script, which may hold a whole file."""
INITIAL: Final = re.compile(r"(?:initial|first|init)(?: commit)?\.?", re.I)
"""Subjects that every repository has."""
