"""``lint`` finds what readers of derived probes found weak or wrong."""

import json
from typing import Any

from support.builders import case_data

from pytest_compaction.case_making import inspect

FAST = "make the upload handler faster for everybody"


def found(folder, question, text, keys=()):
    messages = [
        {
            "id": "m0",
            "role": "user",
            "content": f"{FAST}, and that should never happen again to the",
        },
        {"id": "m9", "role": "assistant", "content": "Understood. " * 200},
    ]
    fact: dict[str, Any] = {"text": text, "type": "state", "evidence": ["m0"]}
    fact |= {"keys": [[key] for key in keys]} if keys else {}
    probes = [{"id": "p", "kind": "recall", "question": question, "facts": [fact]}]
    data = case_data(
        messages=messages,
        budget=200,
        compaction_points=[{"id": "end", "after": "m9"}],
        probes=probes,
    )
    path = folder / "case.json"
    path.write_text(json.dumps(data), "utf-8")
    findings = inspect([path], answer=False).findings
    assert not [f for f in findings if f.rule == "unusable"], findings
    return [(f.rule, f.level) for f in findings]


def test_a_fact_that_is_the_middle_of_a_sentence(tmp_path):
    told = found(tmp_path, "What was wrong?", "that should never happen", keys=("never happen",))
    assert ("fragment", "warning") in told
    assert ("fragment", "warning") not in found(tmp_path, "What was wanted?", FAST)
