"""The door of the local endpoint: who is pointed to it, and who is let in."""

import os
import socket
from urllib.request import getproxies, proxy_bypass

import pytest

from pytest_compaction.run import Door


@pytest.fixture
def door():
    made = Door()
    yield made
    made.close()


@pytest.mark.parametrize("name", ["no_proxy", "NO_PROXY"])
def test_hosts_that_need_no_proxy_still_need_none(monkeypatch, door, name):
    for variable in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("https_proxy", "http://proxy.example:3128")
    monkeypatch.setenv(name, "llm.example")
    before = dict(os.environ)
    take_back = door.point_clients()
    try:
        assert {"llm.example", "127.0.0.1"} <= set(getproxies()["no"].split(","))
        assert proxy_bypass("llm.example")
        assert proxy_bypass("127.0.0.1")
    finally:
        take_back()
    assert dict(os.environ) == before


def test_a_user_for_whom_no_host_needs_a_proxy_keeps_that(monkeypatch, door):
    monkeypatch.setenv("https_proxy", "http://proxy.example:3128")
    monkeypatch.setenv("no_proxy", "*")
    take_back = door.point_clients()
    try:
        assert proxy_bypass("llm.example")
    finally:
        take_back()


def test_a_client_that_asks_before_anybody_serves_is_refused_at_once(door):
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", door.port), timeout=5)


def test_only_the_token_opens_the_door(monkeypatch, door):
    take_back = door.point_clients()
    token = os.environ["OPENAI_API_KEY"]
    take_back()
    assert door.admits({"authorization": f"Bearer {token}"})
    assert door.admits({"authorization": f"bearer {token}"})
    assert door.admits({"x-api-key": token})
    for other in ({}, {"authorization": "Bearer "}, {"x-api-key": token[:-1]}, {"host": token},
                  {"x-api-key": "\xe9"}):  # fmt: skip
        assert not door.admits(other)
