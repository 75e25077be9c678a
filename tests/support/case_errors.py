"""The error that a broken case file gives."""

from pytest_compaction.case import CaseFileError
from pytest_compaction.case.files import read_case_file


def only_error(path, root=None):
    """The one error of a file that holds one broken case."""
    (item,) = read_case_file(path, root)
    assert isinstance(item, CaseFileError), item
    return item
