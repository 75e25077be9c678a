"""The desk of an assistant: calendar, mail, contacts and notes, which its tools really change.

The desk begins with the files of a session's repository: ``contacts.csv``, ``calendar.csv``, mail
threads below ``mail/``, attachments and notes. It has no clock: the play says which day it is
and which mails have arrived. Notes are files of the repository, so git knows what became of them.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final

from repository import Repository, Tool

Output = tuple[str, bool]
"""What a tool printed, and whether it failed."""

SEATS: Final = {"Aire": 6, "Wharfe": 12}
"""The meeting rooms and how many people each one takes."""


@dataclass(frozen=True)
class Entry:
    """One entry of the calendar; the same people or room cannot be in two at once."""

    id: str
    start: datetime
    end: datetime
    title: str
    room: str
    people: tuple[str, ...]

    def line(self) -> str:
        """The entry as ``calendar_list`` shows it."""
        day = f"{self.start:%a %d %b %Y  %H:%M}-{self.end:%H:%M}"
        room = f"room {self.room}" if self.room else "no room"
        return f"{self.id}  {day}  {self.title} | {room} | {', '.join(self.people)}"


@dataclass(frozen=True)
class Mail:
    """One message of a thread; ``batch`` is the delivery with which it arrives."""

    id: str
    batch: int
    headers: dict[str, str]
    body: str

    def text(self) -> str:
        """The message as ``mail_read`` shows it."""
        lines = [f"{name}: {value}" for name, value in self.headers.items()]
        return "\n".join([f"--- {self.id}", *lines, "", self.body])


@dataclass
class Thread:
    """Messages under one subject, oldest first."""

    id: str
    subject: str
    mails: list[Mail] = field(default_factory=list)


class Desk:
    """Calendar, mail, contacts and notes; ``tools`` is what the assistant can call."""

    def __init__(self, repo: Repository, today: str) -> None:
        self._repo = repo
        self._delivered = 0
        self.today = today
        self._contacts = list(csv.DictReader(repo.text("contacts.csv").splitlines(), delimiter=";"))
        rows = csv.DictReader(repo.text("calendar.csv").splitlines(), delimiter=";")
        self._entries = {row["id"]: _entry(row) for row in rows}
        files = sorted((repo.root / "mail").glob("*.txt"))
        self._threads = {file.stem: _thread(file.stem, file.read_text("utf-8")) for file in files}
        self._sent = 0

    @property
    def tools(self) -> dict[str, Tool]:
        """The tools by their names."""
        return {
            "calendar_list": self._calendar_list,
            "calendar_create": self._calendar_create,
            "calendar_move": self._calendar_move,
            "calendar_delete": self._calendar_delete,
            "mail_search": self._mail_search,
            "mail_read": self._mail_read,
            "mail_send": self._mail_send,
            "read_attachment": self._read_attachment,
            "contacts_find": self._contacts_find,
            "list_notes": self._list_notes,
            "read_note": self._read_note,
            "write_note": self._write_note,
            "edit_note": self._edit_note,
            "rename_note": self._rename_note,
            "delete_note": self._delete_note,
        }

    def deliver(self, today: str) -> None:
        """The next mails arrive; it is this day now."""
        self._delivered += 1
        self.today = today

    def set_day(self, today: str) -> None:
        """It is this day now, and no mail has come."""
        self.today = today

    @property
    def entries(self) -> list[Entry]:
        """All entries of the calendar."""
        return list(self._entries.values())

    def entry(self, id: str) -> Entry:
        """The calendar entry with this id, which must exist."""
        return self._entries[id]

    # Calendar -----------------------------------------------------------------

    def _calendar_list(self, first: str, last: str, person: str = "") -> Output:
        begin, end = _moment(f"{first} 00:00"), _moment(f"{last} 23:59")
        found = [
            entry
            for entry in sorted(self._entries.values(), key=lambda one: (one.start, one.id))
            if begin <= entry.start <= end and (not person or person in entry.people)
        ]
        head = (
            f"{len(found)} entries, {first} to {last}, times of Europe/London, today {self.today}"
        )
        return "\n".join([head, *(entry.line() for entry in found)]), False

    def _calendar_create(
        self, title: str, start: str, end: str, people: Sequence[str], room: str = ""
    ) -> Output:
        id = f"EV-{max(int(known[3:]) for known in self._entries) + 1}"
        entry = Entry(id, _moment(start), _moment(end), title, room, tuple(people))
        return self._put(entry, "created")

    def _calendar_move(self, id: str, start: str, end: str, room: str | None = None) -> Output:
        if id not in self._entries:
            return f"E404 no such entry: {id}", True
        old = self._entries[id]
        where = old.room if room is None else room
        return self._put(replace(old, start=_moment(start), end=_moment(end), room=where), "moved")

    def _calendar_delete(self, id: str) -> Output:
        if id not in self._entries:
            return f"E404 no such entry: {id}", True
        return f"deleted {self._entries.pop(id).line()}", False

    def _put(self, entry: Entry, verb: str) -> Output:
        if entry.room in SEATS and len(entry.people) > SEATS[entry.room]:
            return (
                f"E413 room {entry.room} seats {SEATS[entry.room]}, not {len(entry.people)}",
                True,
            )
        for other in sorted(self._entries.values(), key=lambda one: one.id):
            if other.id == entry.id or other.start >= entry.end or entry.start >= other.end:
                continue
            both = [person for person in entry.people if person in other.people]
            if entry.room and other.room == entry.room:
                return f"E409 conflict: room {entry.room} is taken by {other.line()}", True
            if both:
                return f"E409 conflict: {', '.join(both)} busy with {other.line()}", True
        self._entries[entry.id] = entry
        return f"{verb} {entry.line()}", False

    # Mail ---------------------------------------------------------------------

    def _mail_search(self, query: str) -> Output:
        words = query.casefold().split()
        lines = []
        for thread in self._threads.values():
            for mail in self._arrived(thread):
                text = f"{thread.subject} {mail.text()}".casefold()
                if all(word in text for word in words):
                    start = re.sub(r"\s+", " ", mail.body)[:110]
                    sender = mail.headers["From"]
                    date = mail.headers["Date"]
                    lines.append(
                        f"{thread.id} {mail.id}  {date}  {sender}  [{thread.subject}]\n    {start}"
                    )
        return "\n".join([f"{len(lines)} mails for {query!r}", *lines]), False

    def _mail_read(self, thread: str) -> Output:
        mails = self._arrived(self._threads[thread]) if thread in self._threads else []
        if not mails:
            return f"E404 no such thread: {thread}", True
        head = f"{thread}: {self._threads[thread].subject} ({len(mails)} messages)"
        return "\n\n".join([head, *(mail.text() for mail in mails)]), False

    def _mail_send(
        self,
        to: str,
        body: str,
        thread: str = "",
        subject: str = "",
        attachments: Sequence[str] = (),
    ) -> Output:
        if to not in {row["mail"] for row in self._contacts}:
            return f"E550 {to}: mailbox unavailable, nothing was sent", True
        missing = [path for path in attachments if not (self._repo.root / path).exists()]
        if missing:
            return f"E404 no such attachment: {', '.join(missing)}; nothing was sent", True
        if thread and thread not in self._threads:
            return f"E404 no such thread: {thread}; nothing was sent", True
        self._sent += 1
        if not thread:
            thread = f"T-{900 + self._sent}"
            self._threads[thread] = Thread(thread, subject)
        headers = {"From": "Ines Marchetti <ines@lumenrow.example>", "To": to, "Date": self.today}
        if attachments:
            headers["Attachments"] = ", ".join(attachments)
        id = f"M-{9000 + self._sent}"
        self._threads[thread].mails.append(Mail(id, 0, headers, body))
        return f"sent {id} in {thread} to {to}", False

    def _arrived(self, thread: Thread) -> list[Mail]:
        return [mail for mail in thread.mails if mail.batch <= self._delivered]

    def _read_attachment(self, name: str) -> Output:
        path = f"attachments/{name}"
        if not (self._repo.root / path).exists():
            return f"E404 no such attachment: {name}", True
        return self._repo.text(path).rstrip("\n"), False

    # Contacts and notes ---------------------------------------------------------

    def _contacts_find(self, name: str) -> Output:
        lines = [
            " | ".join(row.values())
            for row in self._contacts
            if name.casefold() in " ".join(row.values()).casefold()
        ]
        return "\n".join([f"{len(lines)} contacts for {name!r}", *lines]), False

    def _list_notes(self) -> Output:
        files = sorted((self._repo.root / "notes").glob("*.md"))
        lines = (
            f"notes/{file.name} ({len(file.read_text('utf-8').splitlines())} lines)"
            for file in files
        )
        return "\n".join(lines), False

    def _read_note(self, path: str) -> Output:
        if not (self._repo.root / path).exists():
            return f"E404 no such note: {path}", True
        return self._repo.text(path).rstrip("\n"), False

    def _write_note(self, path: str, content: str) -> Output:
        return self._repo.call("write_file", {"path": path, "content": content})

    def _edit_note(self, path: str, old: str, new: str) -> Output:
        return self._repo.call("edit_file", {"path": path, "old": old, "new": new})

    def _rename_note(self, path: str, new_path: str) -> Output:
        text, failed = self._read_note(path)
        if failed:
            return text, True
        (self._repo.root / path).rename(self._repo.root / new_path)
        return f"renamed {path} to {new_path}", False

    def _delete_note(self, path: str) -> Output:
        text, failed = self._read_note(path)
        if failed:
            return text, True
        (self._repo.root / path).unlink()
        return f"deleted {path}", False


def _moment(text: str) -> datetime:
    return datetime.strptime(text, "%Y-%m-%d %H:%M")


def _entry(row: dict[str, str]) -> Entry:
    people = tuple(row["people"].split(", "))
    return Entry(
        row["id"], _moment(row["start"]), _moment(row["end"]), row["title"], row["room"], people
    )


def _thread(id: str, text: str) -> Thread:
    subject, *parts = re.split(r"^--- ", text, flags=re.MULTILINE)
    thread = Thread(id, subject.removeprefix("Subject: ").strip())
    for part in parts:
        first, rest = part.split("\n", 1)
        name, batch = first.split()
        head, body = rest.split("\n\n", 1)
        headers = dict(line.split(": ", 1) for line in head.splitlines())
        thread.mails.append(Mail(name, int(batch), headers, body.strip()))
    return thread
