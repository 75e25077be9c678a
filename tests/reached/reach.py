"""Which test files a change can reach: by the functions they enter, and by what they import."""

import ast
import subprocess
from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path

from tests.reached.start.sitecustomize import functions

ROOT = Path(__file__).parents[2]
PACKAGE = "pytest_compaction/"
REST, FILE = "", "#"
"""The parts of a module that are no function: all outside of their bodies, and the whole file."""


def digest(data):
    return sha256(data).hexdigest()[:16]


def parts_of(source):
    """Digests of the bodies of a module's functions by name, and that of all else."""
    tree = ast.parse(source)
    found, seen = {}, Counter()
    for function in functions(tree):
        seen[function.name] += 1
        name = f"{function.name}.{seen[function.name]}"
        found[name] = digest("".join(map(ast.dump, function.body)).encode())
    for function in functions(tree):
        function.body = []
    return found | {REST: digest(ast.dump(tree).encode())}


@dataclass(frozen=True)
class Sources:
    """The files of the repository as they are now; ``parts`` has their digests by path."""

    parts: dict
    texts: dict

    @classmethod
    def now(cls, before):
        """The files as they are; what is as it was ``before`` is not parsed again."""
        listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
        names = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout
        parts, texts = {}, {}
        for name in sorted(set(names.splitlines())):
            path = ROOT / name
            if not path.is_file():
                continue
            data = path.read_bytes()
            if name.endswith(".py"):
                texts[name] = data.decode()
            package = name in texts and name.startswith(PACKAGE)
            if not package:
                parts[name] = {REST: digest(data)}
            elif before.get(name, {}).get(FILE) == digest(data):
                parts[name] = before[name]
            else:
                parts[name] = {FILE: digest(data), **parts_of(data)}
        return cls(parts, texts)

    @property
    def modules(self):
        return [name for name in self.texts if name.startswith(PACKAGE)]

    @cached_property
    def tests(self):
        return [
            n for n in self.texts if n.startswith("tests/") and Path(n).name.startswith("test_")
        ]

    def tests_below(self, path):
        place = (ROOT / path).resolve()
        return [name for name in self.tests if (ROOT / name).is_relative_to(place)]

    def functions(self, path):
        return [name for name in self.parts.get(path, ()) if name not in (REST, FILE)]

    @cached_property
    def imports(self):
        """The files that each file imports; through an ``__init__`` those that it offers."""
        direct = {path: dict(self._imported(path)) for path in self.texts}
        found = {}
        for path in self.texts:
            found[path] = set()
            left = list(direct[path].items())
            while left:
                name, target = left.pop()
                found[path].add(target)
                if target.endswith("__init__.py") and name in direct[target]:
                    left.append((name, direct[target][name]))
        return found

    def _imported(self, path):
        """Imported names of a file, each with the file that it comes from."""
        for node in ast.walk(ast.parse(self.texts[path])):
            if isinstance(node, ast.Import):
                names = [(alias.name, alias.name) for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = [(f"{node.module}.{alias.name}", alias.name) for alias in node.names]
            else:
                continue
            for dotted, name in names:
                parts = dotted.split(".")
                for length in (len(parts), len(parts) - 1):
                    inner = "/".join(parts[:length])
                    tries = [
                        f"{start}{inner}{end}"
                        for start in ("", "tests/", "tests/support/")
                        for end in (".py", "/__init__.py")
                    ]
                    target = next((one for one in tries if inner and one in self.texts), None)
                    if target is not None:
                        yield name, target
                        break

    @cached_property
    def importers(self):
        found = defaultdict(set)
        for path, targets in self.imports.items():
            for target in targets:
                found[target].add(path)
        return found

    def users(self, path):
        """A module and those that import it; through modules without a function their importers."""
        found, left = {path}, [path]
        while left:
            one = left.pop()
            if one == path or (one.startswith(PACKAGE) and not self.functions(one)):
                left += self.importers[one] - found
                found |= self.importers[one]
        return found

    def importing_tests(self, path):
        """The test files that import a file of the tests, through any number of others."""
        found, left = {path}, [path]
        while left:
            new = {p for p in self.importers[left.pop()] if p.startswith("tests/")} - found
            found |= new
            left += new
        if Path(path).name == "conftest.py":
            found |= {test for test in self.tests if test.startswith(f"{Path(path).parent}/")}
        return found.intersection(self.tests)

    def naming(self, path):
        """The files of code that name a file, or else its folder."""
        for word in (Path(path).name, Path(path).stem, Path(path).parent.name):
            found = {name for name, text in self.texts.items() if word and word in text}
            if found:
                return found
        return set()


def selected(sources, state):
    """The tests to run, each with the reason; a file stands for tests that never ran."""
    before, now = state["parts"], sources.parts
    tests = {id: found for id, found in state["tests"].items() if file_of(id) in sources.tests}
    by_file = defaultdict(list)
    for id in tests:
        by_file[file_of(id)].append(id)
    chosen = {file: "never ran" for file in sources.tests if file not in by_file}
    chosen |= {id: "failed" for id in state["failed"] if file_of(id) in sources.tests}
    entered_by = defaultdict(set)
    for id, found in tests.items():
        for number in found["entered"]:
            name = state["names"][number]
            entered_by[name].add(id)
            entered_by[name.partition(":")[0]].add(id)

    for path in sorted(before.keys() | now.keys()):
        old, new = before.get(path, {}), now.get(path, {})
        changed = {part for part in old.keys() | new.keys() if old.get(part) != new.get(part)}
        for part in changed - {REST, FILE}:
            for id in entered_by[f"{path}:{part}"]:
                chosen.setdefault(id, f"{path} {part.partition('.')[0]}")
        for one in concerned(sources, path) if REST in changed else ():
            for id in entered_by[one] if one.startswith(PACKAGE) else by_file.get(one, [one]):
                chosen.setdefault(id, path)
    return chosen


def concerned(sources, path):
    """The modules and test files for which it matters what stands outside of functions."""
    if path.startswith("tests/") and path in sources.texts:
        yield from sources.importing_tests(path)
        return
    is_module = path.startswith(PACKAGE) and path.endswith(".py")
    for user in {path} if is_module else sources.naming(path):
        for one in sources.users(user) if user.startswith(PACKAGE) else {user}:
            yield from {one} if one.startswith(PACKAGE) else sources.importing_tests(one)


def file_of(id):
    return id.partition("::")[0]


def distribution(sources, state):
    """CPU seconds after a change of all functions of a module, and of one function, by name."""
    waits = {"modules": Counter(), "functions": Counter()}
    for path in sources.modules:
        names = [f"{path}:{name}" for name in sources.functions(path)]
        waits["modules"].update({path: 0} if names else {})
        waits["functions"].update(dict.fromkeys(names, 0))
    for found in state["tests"].values():
        entered = {state["names"][number] for number in found["entered"]}
        for name in entered & waits["functions"].keys():
            waits["functions"][name] += found["seconds"]
        for path in {name.partition(":")[0] for name in entered} & waits["modules"].keys():
            waits["modules"][path] += found["seconds"]
    return waits
