"""Cline's older histories: calls in tags or native, results and notices in texts of the user."""

import json

from support.cline import answer, message, use
from support.imports import at_length

from pytest_compaction import cli
from pytest_compaction.artifacts import file_operations
from pytest_compaction.conversation import structure_faults
from pytest_compaction.importers import importer_for, load_importers
from pytest_compaction.importers.formats.cline import IMPORTER

ENVIRONMENT = "<environment_details>\n# Current Time\nnow\n</environment_details>"
CLASSIC = [
    message("", "user", "<task>\nfix the parser\n</task>", ENVIRONMENT),
    message("", "assistant", "I read it.\n\n<read_file>\n<path>src/p.py</path>\n</read_file>"),
    message("", "user", "[read_file for 'src/p.py'] Result:", "x = 1", ENVIRONMENT),
    message(
        "",
        "assistant",
        "<write_to_file>\n<path>src/p.py</path>\n<content>\n<content>\n"
        "x = 2\n</content>\n</content>\n</write_to_file>",
    ),
    message(
        "",
        "user",
        "[write_to_file for 'src/p.py'] Result:",
        "The tool execution failed with the following error:\n<error>\nread-only\n</error>",
    ),
    message(
        "",
        "assistant",
        "<execute_command>\n<command>pytest -q</command>\n"
        "<requires_approval>false</requires_approval>\n</execute_command>",
    ),
    message("", "user", "[TASK RESUMPTION] This task was interrupted."),
    message(
        "",
        "assistant",
        "Fixed.\n<attempt_completion>\n<result>\nThe parser works.\n</result>\n"
        "</attempt_completion>",
    ),
    message("", "user", "[attempt_completion] Result:", "<feedback>\nnow the lexer\n</feedback>"),
]


def test_calls_in_tags_are_calls_with_their_results(tmp_path):
    path = tmp_path / "renamed.json"
    path.write_text(json.dumps(CLASSIC), "utf-8")
    assert importer_for(path, load_importers().importers).name == "cline"
    (transcript,) = IMPORTER.read(path)
    assert structure_faults(transcript.messages) == []
    shown = [
        (m.role, m.results[0].text if m.results else m.text, [c.name for c in m.calls])
        for m in transcript.messages
    ]
    failed = "The tool execution failed with the following error:\n<error>\nread-only\n</error>"
    assert shown == [
        ("user", "fix the parser", []),
        ("assistant", "I read it.", ["read_file"]),
        ("tool", "x = 1", []),
        ("assistant", "", ["write_to_file"]),
        ("tool", failed, []),
        ("assistant", "", ["execute_command"]),
        ("tool", "[interrupted: no result was recorded]", []),
        ("system", "[TASK RESUMPTION] This task was interrupted.", []),
        ("assistant", "Fixed.\nThe parser works.", []),
        ("user", "now the lexer", []),
    ]
    writing = transcript.messages[3].calls[0].parsed()
    assert writing == {"path": "src/p.py", "content": "<content>\nx = 2\n</content>"}
    operations = file_operations(transcript.messages)
    assert [(o.operation, o.succeeded) for o in operations] == [("read", True), ("modified", False)]
    details = "environment details added by the program"
    assert transcript.tally.left_out == {details: 2}


REMINDER = "\n\n# TODO LIST UPDATE REQUIRED - You MUST include the task_progress parameter."
NATIVE = [
    message("", "user", "<task>\nfix the parser\n</task>", ENVIRONMENT),
    message(
        "",
        "assistant",
        use("a", "read_file", path="src/p.py"),
        use("b", "read_file", path="src/q.py"),
        use("c", "use_subagents", prompt_1="look around"),
    ),
    message(
        "",
        "user",
        "[read_file for 'src/q.py'] Result:\n1 | q = 1",
        "[read_file for 'src/p.py'] Result:\n1 | p = 1",
        "[subagents] Result:\nTotal: 1",
        REMINDER,
        ENVIRONMENT,
    ),
    message("", "assistant", use("d", "execute_command", command="pytest -q\nruff check")),
    message(
        "",
        "user",
        "The user provided the following feedback:\n<feedback>\nnot on this branch\n</feedback>",
        "[execute_command for 'pytest -q\nruff check'] Result:\nThe user denied this operation.",
        ENVIRONMENT,
    ),
    message("", "assistant", "I stopped."),
    message("", "user", "[ERROR] You did not use a tool in your previous response!", ENVIRONMENT),
    message("", "assistant", use("e", "ask_followup_question", question="Which one?\n- a\n- b")),
    message(
        "",
        "user",
        "[ask_followup_question for 'Which one?\n- a\n- b'] Result:\n<answer>\nb\n</answer>",
    ),
    message("", "assistant", use("f", "attempt_completion", result="Done with b.")),
    message(
        "",
        "user",
        "[attempt_completion] Result:",
        "Command executed successfully.",
        "The user has provided feedback on the results. Consider their input.",
        "<feedback>\nnow the lexer\n</feedback>",
    ),
]


