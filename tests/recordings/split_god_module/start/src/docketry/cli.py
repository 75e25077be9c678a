"""The command line: ``docketry render FILE…`` and ``docketry themes``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from docketry import themes
from docketry.errors import DocketryError, LoadError
from docketry.loader import load_invoice
from docketry.render import FORMATS, LABELS, document_name, render_invoice

EXIT_LOAD = 2
EXIT_RENDER = 3


def parser() -> argparse.ArgumentParser:
    """The options."""
    result = argparse.ArgumentParser(prog="docketry")
    commands = result.add_subparsers(dest="command", required=True)
    render = commands.add_parser("render", help="make documents of invoices")
    render.add_argument("files", nargs="+", type=Path)
    render.add_argument("--format", default="text", choices=sorted(FORMATS))
    render.add_argument("--locale", default="en", choices=sorted(LABELS))
    render.add_argument("--theme", default="plain")
    render.add_argument("--out", type=Path, help="folder; standard output without it")
    commands.add_parser("themes", help="list the themes")
    return result


def render_files(options: argparse.Namespace) -> int:
    """Render every file; stops at the first that fails."""
    for path in options.files:
        invoice = load_invoice(path)
        text = render_invoice(invoice, options.format, locale=options.locale, theme=options.theme)
        if options.out:
            options.out.mkdir(parents=True, exist_ok=True)
            target = options.out / document_name(invoice, options.format)
            target.write_text(text, encoding="utf-8")
            print(target.name)
        else:
            sys.stdout.write(text)
    return 0


def main(arguments: Sequence[str]) -> int:
    """Run a command; the exit code says what kind of error there was."""
    options = parser().parse_args(arguments)
    try:
        if options.command == "themes":
            print("\n".join(themes.theme_names()))
            return 0
        return render_files(options)
    except LoadError as error:
        print(f"docketry: {error}", file=sys.stderr)
        return EXIT_LOAD
    except DocketryError as error:
        print(f"docketry: {error}", file=sys.stderr)
        return EXIT_RENDER
