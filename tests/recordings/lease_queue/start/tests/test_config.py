import pytest

from porterq.config import Settings, load_settings
from porterq.errors import ConfigError


def test_defaults():
    settings = load_settings()
    assert settings.lease_seconds == 30
    assert settings.renew_every == 10


def test_environment_wins_over_file(tmp_path):
    file = tmp_path / "porterq.toml"
    file.write_text("[porterq]\nlease_seconds = 60\nbatch_size = 4\n")
    settings = load_settings(file, {"PORTERQ_LEASE_SECONDS": "90"})
    assert (settings.lease_seconds, settings.batch_size) == (90, 4)


def test_unknown_setting(tmp_path):
    file = tmp_path / "porterq.toml"
    file.write_text("[porterq]\nlease = 60\n")
    with pytest.raises(ConfigError, match="unknown setting 'lease'"):
        load_settings(file)


def test_environment_must_be_a_number():
    with pytest.raises(ConfigError, match="PORTERQ_BATCH_SIZE must be an integer, got 'many'"):
        load_settings(None, {"PORTERQ_BATCH_SIZE": "many"})


@pytest.mark.parametrize("seconds", [0, 3601])
def test_lease_seconds_out_of_range(seconds):
    with pytest.raises(ConfigError, match="PQ-422 lease_seconds"):
        Settings(lease_seconds=seconds).checked()
