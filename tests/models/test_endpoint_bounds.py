"""A request takes no longer than its limit, and goes to no host but the one that was named."""

import time

import pytest
from support.endpoint_builders import KEY, connected, error_through
from support.endpoint_replies import Answer, sensible
from support.endpoint_server import serving

pytestmark = pytest.mark.usefixtures("short_waits")


def dripping(asked):
    return Answer(sensible(asked).body, drip=0.05)


def test_a_reply_that_drips_ends_at_the_limit_of_the_request_and_not_at_that_of_the_call(
    monkeypatch,
):
    endpoint = connected(connect=5.0, read=0.5, retries=1)
    with serving(dripping) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        began = time.monotonic()
        text = error_through(endpoint)
        took = time.monotonic() - began
    assert "did not finish its reply within 0.5 s, 2 times" in text
    assert "--compaction-request-timeout" in text
    assert len(server.asked) == 2
    assert took < 60  # the limit of a call is 300 s


def test_a_reply_that_drips_fast_enough_is_read_whole(monkeypatch):
    with serving(lambda asked: Answer(sensible(asked).body, drip=0.001)) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        with pytest.raises(AssertionError, match="nothing was raised"):
            error_through(connected(connect=20.0, read=20.0))


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_conversation_is_not_sent_to_the_host_of_a_redirect(status, monkeypatch):
    with serving() as other:
        place = f"{other.url.replace('http://', f'http://user:{KEY}@')}/chat/completions"
        with serving(lambda asked: Answer({}, status, {"Location": place})) as server:
            monkeypatch.setenv("OPENAI_BASE_URL", server.url)
            text = error_through(connected(connect=20.0, read=20.0))
    assert (len(server.asked), len(other.asked)) == (1, 0)
    host = other.url.removeprefix("http://").removesuffix("/v1")
    assert f"redirects to another host, {host}; nothing was sent there" in text
    assert "OPENAI_BASE_URL" in text
    assert KEY not in text


@pytest.mark.parametrize(
    "place",
    ["https://{host}/v1", "//example.test/v1", "ftp://{host}/", "http://[::1", "http://{host}:1/"],
)
def test_no_other_scheme_port_or_form_of_an_address_is_followed(place, monkeypatch):
    with serving(lambda asked: Answer({}, 308, {"Location": place})) as server:
        address = server.url.removeprefix("http://").removesuffix("/v1")
        place = place.format(host=address.partition(":")[0])
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        text = error_through(connected(connect=20.0, read=20.0, retries=0))
    assert len(server.asked) == 1
    assert "redirects to another host" in text or "could not be" in text


def test_a_redirect_within_the_host_is_followed(monkeypatch):
    def moved(asked):
        if asked.path.startswith("/v2"):
            return sensible(asked)
        return Answer({}, 308, {"Location": "/v2/chat/completions"})

    with serving(moved) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        with pytest.raises(AssertionError, match="nothing was raised"):
            error_through(connected(connect=20.0, read=20.0))
    assert [asked.path for asked in server.asked] == [
        "/v1/chat/completions",
        "/v2/chat/completions",
    ]
