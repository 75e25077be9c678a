"""Everything together: berths, tides, the loop."""

import io
import json
from pathlib import Path

import pytest

from pontoon.app import build_app
from pontoon.clock import SteppedClock
from pontoon.messages import MAX_LINE
from pontoon.serve import answer, serve
from pontoon.settings import load_settings

DAY = "2025-06-15"
TERN = {"vessel": "tern", "length": 20, "draught": 2}


@pytest.fixture
def app():
    settings = load_settings(Path(__file__).parents[1] / "pontoon.ini")
    app = build_app(settings, SteppedClock())
    app.mount_tides()
    return app


def ask(app, verb, path, body=None, id="r-1", caller="kiosk-01"):
    data = {"id": id, "verb": verb, "path": path, "caller": caller, "body": body or {}}
    return answer(app, json.dumps(data))


def test_booking(app):
    path = f"/berths/4/bookings/{DAY}"
    assert ask(app, "put", path, TERN).code == 21
    assert ask(app, "put", path, TERN, id="r-2").body["error"] == f"berth 4 is taken on {DAY}"
    assert ask(app, "get", "/vessels/tern/bookings").body["bookings"] == [{"day": DAY, "berth": 4}]
    assert ask(app, "drop", path, id="r-3").body == {"released": "tern"}
    assert 4 in ask(app, "get", f"/berths/free/{DAY}").body["free"]


def test_a_repeated_booking_is_stored_once(app):
    path = f"/berths/4/bookings/{DAY}"
    assert [ask(app, "put", path, TERN).code for _ in range(3)] == [21, 21, 21]


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"length": 31}, "tern is 31 m long, berth 4 takes 30.0"),
        ({"draught": 3}, "tern draws 3 m, berth 4 takes 2.8"),
    ],
)
def test_a_vessel_over_a_limit(app, change, error):
    reply = ask(app, "put", f"/berths/4/bookings/{DAY}", TERN | change)
    assert (reply.code, reply.body["error"]) == (46, error)


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("/berths", 20),
        ("/berths/14", 20),
        ("/berths/15", 46),
        ("/tides", 20),
        ("/tides/north/next", 20),
        (f"/tides/south/table/{DAY}", 20),
        ("/tides/west/next", 46),
        ("/ping", 20),
        ("/weather", 44),
    ],
)
def test_codes(app, path, code):
    assert ask(app, "get", path).code == code


def test_a_put_without_a_body_is_a_failed_handler(app):
    assert ask(app, "put", f"/berths/4/bookings/{DAY}").code == 50


def test_stats(app):
    ask(app, "get", "/ping")
    ask(app, "get", "/weather", caller="desk-1")
    assert ask(app, "get", "/stats").body["codes"] == {"20": 1, "44": 1}


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("{", "not JSON"),
        ("[]", "not an object"),
        ("{}", "id is missing"),
        ('{"id": "a", "verb": "get", "path": "/x"}', "caller is missing"),
        ('{"id": "a", "verb": "post", "path": "/x", "caller": "k-1"}', "unknown verb post"),
        ("x" * (MAX_LINE + 1), "line has 8193 characters, at most 8192 are allowed"),
    ],
)
def test_malformed_lines(app, line, error):
    reply = answer(app, line)
    assert (reply.code, reply.body["error"]) == (40, error)


def test_serve_answers_the_warm_up_first():
    settings = load_settings(Path(__file__).parents[1] / "pontoon.ini")
    out = io.StringIO()
    line = '{"id": "a", "verb": "get", "path": "/ping", "caller": "kiosk-01"}\n'
    assert serve(build_app(settings, SteppedClock()), [line, "\n"], out) == 0
    assert [json.loads(text)["id"] for text in out.getvalue().splitlines()] == ["warm-up", "a"]
