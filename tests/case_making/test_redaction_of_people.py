"""E-mail addresses, names of people, and home folders with their owners get stand-ins."""

import pytest

from pytest_compaction.case_making import Redactor
from pytest_compaction.conversation import Message, Text
from pytest_compaction.importers import ImportTally, Transcript


def redacted(text):
    redactor = Redactor()
    messages = (Message("m0", "user", (Text(text),)),)
    return redactor.redact(Transcript(messages, "s", ImportTally(1, 1))).messages[0].text, redactor


def test_people_and_home_folders_get_stand_ins_that_keep_the_form():
    text, redactor = redacted(
        "Ann <ann.lee@acme.io> wrote /Users/annlee/app/src/a.py, bob@acme.io has "
        r"C:\Users\bob\x.txt; see ~/.claude/projects/-Users-annlee-app and ANN.LEE@acme.io"
    )
    assert text == (
        "Ann <person-1@example.com> wrote /Users/user-1/app/src/a.py, person-2@example.com has "
        r"C:\Users\user-2\x.txt; see ~/.claude/projects/-Users-user-1-app and person-1@example.com"
    )
    assert {kind: (c.values, c.places) for kind, c in redactor.counts.items()} == {
        "e-mail address": (2, 3),
        "home folder": (2, 3),
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "-rw-r--r--@  1 zelda  staff   17 Jul  a.py",
            "-rw-r--r--@  1 user-1  staff   17 Jul  a.py",
        ),
        ("drwxr-x---  3 link link 4096 May 1 src", "drwxr-x---  3 user-1 user-1 4096 May 1 src"),
        ("cd /home/link && USER=link make", "cd /home/user-1 && USER=user-1 make"),
        ("link@castle:~$ cd /home/link", "user-1@castle:~$ cd /home/user-1"),
        ("cd /home/link; ls link; git log link", "cd /home/user-1; ls link; git log link"),
    ],
)
def test_the_owner_of_a_home_folder_is_replaced_where_it_is_an_account(text, expected):
    assert redacted(text)[0] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Author: Ann van Lee <ann@acme.io>\nReviewed by Ann van Lee and Bo.",
            "Author: Person-1 <person-1@example.com>\nReviewed by Person-1 and Bo.",
        ),
        (
            '["Bo Ek \\u003cbo@acme.io>", "Zoë Ek <zoe@acme.io>"]',
            '["Person-1 \\u003cperson-1@example.com>", "Person-2 <person-2@example.com>"]',
        ),
        ("Ann <ann@acme.io> of Ann Arbor", "Ann <person-1@example.com> of Ann Arbor"),
        ("GitHub Actions <noreply@github.com>", "GitHub Actions <noreply@github.com>"),
    ],
)
def test_the_name_before_an_address_is_replaced_wherever_it_stands(text, expected):
    assert redacted(text)[0] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("HOME=/home/epona", "HOME=/home/user-1"),
        ("cd /home/epona && ls", "cd /home/user-1 && ls"),
        ("/home/epona\n", "/home/user-1\n"),
        ('"cwd": "/home/epona"', '"cwd": "/home/user-1"'),
        ("epona:x:1000:1000:E:/home/epona:/bin/sh", "user-1:x:1000:1000:E:/home/user-1:/bin/sh"),
        ("/var/home/zelda/x and /var/home/zelda", "/var/home/user-1/x and /var/home/user-1"),
        (r"{\"at\": \"\/home\/impa\/x\"}", r"{\"at\": \"\/home\/user-1\/x\"}"),
        (r"C:\Users\Jane Roe\x", r"C:\Users\user-1\x"),
        ("see C:\\Users\\saria", "see C:\\Users\\user-1"),
        ("ls '/Users/Jane Roe/x' /Users/Jane\\ Roe/y", "ls '/Users/user-1/x' /Users/user-1/y"),
        ("/Users/ann/x or /Users/ann.", "/Users/user-1/x or /Users/user-1."),
    ],
)
def test_home_folders_are_found_however_they_are_written(text, expected):
    assert redacted(text)[0] == expected
