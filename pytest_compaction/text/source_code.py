"""Lines of source code, in whatever language."""

from __future__ import annotations

import re
from typing import Final

_DEFINITION: Final = re.compile(
    r"(?:(?:export|default|public|private|protected|static|async|abstract|final|pub|override)\s+)*"
    r"(?:def|class|function|func|fn|interface|struct|enum|type|trait|impl|module|namespace)\s+\w"
)


def is_definition(line: str) -> bool:
    """Whether a line, without its indentation, defines a function, a class or the like."""
    return _DEFINITION.match(line) is not None
