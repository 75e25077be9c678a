"""Search for the secrets of an imported transcript: keys by their shape, passwords by name.

Entropy alone says little: a transcript is full of hashes, ids and encoded data, and those are
facts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain
from typing import Final

from pytest_compaction.secrets.broken import find_broken
from pytest_compaction.secrets.keys import find_known
from pytest_compaction.secrets.named import find_named, is_mixed
from pytest_compaction.secrets.random_words import find_random
from pytest_compaction.secrets.shapes import STAND_IN, find
from pytest_compaction.secrets.stated import find_stated

_SHORTEST: Final = 6
_TEMPLATE: Final = re.compile(r":(?:\$|\{|<|%|\*+$)")
# A JSON Web Token looks like a member of a member of an object, but its names are long.
_SHORT_MEMBER: Final = re.compile(r"[A-Za-z_$][\w$]{0,15}(?:\??\.[A-Za-z_$][\w$]{0,15})+")


def secrets_in(text: str) -> Iterator[str]:
    """Every secret of a text that can be searched for everywhere, some several times; linear.

    Values that are secrets only where something names them are left out; see
    :func:`~pytest_compaction.secrets.named.find_named`.
    """
    keys = [*find_known(text), *find(text), *find_stated(text), *find_random(text)]
    found = [text[start:stop] for start, stop in keys]
    passwords = (key.rpartition(":")[2] for key in found)
    named = (text[start:stop] for (start, stop), distinctive in find_named(text) if distinctive)
    broken = find_broken(text, keys)
    for secret in chain(found, filter(is_mixed, passwords), named, broken):
        plain = _TEMPLATE.search(secret) or _SHORT_MEMBER.fullmatch(secret)
        if STAND_IN not in secret and len(secret) >= _SHORTEST and not plain:
            yield secret
