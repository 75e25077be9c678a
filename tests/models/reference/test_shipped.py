"""The reference run that ships fits the cases, prompts and strategies of today."""

import json

import pytest
from support.reference_run import lack
from support.shipped import shipped as shipped_cases

from pytest_compaction.case.folder import files_below
from pytest_compaction.models.reference.archive import MAX_FILE_BYTES
from pytest_compaction.models.reference.shipped import PATH, shipped_run
from pytest_compaction.session.session import shipped_cases as folder


def manifest():
    return shipped_run().manifest


def test_it_covers_cases_that_ship_as_they_are_now():
    digests = {case.id: case.digest for case in shipped_cases()}
    covered = manifest().cases
    assert {id: digests.get(id) for id in covered} == dict(covered)
    assert PATH.stat().st_size <= MAX_FILE_BYTES


@pytest.mark.exhaustive
def test_it_answers_every_item_of_its_cases_and_strategies():
    covered = manifest().cases
    paths = [p for p in files_below(folder()).cases if json.loads(p.read_bytes())["id"] in covered]
    assert len(paths) == len(covered)
    found = lack(paths, manifest().strategies)
    assert [call.digest for call in found.calls] == []