def test_native_calls_get_the_results_that_follow_as_text(tmp_path):
    path = tmp_path / "1777073160794" / "api_conversation_history.json"
    path.parent.mkdir()
    path.write_text(json.dumps(NATIVE), "utf-8")
    assert importer_for(path, load_importers().importers).name == "cline"
    (transcript,) = IMPORTER.read(path)
    assert structure_faults(transcript.messages) == []
    shown = [(m.role, m.results[0].text if m.results else m.text) for m in transcript.messages]
    assert shown == [
        ("user", "fix the parser"),
        ("assistant", ""),
        ("tool", "1 | p = 1"),
        ("tool", "1 | q = 1"),
        ("tool", "Total: 1"),
        ("assistant", ""),
        ("tool", "The user denied this operation."),
        ("user", "not on this branch"),
        ("assistant", "I stopped."),
        ("system", "[ERROR] You did not use a tool in your previous response!"),
        ("assistant", "Which one?\n- a\n- b"),
        ("user", "b"),
        ("assistant", "Done with b."),
        ("system", "Command executed successfully."),
        ("user", "now the lexer"),
    ]
    assert transcript.messages[6].results[0].is_error
    assert transcript.tally.left_out == {
        "environment details added by the program": 4,
        "reminder added by the program": 2,
    }


def test_results_in_blocks_of_questions_are_the_words_of_the_user(tmp_path):
    path = tmp_path / "history.json"
    blocks = answer("e", "[ask_followup_question] Result:\n<answer>\nb\n</answer>")
    path.write_text(json.dumps([*NATIVE[:1], NATIVE[7], message("", "user", blocks)]), "utf-8")
    (transcript,) = IMPORTER.read(path)
    assert [(m.role, m.text) for m in transcript.messages[1:]] == [
        ("assistant", "Which one?\n- a\n- b"),
        ("user", "b"),
    ]


def test_histories_of_the_same_file_name_are_named_by_their_folder(tmp_path, capsys):
    task = "<task>\nretry three times, the queue limit is 64, never touch vendor/\n</task>"
    history = [message("", "user", task, ENVIRONMENT)]
    for number in range(24):
        path = f"src/area{number // 4}/part{number}.py"
        write_it = use(f"w{number}", "write_to_file", path=path, content=f"value_{number} = 1")
        history.append(message("", "assistant", at_length(f"I write part {number}."), write_it))
        saved = f"[write_to_file for '{path}'] Result:\nThe content was saved to {path}."
        history.append(message("", "user", saved, ENVIRONMENT))
    paths = [tmp_path / id / "api_conversation_history.json" for id in ("17770731", "17773449")]
    for path in paths:
        path.parent.mkdir()
        path.write_text(json.dumps(history), "utf-8")
    output = tmp_path / "cases"
    assert cli.main(["import", *map(str, paths), "-o", str(output)]) == 0
    capsys.readouterr()
    assert sorted(path.name for path in output.iterdir()) == ["17770731.json", "17773449.json"]


def test_a_file_that_cline_saved_first_is_created(tmp_path):
    said = (
        "The content was successfully saved to src/n.ts.\n\nHere is the full, updated content "
        'of the file that was saved:\n\n<final_file_content path="src/n.ts">\nx'
    )
    history = [
        NATIVE[0],
        message("", "assistant", use("w", "write_to_file", absolutePath="src/n.ts", content="x")),
        message("", "user", f"[write_to_file for 'src/n.ts'] Result:\n{said}"),
    ]
    path = tmp_path / "history.json"
    path.write_text(json.dumps(history), "utf-8")
    (transcript,) = IMPORTER.read(path)
    (operation,) = file_operations(transcript.messages)
    assert (operation.path, operation.operation) == ("src/n.ts", "created")
