"""Names in camel case, read as their words."""

import os
import subprocess
import sys

import pytest

from pytest_compaction.text.excerpts import camel_names, in_lower_case

TWO_SPELLINGS = "fooBarBaz beside fooBarbaz"
PROGRAM = f"""
from pytest_compaction.text.excerpts import camel_names, in_lower_case
print(*in_lower_case(camel_names({TWO_SPELLINGS!r}))["foobarbaz"])
"""


def test_a_name_gives_the_stems_of_its_words():
    assert in_lower_case(camel_names("the LeaseQueue waits")) == {"leasequeue": ("leas", "queue")}


@pytest.mark.parametrize("seed", ["0", "4"])
def test_of_two_spellings_of_a_name_the_same_one_counts_in_every_process(seed):
    told = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env=os.environ | {"PYTHONHASHSEED": seed},
        capture_output=True,
        text=True,
        check=True,
    )
    assert told.stdout.split() == ["foo", "barbaz"]
