"""The address of an executor: what it may say, and the sentence on what it may not."""

import pytest

from pytest_compaction.run.remote.address import parse_address
from pytest_compaction.run.remote.executors import SCHEMES
from pytest_compaction.settings import OptionError


@pytest.mark.parametrize(
    ("text", "scheme", "place"),
    [
        ("dask://10.0.0.7:8786", "dask", "10.0.0.7:8786"),
        ("dask://scheduler.local:8786/", "dask", "scheduler.local:8786"),
        ("dask://[::1]:8786", "dask", "[::1]:8786"),
        ("processes://4", "processes", "4"),
    ],
)
def test_an_address_is_a_scheme_and_a_place(text, scheme, place):
    address = parse_address(text)
    assert (address.scheme, address.place) == (scheme, place)
    assert address.scheme in SCHEMES
    assert parse_address(str(address)) == address


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("ray://host:1", "names no known kind"),
        ("localhost:8786", "names no known kind"),
        ("dask://", "lacks the host or the port"),
        ("dask://host", "lacks the host or the port"),
        ("dask://host:port", "is no address"),
        ("dask://host:99999", "is no address"),
        ("dask://host:8786/path", "more than a host and a port"),
        ("dask://host:8786?tls=1", "more than a host and a port"),
        ("processes://", "a number from 1"),
        ("processes://0", "a number from 1"),
        ("processes://many", "a number from 1"),
        ("processes://2000", "a number from 1"),
        ("dask://[::1:8786", "is no address"),
    ],
)
def test_another_address_is_refused_with_the_forms_that_exist(text, said):
    with pytest.raises(OptionError) as raised:
        parse_address(text)
    assert said in str(raised.value)
    assert "dask://HOST:PORT" in str(raised.value)
    assert "processes://N" in str(raised.value)


def test_a_password_in_an_address_is_refused_and_not_repeated():
    with pytest.raises(OptionError) as raised:
        parse_address("dask://me:s3cret@host:8786")
    assert "s3cret" not in str(raised.value)
    assert "--compaction-executor" in str(raised.value)
