"""The tutorial, followed word for word in a fresh folder."""

import pytest
from support.readme_blocks import shown
from support.tutorial import follow, tutorial_blocks


@pytest.mark.exhaustive
def test_who_follows_the_tutorial_sees_what_it_shows(tmp_path):
    done = follow(tmp_path)
    codes = {line: code for line, code, _ in done}
    gate = "pytest --compactor=my_agent:compact -n 2"
    assert [code for line, code, _ in done if line == gate] == [0, 1]
    assert {line for line, code in codes.items() if code} == {gate}
    for name, block in tutorial_blocks(done).items():
        assert shown(name) == block, "run PYTHONPATH=tests python -m support.readme_blocks"
