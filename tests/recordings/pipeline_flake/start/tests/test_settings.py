"""Settings."""

import pytest

from wright.errors import MissingFileError, SettingsError
from wright.settings import load_settings, parse_settings


def test_defaults():
    settings = parse_settings("[bundle]\nname = demo\n")
    assert (settings.payload, settings.codec, settings.ignore) == ("payload", "", ())


def test_patterns_are_split():
    assert parse_settings("[bundle]\nname = x\nignore = *.a , ,*.b\n").ignore == ("*.a", "*.b")


def test_no_file(tmp_path):
    with pytest.raises(MissingFileError, match="E404 no wright.ini"):
        load_settings(tmp_path)


def test_unknown_key():
    with pytest.raises(SettingsError, match="E440 wright.ini: unknown key 'color'"):
        parse_settings("[bundle]\nname = x\ncolor = red\n")
