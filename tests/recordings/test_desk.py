"""The desk of an assistant keeps its calendar, mail and notes as its tools left them."""

import shutil
from pathlib import Path

import pytest
from desk import Desk
from repository import Repository

START = Path(__file__).parent / "office_move/start"
pytestmark = pytest.mark.skipif(
    shutil.which("git") is None, reason="git is needed to record a session"
)


@pytest.fixture
def desk(tmp_path):
    """The desk with which the session about the move of an office begins."""
    repo = Repository("desk", tmp_path)
    repo.seed(START)
    made = Desk(repo, "2026-03-02")
    repo.tools |= made.tools
    return made


@pytest.fixture
def call(desk):
    """Calls a tool of the desk."""
    return lambda name, **arguments: desk.tools[name](**arguments)


def book(call, hours, people, room=""):
    start, end = (f"2026-03-02 {hour}" for hour in hours.split("-"))
    return call("calendar_create", title="Talk", start=start, end=end, people=people, room=room)


def test_nobody_is_in_two_entries_at_once(call, desk):
    made, failed = book(call, "11:00-12:00", ["Jo", "Henk"])
    assert not failed
    assert desk.entry(made.split()[1]).people == ("Jo", "Henk")
    refused, failed = book(call, "11:30-12:30", ["Henk", "Kees"])
    assert failed
    assert refused.startswith("E409 conflict: Henk busy with")
    assert not book(call, "12:00-12:30", ["Henk", "Kees"])[1]


def test_a_room_takes_one_meeting_and_no_more_people_than_it_has_seats(call):
    assert not book(call, "11:00-12:00", ["Jo"], "Aire")[1]
    assert book(call, "11:00-12:00", ["Kees"], "Aire")[0].startswith("E409 conflict: room Aire")
    crowd = ["Jo", "Olu", "Kees", "Dana", "Henk", "Marta", "Bilal"]
    assert book(call, "15:00-16:00", crowd, "Aire") == ("E413 room Aire seats 6, not 7", True)


def test_a_refused_move_changes_nothing(call, desk):
    before = desk.entry("EV-267")
    arguments = {"id": "EV-267", "start": "2026-04-23 16:00", "end": "2026-04-23 16:45"}
    assert call("calendar_move", **arguments)[1]
    assert desk.entry("EV-267") == before


def test_mail_is_there_when_it_has_arrived(call, desk):
    assert "13.8 %" not in call("mail_read", thread="T-101")[0]
    desk.deliver("2026-03-03")
    desk.deliver("2026-03-05")
    assert "13.8 %" in call("mail_read", thread="T-101")[0]


def test_mail_goes_to_known_addresses_only(call):
    to, body = "ron@bexleysons.example", "How heavy?"
    assert call("mail_send", to=to, thread="T-103", body=body)[0] == f"sent M-9001 in T-103 to {to}"
    assert body in call("mail_read", thread="T-103")[0]
    refused, failed = call("mail_send", to="ron@bexley.example", thread="T-103", body="Again?")
    assert failed
    assert refused == "E550 ron@bexley.example: mailbox unavailable, nothing was sent"
    assert "Again?" not in call("mail_read", thread="T-103")[0]


def test_notes_are_files_of_the_repository(call, desk):
    call("write_note", path="notes/new.md", content="one\n")
    call("delete_note", path="notes/old-shortlist.md")
    call("rename_note", path="notes/todo.md", new_path="notes/done.md")
    assert "notes/new.md (1 lines)" in call("list_notes")[0]
    assert call("read_note", path="notes/todo.md") == ("E404 no such note: notes/todo.md", True)
    assert "choose a mover" in call("read_note", path="notes/done.md")[0]
