"""Arguments of a tool call that are nested deeper than Python goes are redacted as text."""

import pytest

from pytest_compaction.case_making import Redactor
from pytest_compaction.conversation import Message, ToolCall
from pytest_compaction.importers import ImportTally, Transcript

KEY = "ghp_" + "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3gH5"


@pytest.mark.parametrize("depth", [10, 400, 900, 5_000])
def test_a_key_in_arguments_of_any_depth_is_replaced(depth):
    arguments = "[" * depth + f'"{KEY}"' + "]" * depth
    call = ToolCall("c1", "run", arguments)
    message = Message("m1", "assistant", (call,))
    clean = Redactor().redact(Transcript((message,), "log.json", ImportTally(1, 1)))
    (part,) = clean.messages[0].parts
    assert KEY not in part.arguments
    assert part.arguments.startswith("[" * depth)
