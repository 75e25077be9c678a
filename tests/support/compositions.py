"""Strategies and compositions by their spec, what refuses a spec, and talk to compact."""

import pytest
from support.builders import assistant, user

from pytest_compaction.compactors.registry import Registry
from pytest_compaction.compactors.specs import UnknownCompactorError, parse_spec


def create(text, **added):
    return Registry(added).create(parse_spec(text))


def refusal(text, **added):
    """What the error says that ``create`` raises."""
    with pytest.raises(UnknownCompactorError) as caught:
        create(text, **added)
    return str(caught.value)


def talk(turns, number=0):
    for turn in range(turns):
        yield user(f"What about idea {number}-{turn}? " + f"detail{number}x{turn} " * 30)
        yield assistant(f"Idea {number}-{turn} is noted. " + f"remark{number}x{turn} " * 30)
