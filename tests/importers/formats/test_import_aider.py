"""Chat histories of aider: prompts, notices and answers, and edits applied and undone."""

import pytest
from support.paths import public_data

from pytest_compaction.artifacts import file_operations, file_states
from pytest_compaction.conversation import structure_faults
from pytest_compaction.importers import ImportFormatError, importer_for, load_importers
from pytest_compaction.importers.formats.aider import IMPORTER

HEADING = "\n# aider chat started at 2025-01-02 03:04:05\n\n"
BLOCK = f"""src/a.py
```python
<<<<<<< SEARCH
> quoted{"  "}
x = 1
=======
x = 2
>>>>>>> REPLACE
```"""


def prompt(*lines):
    return "".join(f"#### {line}  \n" for line in lines) + "\n"


def notices(*lines):
    return "".join(f"> {line}  \n" for line in lines) + "\n"


def imported(tmp_path, *pieces):
    path = tmp_path / ".aider.chat.history.md"
    path.write_text("".join(pieces), "utf-8")
    transcripts = list(IMPORTER.read(path))
    assert all(structure_faults(t.messages) == [] for t in transcripts)
    return transcripts


COST = "Tokens: 11k sent, 1k received. Cost: $0.05 message, $0.05 session."
HINT = "You can use /undo to undo and discard each aider commit."


def test_prompts_answers_and_notices_are_told_apart(tmp_path):
    (transcript,) = imported(
        tmp_path,
        HEADING,
        notices(
            "Aider v0.50.1", "Models: some-model with diff edit format", "^C again to exit", ""
        ),
        prompt("change x", "", "and keep y"),
        f"Certainly.\n\n{BLOCK}\n\nThat is all.\n\n",
        notices(COST, "Applied edit to src/a.py", "Commit abc1234 feat: Change x", HINT),
        prompt("/run pytest"),
        notices("1 failed, 2 passed in 0.1s"),
        prompt("thanks"),
    )
    shown = [(m.role, m.results[0].text if m.results else m.text) for m in transcript.messages]
    assert shown == [
        ("system", "Aider v0.50.1\nModels: some-model with diff edit format"),
        ("user", "change x\n\nand keep y"),
        ("assistant", f"Certainly.\n\n{BLOCK}\n\nThat is all."),
        ("tool", "Applied edit to src/a.py\nCommit abc1234 feat: Change x"),
        ("user", "/run pytest"),
        ("system", "1 failed, 2 passed in 0.1s"),
        ("user", "thanks"),
    ]
    (call,) = transcript.messages[2].calls
    assert (call.name, call.parsed()) == ("apply_edit", {"path": "src/a.py"})
    (state,) = file_states(file_operations(transcript.messages))
    assert (state.path, state.modified) == ("src/a.py", True)
    assert transcript.model == "some-model"
    assert transcript.name == ""
    assert transcript.tally.left_out == {
        "notice: token and cost count": 1,
        "notice: hint about a command": 1,
        "notice: keyboard interrupt": 1,
    }


def test_an_edit_that_was_undone_is_no_file_operation(tmp_path):
    applied = ("Applied edit to src/a.py", "Applied edit to src/b.py", "Commit abc1234 feat: x")
    (transcript,) = imported(
        tmp_path,
        HEADING,
        prompt("change x"),
        "Done.\n\n",
        notices(*applied),
        prompt("/undo"),
        notices("Removed: abc1234 feat: x", "Now at:  0123456 before"),
        prompt("change it again"),
        "Again.\n\n",
        notices(
            "Committing src/b.py before applying edits.",
            "Commit aaaaaaa wip",
            "Applied edit to src/a.py",
            "Applied edit to src/b.py",
            "Commit def5678 feat: x",
        ),
    )
    results = [m.results[0].text for m in transcript.messages if m.results]
    assert results == [
        "Applied edit to src/a.py",
        "Committing src/b.py before applying edits.\nCommit aaaaaaa wip\n"
        "Applied edit to src/a.py\nApplied edit to src/b.py\nCommit def5678 feat: x",
    ]
    assert [m.text for m in transcript.messages if m.role == "system"] == [
        "\n".join(applied),
        "Removed: abc1234 feat: x\nNow at:  0123456 before",
    ]
    assert transcript.tally.repaired == {
        "applied edit, also given as a tool call": 2,
        "edit that was undone later, kept as a notice": 2,
        "program notices, given as a system message": 2,
    }


def test_chats_of_one_history_are_conversations_named_by_their_time(tmp_path):
    other = "# aider chat started at 2025-02-03 04:05:06\n\n"
    first, second = imported(
        tmp_path,
        HEADING,
        prompt("/ask why?"),
        prompt(" why?"),
        "Because.\n\n",
        other.replace("02-03", "02-04"),
        prompt("/exit"),
        other,
        prompt("go"),
        "Gone.\n",
    )
    assert (first.name, second.name) == ("2025-01-02-03-04-05", "2025-02-03-04-05-06")
    assert [m.text for m in first.messages] == ["why?", "Because."]
    assert first.tally.left_out == {"command whose prompt is repeated below it": 1}
    assert second.tally.left_out == {"entry of a chat without an answer": 1}


def test_a_fence_that_was_cut_off_does_not_swallow_what_follows(tmp_path):
    (transcript,) = imported(
        tmp_path,
        HEADING,
        prompt("go"),
        "```python\nx = [\n\n",
        notices(COST),
        prompt("on"),
        "Yes.\n",
    )
    assert [m.text for m in transcript.messages] == ["go", "```python\nx = [", "on", "Yes."]


def test_a_history_that_lost_its_trailing_blanks_is_read_the_same(tmp_path):
    pieces = (HEADING, prompt("go", "on"), f"Gone.\n\n{BLOCK}\n\n", notices("Applied edit to a.py"))
    (kept,) = imported(tmp_path, *pieces)
    (lost,) = imported(tmp_path, *(piece.replace("  \n", "\n") for piece in pieces))
    assert [m.role for m in lost.messages] == ["user", "assistant", "tool"]
    assert [m.text.replace("  ", "") for m in kept.messages] == [m.text for m in lost.messages]


def test_headings_and_quotes_of_an_answer_are_its_own(tmp_path):
    answer = "#### Plan\n\n> as you said\n\nDone."
    (transcript,) = imported(tmp_path, HEADING, prompt("go"), answer + "\n\n", prompt("on"))
    assert [(m.role, m.text) for m in transcript.messages] == [
        ("user", "go"),
        ("assistant", answer),
        ("user", "on"),
    ]


def test_the_format_is_detected_from_content(tmp_path):
    importers = load_importers().importers
    path = tmp_path / "notes.txt"
    path.write_text(prompt("go") + "Gone.\n\n" + notices(COST), "utf-8")
    assert importer_for(path, importers).name == "aider"
    path.write_text("# a text\n\n#### a heading\n", "utf-8")
    with pytest.raises(ImportFormatError, match="no known transcript format"):
        importer_for(path, importers)


def test_the_public_history_is_read_whole():
    (transcript,) = IMPORTER.read(public_data("aider/chat-history.md"))
    assert structure_faults(transcript.messages) == []
    typed = sum(message.role == "user" for message in transcript.messages)
    again = transcript.tally.left_out["command whose prompt is repeated below it"]
    assert typed + again == 52
    assert sum(message.role == "assistant" for message in transcript.messages) == 24
    (state,) = file_states(file_operations(transcript.messages))
    assert state.path == "aider/website/_includes/blame.md"
