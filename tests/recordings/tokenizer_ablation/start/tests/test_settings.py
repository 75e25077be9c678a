"""Reading ini files."""

import pytest
from quaylm.errors import ConfigError
from quaylm.settings import load

TEXT = """[corpus]
train = corpus/train.txt
split = dev
[tokenizer]
vocab_size = 90
min_piece = 2
[model]
context = 1
prior = 2
"""


@pytest.fixture
def config(tmp_path):
    def make(text):
        (tmp_path / "x.ini").write_text(text)
        return tmp_path / "x.ini"

    return make


def test_settings_without_a_sweep(config):
    settings, sweep = load(config(TEXT))
    assert (settings.vocab_size, settings.prior, sweep) == (90, 2.0, None)
    assert settings.split_file.as_posix() == "corpus/dev.txt"


def test_a_sweep_replaces_one_setting(config):
    settings, sweep = load(config(TEXT + "[sweep]\nkey = context\nvalues = 0 1\n"))
    assert [found.context for found in sweep.settings(settings)] == [0, 1]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("context = 1", "context = 6", "QL31 context must be between 0 and 5, not 6"),
        ("prior = 2", "prior = 0", "QL31 prior must be above 0"),
        ("split = dev", "split = test", "QL31 split must be one of"),
        ("min_piece = 2", "min_peace = 2", "QL31 .*unknown setting tokenizer.min_peace"),
        ("context = 1\n", "", "QL31 .*context is missing"),
    ],
)
def test_unusable_settings(config, old, new, message):
    with pytest.raises(ConfigError, match=message):
        load(config(TEXT.replace(old, new)))


def test_a_sweep_over_something_else(config):
    with pytest.raises(ConfigError, match="cannot sweep over 'train'"):
        load(config(TEXT + "[sweep]\nkey = train\nvalues = 1\n"))
