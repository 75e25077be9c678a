"""The cases of a file, and the error that a broken one gives."""

from pytest_compaction.case import CaseFileError, find_cases


def items_of(path, root=None):
    """The cases of a file, and the errors of those that are broken, by place."""
    found = find_cases([path], root)
    return sorted([*found.cases, *found.errors], key=lambda item: item.source)


def only_error(path, root=None):
    """The one error of a file that holds one broken case."""
    (item,) = items_of(path, root)
    assert isinstance(item, CaseFileError), item
    return item
