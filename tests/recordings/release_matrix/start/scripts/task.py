"""Runs one task of tasks.toml, command by command."""

from __future__ import annotations

import subprocess
import sys

from scripts.common import ROOT, read_settings


def main(arguments: list[str]) -> int:
    """Run the named task; stop at the first command that fails."""
    tasks = read_settings().tasks
    if len(arguments) != 1 or arguments[0] not in tasks:
        print(f"task: choose one of {', '.join(sorted(tasks))}", file=sys.stderr)
        return 2
    for command in tasks[arguments[0]]:
        code = subprocess.run(command, shell=True, cwd=ROOT, check=False).returncode
        if code:
            return code
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
