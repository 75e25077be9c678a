import pytest

from tallybook.config import Config, load_config
from tallybook.errors import LedgerError


def test_defaults(tmp_path):
    assert load_config(tmp_path / "none.ini") == Config()


def test_values(tmp_path):
    path = tmp_path / "t.ini"
    path.write_text("[book]\ntitle = Shop\n[report]\nwidth = 80\n", encoding="utf-8")
    assert load_config(path) == Config(title="Shop", width=80)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("width = 80", "TB-501"),
        ("[printer]", "TB-502"),
        ("[report]\ncolour = red", "TB-503"),
        ("[report]\nwidth = wide", "TB-504"),
        ("[report]\nwidth = 20", "TB-505"),
    ],
)
def test_mistakes(tmp_path, text, code):
    path = tmp_path / "t.ini"
    path.write_text(text + "\n", encoding="utf-8")
    with pytest.raises(LedgerError) as caught:
        load_config(path)
    assert (caught.value.code, caught.value.exit_code) == (code, 5)
