"""The tables on a page of the documentation, each between two comments that name it."""

from pathlib import Path


def replace_table(page: Path, name: str, text: str) -> None:
    """Put a table between ``<!-- table NAME -->`` and ``<!-- /table NAME -->``."""
    begin, end = f"<!-- table {name} -->", f"<!-- /table {name} -->"
    before, found, rest = page.read_text("utf-8").partition(begin)
    _, closed, after = rest.partition(end)
    if not found or not closed:
        raise SystemExit(f"{page} has no place for the table {name}: {begin} … {end}")
    page.write_text(f"{before}{begin}\n{text.strip()}\n{end}{after}", "utf-8")
