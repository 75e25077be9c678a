"""The cache of merges."""

from quaylm.merge_cache import cached_merges


def test_the_second_run_reads_the_file(tmp_path):
    first = cached_merges({"aa": 3}, 3, tmp_path)
    assert (tmp_path / "merges-3.json").exists()
    assert cached_merges({"aa": 3}, 3, tmp_path) == first


def test_sizes_have_their_own_files(tmp_path):
    cached_merges({"abab": 3}, 3, tmp_path)
    cached_merges({"abab": 3}, 4, tmp_path)
    assert len(list(tmp_path.iterdir())) == 2
