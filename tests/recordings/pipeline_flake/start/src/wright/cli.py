"""The command line."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from wright.bundle import build_bundle, verify_bundle
from wright.changelog import read_changelog, section_for
from wright.errors import WrightError
from wright.settings import load_settings
from wright.version import PARTS, Version, read_version, write_version


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command. Returns 0, or 1 when the tool reports an error."""
    options = _parser().parse_args(argv)
    try:
        print(options.command(options))
    except WrightError as error:
        print(f"wright: {error}", file=sys.stderr)
        return 1
    return 0


def _build(options: argparse.Namespace) -> str:
    settings = load_settings(options.root)
    target = options.out or options.root / "dist" / f"{settings.name}.zip"
    manifest = build_bundle(options.root, target, settings, read_version(options.root))
    return (
        f"built {target.name}: version {manifest.version}, "
        f"{len(manifest.files)} files, codec {manifest.codec}"
    )


def _verify(options: argparse.Namespace) -> str:
    settings = load_settings(options.root)
    manifest = verify_bundle(options.bundle, options.root, settings, read_version(options.root))
    return f"{options.bundle.name} matches the tree: version {manifest.version}"


def _bump(options: argparse.Namespace) -> str:
    before = read_version(options.root)
    after = before.candidate() if options.part == "candidate" else before.bump(options.part)
    if not options.dry_run:
        write_version(options.root, after)
    return f"{before} -> {after}"


def _notes(options: argparse.Namespace) -> str:
    version = Version.parse(options.version) if options.version else read_version(options.root)
    return section_for(read_changelog(options.root), version).as_text()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="wright", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    build = commands.add_parser("build", help="pack the payload into a bundle")
    build.add_argument("--out", type=Path, help="the bundle to write")
    build.set_defaults(command=_build)

    verify = commands.add_parser("verify", help="check a bundle against the tree")
    verify.add_argument("bundle", type=Path)
    verify.set_defaults(command=_verify)

    bump = commands.add_parser("bump", help="raise the version of the tree")
    bump.add_argument("part", choices=[*PARTS, "candidate"])
    bump.add_argument("--dry-run", action="store_true")
    bump.set_defaults(command=_bump)

    notes = commands.add_parser("notes", help="print one section of the change log")
    notes.add_argument("version", nargs="?")
    notes.set_defaults(command=_notes)

    for command in (build, verify, bump, notes):
        command.add_argument("--root", type=Path, default=Path())
    return parser
