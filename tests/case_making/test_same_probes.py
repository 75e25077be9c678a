"""The probes of the shipped sessions: what only makes an import faster leaves each byte of them.

A change of the rules for probes changes these digests, and replaces them.
"""

import hashlib
import json

import pytest
from support.paths import public_data

from pytest_compaction.case_making import Redactor, make_case
from pytest_compaction.importers import conversations, importer_for, load_importers

DIGESTS = {
    "aider/chat-history.md": "b9665ffb7e1005d7",
    "claude-code/session.jsonl": "d810c5cc73d74858",
    "swe-agent/marshmallow-1867.traj": "e212256aa1653331",
    "swe-agent/pydicom-1458.traj": "253d00cc29e4bdd1",
    "pi-agent/large-session.jsonl": "0b5c58671db7d044",
}


def digest_of(name):
    path = public_data(name)
    importer = importer_for(path, load_importers().importers)
    redactor = Redactor()
    made = [make_case(redactor.redact(read)) for read in conversations(importer, path)]
    probes = json.dumps([case.data["probes"] for case in made], sort_keys=True)
    return hashlib.sha256(probes.encode()).hexdigest()[:16]


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.exhaustive if "large" in name else ())
        for name in sorted(DIGESTS)
    ],
)
def test_the_probes_of_a_shipped_session_are_what_they_were(name):
    assert digest_of(name) == DIGESTS[name]
