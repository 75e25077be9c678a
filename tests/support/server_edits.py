"""The edits that an endpoint is asked for, its report of them, and a log for both."""

from support.builders import assistant, tool, user

SENT = {
    "edits": [
        {
            "type": "clear_tool_uses_20250919",
            "trigger": {"type": "input_tokens", "value": 2000},
            "keep": {"type": "tool_uses", "value": 2},
        },
        {
            "type": "compact_20260112",
            "trigger": {"type": "input_tokens", "value": 50_000},
        },
    ]
}
CLEARED = {
    "applied_edits": [
        {
            "type": "clear_tool_uses_20250919",
            "cleared_tool_uses": 3,
            "cleared_input_tokens": 1700,
        }
    ]
}
EDITS = {"context_management": SENT}


def uses(count=5, words=300):
    """Tool uses with long results, each with a number that occurs nowhere else."""
    chat = [user("Look at the queue, file by file."), assistant("I begin.")]
    for n in range(count):
        chat.append(assistant(None, (f"c{n}", "read_file", {"path": f"src/part{n}.py"})))
        chat.append(tool(f"c{n}", f"The limit of part {n} is {7000 + n}. " + f"filler{n} " * words))
    return [*chat, assistant("Next step: update docs/retries.md."), user("Go on.")]
