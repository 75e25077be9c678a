"""``python -m pontoon serve|routes``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from pontoon.app import build_app
from pontoon.clock import SystemClock
from pontoon.serve import serve
from pontoon.settings import SettingsError, load_settings


def main(arguments: list[str] | None = None) -> int:
    """Run one command. Returns 2 when the settings are wrong."""
    parser = argparse.ArgumentParser(prog="pontoon")
    parser.add_argument("command", choices=["serve", "routes"])
    parser.add_argument("--settings", type=Path, default=Path("pontoon.ini"))
    options = parser.parse_args(arguments)
    try:
        settings = load_settings(options.settings)
    except SettingsError as error:
        print(f"pontoon: {error}", file=sys.stderr)
        return 2
    app = build_app(settings, SystemClock())
    if options.command == "routes":
        app.mount_tides()
        print("\n".join(app.router.routes()))
        return 0
    return serve(app, sys.stdin, sys.stdout)


if __name__ == "__main__":
    sys.exit(main())
