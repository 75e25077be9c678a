"""The address of an executor: what it may say, and the sentence on what it may not."""

import sys
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest

from pytest_compaction.run import executor
from pytest_compaction.settings import OptionError


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("dask://10.0.0.7:8786", "10.0.0.7:8786"),
        ("dask://scheduler.local:8786/", "scheduler.local:8786"),
        ("dask://[::1]:8786", "[::1]:8786"),
    ],
)
def test_a_scheduler_is_named_by_host_and_port(monkeypatch, text, place):
    monkeypatch.setattr(executor, "dask", lambda place: place)
    assert executor.opener_for(text)() == place


def test_a_function_of_a_module_gives_the_executor(monkeypatch):
    pool = ThreadPoolExecutor(3)
    monkeypatch.setitem(sys.modules, "pools", SimpleNamespace(three=lambda: pool))
    opened = executor.opener_for("pools:three")()
    assert opened.executor is pool
    assert opened.slots() == 3
    opened.close()


@pytest.mark.parametrize(
    "text",
    [
        "ray://host:1",
        "localhost:8786",
        "dask://",
        "dask://host",
        "dask://host:port",
        "dask://host:99999",
        "dask://host:8786/path",
        "dask://host:8786?tls=1",
        "processes://4",
        "dask://[::1:8786",
    ],
)
def test_another_address_is_refused_with_the_forms_that_exist(text):
    with pytest.raises(OptionError) as raised:
        executor.opener_for(text)
    assert f"--compaction-executor={text} names no executor" in str(raised.value)
    assert "dask://HOST:PORT" in str(raised.value)
    assert "module:function" in str(raised.value)


def test_a_password_in_an_address_is_refused_and_not_repeated():
    with pytest.raises(OptionError) as raised:
        executor.opener_for("dask://me:s3cret@host:8786")
    assert "s3cret" not in str(raised.value)
    assert "--compaction-executor" in str(raised.value)
