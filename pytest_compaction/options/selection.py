"""What a run measures: strategies, budgets, and a part of the cases."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, Final

from pytest_compaction.options.table import option_of
from pytest_compaction.options.values import Reader, split, value_of
from pytest_compaction.settings import RECORDED, Budget, OptionError, Shard

MAX_BUDGETS: Final = 6
"""The most budgets of a run: as many as the table of the curve holds in 80 columns."""
_SHARD_DIGITS: Final = 4
_SHARD: Final = re.compile(rf"([0-9]{{1,{_SHARD_DIGITS}}})/([0-9]{{1,{_SHARD_DIGITS}}})")


def named_compactors(config: Reader) -> tuple[str, ...]:
    """The strategies under test as they are named, each once; empty without any.

    Raises :class:`OptionError` for an empty name.
    """
    option = option_of("compactor")
    return tuple(dict.fromkeys(split({option.key: value_of(config, option)}, option.key)))


def hidden(texts: Iterable[str]) -> Iterable[str]:
    """The texts with stand-ins for secrets, because they stand in names, files and records."""
    texts = list(texts)
    if not any("=" in text for text in texts):
        return texts
    from pytest_compaction.secrets.hidden import hide

    return map(hide, texts)


def budgets_of(texts: Sequence[str]) -> tuple[Budget, ...]:
    """Budgets in tokens, each once, the smallest first; or those of the views on record."""
    found: set[int] = set()
    if set(texts) == {RECORDED}:
        return (RECORDED,)
    if RECORDED in texts:
        raise OptionError(
            f"--compaction-budget={','.join(texts)} mixes the budgets on record with others; give "
            f"{RECORDED} alone, or numbers in a run of their own"
        )
    for text in texts:
        budget = int(text) if text.isdecimal() and len(text) <= 10 else 0
        if not 0 < budget <= 10**9:
            raise OptionError(
                f"--compaction-budget={text} is not a budget; write a whole number of tokens from "
                "1 on, several as in 1000,2000,4000, or recorded"
            )
        found.add(budget)
    if len(found) > MAX_BUDGETS:
        raise OptionError(
            f"--compaction-budget names {len(found)} budgets; give at most {MAX_BUDGETS}, such as "
            "1000,2000,4000"
        )
    return tuple(sorted(found))


def shard_of(raw: dict[str, Any]) -> Shard | None:
    """The part of the cases that is asked for; ``None`` for all."""
    given = raw["compaction_shard"]
    if given is None:
        return None
    match = _SHARD.fullmatch(given.strip())
    index, count = (int(match[1]), int(match[2])) if match else (0, 0)
    if not 1 <= index <= count:
        raise OptionError(
            f"--compaction-shard={given} is not a shard; write I/N with whole numbers, I from 1 to "
            f"N, such as 2/8 for the second of eight, and N at most {10**_SHARD_DIGITS - 1}"
        )
    if raw["compaction_check"]:
        raise OptionError(
            f"--compaction-shard={given} names a part of the cases, and --compaction-check runs "
            "no case; leave one of the two out"
        )
    return Shard(index, count)
