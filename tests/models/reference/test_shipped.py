"""The reference run that ships fits the cases, prompts and strategies of today."""

import hashlib
import json

import pytest
from support.reference_run import lack
from support.shipped import shipped as shipped_cases

from pytest_compaction.case import files_below
from pytest_compaction.models import shipped_run
from pytest_compaction.session.session import shipped_cases as folder

AS_BEFORE = "d17a83af080ae1f11447eb51ac13293f7318ec47598ffa40faf5574f7f0b4ec0"
"""SHA-256 of the digests and words of the cases that are covered, in the file of ac621f22."""


def manifest():
    return shipped_run().manifest


def test_it_covers_cases_that_ship_as_they_are_now():
    digests = {case.id: case.digest for case in shipped_cases()}
    covered = manifest().cases
    assert {id: digests.get(id) for id in covered} == dict(covered)


def test_all_words_have_a_key_of_their_own_that_names_what_is_there():
    words = list(shipped_run().words.values())
    keys = [each.key for each in words]
    assert keys == sorted(set(keys))
    cases = {case.id: case for case in shipped_cases()}
    others = set()
    for each in words:
        if each.case not in manifest().cases:
            others.add((each.role, each.case, each.strategy))
            continue
        case = cases[each.case]
        assert each.strategy in manifest().strategies
        assert each.point in {point.id for point in case.points}
        probes = {probe.id: case.points[probe.point].id for probe in case.probes}
        if each.role == "summary":
            assert each.probe == ""
            assert set(each.covers) <= {message.id for message in case.messages}
        else:
            assert (each.point, each.covers) == (probes[each.probe], ())
    assert others == {("verdict", f"session-{number}", "recorded") for number in range(1, 6)}


def test_each_request_has_the_words_that_it_had_when_they_were_found_by_it_alone():
    words = shipped_run().words
    found = [(each.digest, each.words) for each in sorted(words.values(), key=lambda w: w.digest)]
    assert list(words) != sorted(words)
    assert hashlib.sha256(json.dumps(found).encode()).hexdigest() == AS_BEFORE


@pytest.mark.exhaustive
def test_it_answers_every_item_of_its_cases_and_strategies():
    covered = manifest().cases
    paths = [p for p in files_below(folder()).cases if json.loads(p.read_bytes())["id"] in covered]
    assert len(paths) == len(covered)
    found = lack(paths, manifest().strategies)
    assert [call.digest for call in found.calls] == []
