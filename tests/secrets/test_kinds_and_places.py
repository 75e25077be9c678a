"""Secrets of every kind are found in every plain place, and what only looks like one stays."""

import itertools

import pytest
from support.paths import public_data
from support.secret_kinds import KINDS, SHAPED, SHAPELESS, value_of
from support.secret_places import PLACES, cells, left_of, placed

from pytest_compaction.case_making import Redactor
from pytest_compaction.conversation import Message, Text, TokenCounter, readable
from pytest_compaction.importers import (
    ImportTally,
    Transcript,
    conversations,
    importer_for,
    load_importers,
)
from pytest_compaction.secrets import find_named, replace, scrubbed, secrets_in

SHOWING = [kind for kind in KINDS if kind not in SHAPELESS]
"""Kinds of which the value or what is around it shows that it is a secret."""


def redacted(text):
    message = Message("m0", "user", (Text(text),))
    done = Redactor().redact(Transcript((message,), "s", ImportTally(1, 1)))
    return done.messages[0].text


def without_secrets(text):
    """The text without what is found in it, and found alone: several times as fast as redaction."""
    for secret in sorted(secrets_in(text), key=len, reverse=True):
        text = text.replace(secret, "")
    return replace(text, [span for span, _ in find_named(text)], lambda _: "")


@pytest.mark.parametrize("kind", SHOWING)
def test_a_secret_of_a_known_kind_is_found_in_every_place(kind):
    left = {}
    for place in PLACES:
        text, parts = placed(kind, place, "shown")
        taken_out = redacted if place == "prose" else without_secrets
        found = left_of(parts, taken_out(text))
        left |= {place: found} if found else {}
    assert not left


@pytest.mark.parametrize("held_out", [False, True])
def test_at_most_three_of_a_hundred_secrets_stay(held_out):
    measured = cells(held_out)
    stay = []
    for kind, place in measured:
        text, parts = placed(kind, place, f"measured {held_out}")
        if left_of(parts, without_secrets(text)):
            stay.append((kind, place))
    assert len(measured) > 1_600
    assert len(stay) <= 0.03 * len(measured), stay


NOT_JOINED = {"Argon2"}
"""A hash of a password is known by its parameters, and not found if a line ends among them."""
BREAKABLE = [
    kind for kind in SHAPED if len(value_of(kind, "broken")[0]) <= 300 and kind not in NOT_JOINED
]
BREAKS = ("\n", "\\\n", "\r\n    ", "\\n")


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", BREAKABLE)
def test_a_key_that_is_broken_over_lines_leaves_no_half(kind):
    value, parts = value_of(kind, "broken")
    for broken, quarter in itertools.product(BREAKS, (1, 2, 3)):
        cut = len(value) * quarter // 4
        shown = redacted(f"export K={value[:cut]}{broken}{value[cut:]}\n and on")
        for half in (value[:cut], value[cut:]):
            inside = [part for part in parts if len(part) >= 12 and part in half]
            assert left_of(inside, shown) is None, (broken, quarter, shown)


@pytest.mark.parametrize(
    "kind", ["private key", "GPG key", "OpenSSH key", "encrypted RSA key", "SSH2 key", "PuTTY key"]
)
def test_a_private_key_that_was_cut_off_is_replaced_as_far_as_it_goes(kind):
    value, rows = value_of(kind, "cut")
    lines = value.split("\n")
    without_end = "\n".join(lines[:-2])
    for text in (
        f"see\n{without_end}\n\nThat was all of it.",
        f"{without_end}\n[cut off] then more",
    ):
        shown = redacted(text)
        assert left_of(rows[:-1], shown) is None
        assert shown.endswith(text.split("\n")[-1])
    if kind != "PuTTY key":
        tail = "\n".join(["...", *lines[-4:]])
        shown = redacted(f"cat key\n{tail}\nand on")
        assert left_of(rows[-3:-1], shown) is None
        assert shown.startswith("cat key\n") and shown.endswith("and on")


@pytest.mark.parametrize(
    "text",
    [
        'if "-----BEGIN PRIVATE KEY-----" in text: raise ValueError("a key")',
        'return f"-----BEGIN PRIVATE KEY-----\\n{body}\\n-----END PRIVATE KEY-----"',
        "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----\nis how it looks",
        "a file that begins with -----BEGIN RSA PRIVATE KEY-----\nis refused by the loader",
    ],
)
def test_a_private_key_that_is_only_mentioned_stays(text):
    assert redacted(text) == text
    assert scrubbed(text, ()) == text


@pytest.mark.parametrize(
    "text",
    [
        "the answer of toolu_01A09q90qw90Lq917835Lq9XyZab and msg_01XFDUDYJgAACzvnptvVoYEL",
        '"integrity": "sha512-oH1ds8iVNxJ8kv2dSSoHZ0bYl0ROYrIAr9oVv0p8Nw=="',
        "golang.org/x/net v0.1.0 h1:hZ/3BUoy5aId7sCpA/Tc5lt8DkFgdVS2onTpJsZ/fl0=",
        '"StatementId": "77X1ebypsI7os1X2lhHsZLGNCDK3nNGpwRdFpicSOHgcX1"',
        "https://docs.google.com/document/d/1aBcD3fGhIjKlMn0pQrStUvWxYz12345678AbCdEfGh/edit",
        "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4",
        "state = stGetValueDecoderByAsn1Spec and dnsAlpnH3JobWonWithoutRace",
        "the key is in src/keys/rotate_v2.py, the token is read by parse_tokens_v2_from_header1",
        "the cache key is d41d8cd98f00b204e9800998ecf8427e",
        "commit 3e6a1ff094b111f0aa6f0a88d2e03acfd41d8cd9 is on main",
        "amzn-mws and sk-learn-based, fc-daygrid-event-harness, re_sub_with_a_long_name_2",
        "git clone https://github.com/acme/app.git@v1.0.2-rc1 and docker run acme/app:1.2.3-alpine",
    ],
)
def test_hashes_ids_and_names_are_facts(text):
    assert redacted(text) == text


def test_what_base64_hides_is_looked_at_and_its_other_uses_stay():
    hidden, _ = value_of("GitHub in base64", "x")
    assert hidden not in redacted(f"data: {hidden}")
    plain = "VGhpcyBpcyBhIHBsYWluIHNlbnRlbmNlIHdpdGhvdXQgYSBrZXku"
    assert redacted(f"data {plain} end") == f"data {plain} end"


SESSIONS = ["pi-agent/large-session.jsonl", "claude-code/session.jsonl"]
SESSIONS += ["swe-agent/pydicom-1458.traj", "swe-agent/marshmallow-1867.traj"]
SESSIONS += ["openhands/multi_swe_bench_example_output.jsonl", "cline/session.messages.json"]
SESSIONS += ["tau-bench/gpt-4o-airline-tasks-0-9.json", "aider/chat-history.md"]


@pytest.mark.exhaustive
def test_real_sessions_hold_at_most_one_false_finding_in_a_hundred_thousand_tokens():
    count, found, tokens = TokenCounter(), 0, 0
    for name in SESSIONS:
        path = public_data(name)
        for transcript in conversations(importer_for(path, load_importers().importers), path):
            redactor = Redactor()
            redactor.redact(transcript)
            found += redactor.counts["secret"].values if "secret" in redactor.counts else 0
            tokens += sum(count.text(readable(message)) for message in transcript.messages)
    assert tokens > 400_000
    assert found <= tokens / 100_000
