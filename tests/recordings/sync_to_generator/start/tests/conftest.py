"""A ferry in a temporary folder."""

import pytest

from tools.make_spool import spool_text

CONFIG = """[spool]
files = {files}
[decode]
max_rejects = {max_rejects}
[filter]
level = INFO
[enrich]
vessel = Ostra
route = K4
[batch]
records = 40
bytes = 3000
[sink]
path = shore.out
quota = {quota}
[offsets]
path = offsets.json
"""


@pytest.fixture
def ferry(tmp_path, monkeypatch):
    """Makes the folder of a ferry and goes there: lines and bad_every of every spool file."""

    def make(*spools, quota=262144, max_rejects=20, missing=()):
        names = []
        for number, (lines, bad_every) in enumerate(spools, 1):
            names.append(f"deck{number}.log")
            (tmp_path / names[-1]).write_text(spool_text(lines, bad_every))
        names.extend(missing)
        (tmp_path / "raftline.ini").write_text(
            CONFIG.format(files=" ".join(names), quota=quota, max_rejects=max_rejects)
        )
        monkeypatch.chdir(tmp_path)
        return tmp_path

    return make
