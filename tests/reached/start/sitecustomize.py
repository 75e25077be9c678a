"""Counts the functions of the package that a process enters, if a measurement asks for it.

Python imports this module at its start where this folder is on ``PYTHONPATH``, in whatever process
a test starts. Each function of the package gets a statement that sets its byte in a file that all
processes of a measurement map into their memory, so that nothing is lost with a killed process.
"""

import ast
import json
import mmap
import os
import sys
from importlib.machinery import PathFinder, SourceFileLoader
from pathlib import Path

BYTES = "REACHED_BYTES"
"""Environment variable: the file with a byte for each function."""
PLACES = "REACHED_PLACES"
"""Environment variable: a JSON file with the first byte of each module, by its path."""
PACKAGE = "pytest_compaction"
NAME = "__reached__"


def functions(tree):
    """The functions of a module in the order of their bytes."""
    return [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]


class Loader(SourceFileLoader):
    """Loads a module with one more statement in each function."""

    def __init__(self, name, path, bytes_):
        super().__init__(name, path)
        self.bytes = bytes_

    def source_to_code(self, data, path, *, _optimize=-1):
        tree = ast.parse(data, path)
        for number, function in enumerate(functions(tree)):
            body = function.body
            has_text = isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant)
            (mark,) = ast.parse(f"{NAME}[{number}] = 1").body
            for node in ast.walk(mark):
                ast.copy_location(node, body[0])
            body.insert(int(has_text), mark)
        return compile(tree, path, "exec", dont_inherit=True, optimize=_optimize)

    def exec_module(self, module):
        vars(module)[NAME] = self.bytes
        super().exec_module(module)


class Finder:
    """Finds the modules of the package that have bytes."""

    def __init__(self):
        with Path(os.environ[BYTES]).open("r+b") as file:
            self.all = memoryview(mmap.mmap(file.fileno(), 0))
        self.places = json.loads(Path(os.environ[PLACES]).read_text())

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] != PACKAGE:
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and spec.origin in self.places:
            spec.loader = Loader(name, spec.origin, self.all[self.places[spec.origin] :])
        return spec


class FirstStays(list):
    """A list whose first item stays there: pytest puts its own finder before all others."""

    def insert(self, index, item):
        super().insert(index or 1, item)


if BYTES in os.environ and Path(os.environ[BYTES]).exists():
    sys.meta_path = FirstStays([Finder(), *sys.meta_path])
