"""Refactoring: one module of an invoice printer becomes a package, step by step.

The public import path stays, the outputs stay byte for byte, every step is a green commit.
A circular import does not yield to another order of imports, state and its setter end up in
different modules, and a constant that a script assigns from outside loses its effect. Between the
steps: a runbook, two nights of the batch, a survey of imports and a Danish sheet, whose figures
stand in the files alone. Python, pytest and git really run; see ``tests/recordings/recorder.py``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from questions import ends
from recorder import Play, Recorder, bash, edit_file, read_file, write_file
from repository import Repository

SYSTEM = """You are a coding agent working in a git repository. You have a shell and tools to read,
write and edit files. Keep behaviour unless asked to change it, verify every step by running it, and
say what you did and why in a few plain sentences. Ask when a choice belongs to the user."""

FACADE = "src/docketry/render/__init__.py"
TESTS = "python -m pytest -q --tb=short"

CREDIT_CHECKS = '''def _kind(invoice: Invoice) -> str:
    return "credit_note" if invoice.credit else "invoice"


CHECKS = {
    "invoice": (check_positions, check_note),
    "credit_note": (check_positions, check_note),
}


def check_invoice(invoice: Invoice) -> None:
    """Everything that must hold before a document is made."""
    for check in CHECKS[_kind(invoice)]:
        check(invoice)
'''

STATED_TAX_TESTS = """

@pytest.mark.parametrize("credit", [False, True])
def test_stated_tax(invoice, credit):
    stated = replace(invoice, stated_tax=389, credit=credit)
    assert render_invoice(stated)
    with pytest.raises(RenderError, match=r"DK-27 stated tax 3\\.88, computed 3\\.89"):
        render_invoice(replace(stated, stated_tax=388))
"""

RECORD_OUTPUTS = '''"""Records what documents look like: ``record_outputs.py`` rewrites tests/outputs.

One file a format holds every example in every locale and theme, and one invoice of three
pages. An invoice that is refused is recorded with its error.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from docketry.errors import DocketryError
from docketry.invoice import Invoice
from docketry.loader import load_invoice
from docketry.render import render_invoice

ROOT = Path(__file__).parents[1]
OUTPUTS = ROOT / "tests" / "outputs"
FORMATS = {"text": ("plain", "double"), "html": ("plain",), "csv": ("plain",)}
LOCALES = ("en", "nl", "da")


def subjects() -> list[Invoice]:
    """The examples, and the first one with its positions 27 times."""
    examples = [load_invoice(path) for path in sorted((ROOT / "examples").glob("*.json"))]
    long = replace(examples[0], number="LONG", positions=examples[0].positions * 27)
    return [*examples, long]


def output(fmt: str) -> str:
    """Everything that is recorded of a format."""
    parts = []
    for invoice in subjects():
        for locale in LOCALES:
            for theme in FORMATS[fmt]:
                parts.append(f"##### {invoice.number} {locale} {theme}\\n")
                try:
                    parts.append(render_invoice(invoice, fmt, locale=locale, theme=theme))
                except DocketryError as error:
                    parts.append(f"{error}\\n")
    return "".join(parts)


if __name__ == "__main__":
    OUTPUTS.mkdir(exist_ok=True)
    for name in FORMATS:
        (OUTPUTS / f"{name}.txt").write_text(output(name), encoding="utf-8", newline="")
'''

OUTPUT_TESTS = '''"""Documents stay as they were recorded, byte for byte."""

import pytest

from tools import record_outputs


@pytest.mark.parametrize("fmt", record_outputs.FORMATS)
def test_documents_are_unchanged(fmt):
    recorded = (record_outputs.OUTPUTS / f"{fmt}.txt").read_bytes()
    assert record_outputs.output(fmt).encode() == recorded
'''

IMPORT_TESTS = '''"""Every module can be the first one that is imported."""

import importlib
import sys
import warnings
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src"
MODULES = sorted(
    ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")
    for path in SOURCE.rglob("*.py")
    if path.name != "__main__.py"
)


@pytest.fixture
def nothing_imported(monkeypatch):
    for name in [name for name in sys.modules if name.split(".")[0] == "docketry"]:
        monkeypatch.delitem(sys.modules, name)
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        if name.split(".")[0] == "docketry":
            del sys.modules[name]


@pytest.mark.parametrize("name", MODULES)
def test_import_first(name, nothing_imported):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        importlib.import_module(name)
'''

SETTER = '''def set_locale(name: str) -> None:
    """Choose the locale of everything that names none."""
    global _locale
    if name not in LABELS:
        raise RenderError("DK-12", f"unknown locale {name!r}")
    _locale = name


def current_locale() -> str:
    """The locale of everything that names none."""
    return _locale
'''

CONTENT = '''"""What a document says, whatever its form."""

from __future__ import annotations

from docketry.invoice import Invoice, Party, Position
from docketry.render.amounts import format_amount, format_quantity
from docketry.render.locales import label
from docketry.render.totals import position_net


def kind_of(invoice: Invoice) -> str:
    """The label of an invoice or of a credit note."""
    return "credit_note" if invoice.credit else "invoice"


def document_title(invoice: Invoice, locale: str) -> str:
    """What stands at the top."""
    return f"{label(kind_of(invoice), locale)} {invoice.number}"


def address(party: Party) -> list[str]:
    """The lines of an address."""
    lines = [party.name, party.street, party.town]
    if party.tax_id:
        lines.append(party.tax_id)
    return lines


def position_row(position: Position, locale: str) -> tuple[str, str, str, str]:
    """The cells of a position: text, quantity, price, net."""
    return (
        position.text,
        format_quantity(position.quantity, position.unit, locale),
        format_amount(position.price, locale),
        format_amount(position_net(position), locale),
    )
'''

LIMITS = '''"""What a document may hold. Raise a limit with ``raised``, never by assignment."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

PAGE_ROWS = 40  # positions on a printed page
MAX_POSITIONS = 400
MAX_NOTE = 400


@contextmanager
def raised(*, positions: int) -> Iterator[None]:
    """Allow more positions inside a ``with`` block, for documents that are not printed."""
    global MAX_POSITIONS
    before = MAX_POSITIONS
    MAX_POSITIONS = positions
    try:
        yield
    finally:
        MAX_POSITIONS = before
'''

LIMITS_BEFORE = '''"""What a document may hold."""

PAGE_ROWS = 40  # positions on a printed page
MAX_POSITIONS = 400
MAX_NOTE = 400
'''

LIMIT_TESTS = '''"""Limits."""

import pytest

from docketry import limits


def test_raised_only_inside_the_block():
    before = limits.MAX_POSITIONS
    with limits.raised(positions=600):
        assert limits.MAX_POSITIONS == 600
    assert limits.MAX_POSITIONS == before


def test_put_back_after_an_error():
    before = limits.MAX_POSITIONS
    with pytest.raises(KeyError), limits.raised(positions=600):
        raise KeyError
    assert limits.MAX_POSITIONS == before


def test_the_longest_invoice_fills_whole_pages():
    assert limits.MAX_POSITIONS % limits.PAGE_ROWS == 0
'''

PLUGIN = '''"""Labels for the shelves of the Norrvik yard."""

from docketry import render


def render_labels(invoice, locale, theme="plain"):
    lines = [render.document_title(invoice, locale)]
    for position in invoice.positions:
        lines.append(" | ".join(render._position_row(position, locale)))
    return "\\n".join(lines) + "\\n"


render.register_format("labels", ".lbl", render_labels)
'''

MOVED = '''"""Names that sites took from the big module though it never promised them; gone with 4.1."""

from __future__ import annotations

import warnings
from collections.abc import Callable

from docketry.render.content import document_title, position_row

MOVED: dict[str, Callable[..., object]] = {
    "document_title": document_title,
    "_position_row": position_row,
}


def moved_name(name: str) -> object:
    """What a name stands for, with a warning; for a module-level ``__getattr__``."""
    if name not in MOVED:
        raise AttributeError(f"module 'docketry.render' has no attribute {name!r}")
    there = MOVED[name].__name__
    warnings.warn(
        f"docketry.render.{name} is now docketry.render.content.{there}; it goes with 4.1",
        DeprecationWarning,
        stacklevel=2,
    )
    return MOVED[name]
'''

MOVED_TESTS = '''"""Names that moved, and a plug-in that uses them."""

import importlib
from pathlib import Path

import pytest

from docketry import render
from docketry.loader import load_invoice

EXAMPLES = Path(__file__).parents[1] / "examples"


@pytest.mark.parametrize(
    ("old", "new"), [("document_title", "document_title"), ("_position_row", "position_row")]
)
def test_old_names_warn(old, new):
    text = f"docketry.render.{old} is now docketry.render.content.{new}; it goes with 4.1"
    with pytest.warns(DeprecationWarning, match=text):
        assert getattr(render, old).__name__ == new


def test_other_private_names_are_gone():
    with pytest.raises(AttributeError, match="'docketry.render' has no attribute '_text_head'"):
        render._text_head


@pytest.mark.filterwarnings("ignore:docketry.render:DeprecationWarning")
def test_the_plug_in_of_norrvik():
    importlib.import_module("tests.plugins.norrvik_labels")
    try:
        labels = render.render_invoice(load_invoice(EXAMPLES / "plover.json"), "labels")
    finally:
        del render.FORMATS["labels"]
    assert labels.splitlines()[0] == "Credit note P-0058"
    assert labels.splitlines()[2] == "Rope, <8 mm> | 12.25 m | -0.45 | -5.51"
'''

FACADE_TEXT = '''"""Turns an invoice into a document. This module is the public import path.

The parts live in the modules of this package and in docketry.columns and docketry.limits;
nothing is defined here. Parts import parts, never this module's names.
"""

from docketry.columns import PAGE_WIDTH, Column, wrap
from docketry.errors import RenderError
from docketry.limits import MAX_NOTE, MAX_POSITIONS, PAGE_ROWS
from docketry.render.amounts import (
    due_date,
    format_amount,
    format_date,
    format_quantity,
    format_rate,
    round_half_up,
)
from docketry.render.checks import check_invoice
from docketry.render.csv import render_csv
from docketry.render.formats import (
    FORMATS,  # noqa: F401
    document_name,
    register_format,
    render_invoice,
    render_many,
)
from docketry.render.html import render_html
from docketry.render.locales import (
    LABELS,  # noqa: F401
    current_locale,
    label,
    set_locale,
)
from docketry.render.text import paginate, render_text, table
from docketry.render.totals import TaxLine, amount_due, tax_lines, total_net

'''

FACADE_TESTS = '''"""What other programs rely on: the names and the signature of docketry.render."""

import inspect
import subprocess
import sys

from docketry import render

NAMES = """MAX_NOTE MAX_POSITIONS PAGE_ROWS PAGE_WIDTH Column RenderError TaxLine amount_due
check_invoice current_locale document_name due_date format_amount format_date format_quantity
format_rate label paginate register_format render_csv render_html render_invoice render_many
render_text round_half_up set_locale table tax_lines total_net wrap""".split()


def test_names():
    assert sorted(render.__all__) == sorted(NAMES)
    assert all(hasattr(render, name) for name in [*NAMES, "FORMATS", "LABELS"])


def test_signature():
    assert str(inspect.signature(render.render_invoice)) == (
        "(invoice: 'Invoice', fmt: 'str' = 'text', *, locale: 'str | None' = None, "
        "theme: 'str' = 'plain') -> 'str'"
    )


def test_star_import_gives_no_more():
    script = "from docketry.render import *; print(*sorted(n for n in dir() if n[0] != '_'))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout.split() == sorted(NAMES)
'''

DOCS = """# Rendering

`docketry.render` is the public module: what is in its `__all__` stays, and so does the
signature of `render_invoice`. Nothing is defined there, it only names the parts:

| module | holds |
|---|---|
| `docketry.limits` | limits, and `raised` for documents that are not printed |
| `docketry.columns` | page width, `Column`, padding and wrapping |
| `docketry.render.locales` | words and marks, the current locale |
| `docketry.render.amounts` | amounts, quantities, rates, dates |
| `docketry.render.totals` | nets, taxes, what is due |
| `docketry.render.checks` | what must hold before a document is made |
| `docketry.render.content` | what a document says, whatever its form |
| `docketry.render.text`, `html`, `csv` | one form each |
| `docketry.render.formats` | the table of formats, `render_invoice` |

Parts import parts, never `docketry.render` itself. What modules outside the package need
at import (`docketry.themes` needs `Column`) lives outside the package: importing any
`docketry.render.x` runs `docketry/render/__init__.py` first. `tests/test_imports.py`
imports every module as the first one.

`docketry.printing` is the path of 1.x and warns. The tills import it until 4.1.

## Limits

| constant | value | code |
|---|---|---|
| `MAX_POSITIONS` | 320 (8 sheets of 40 rows, what the folding machine takes) | DK-31 |
| `MAX_NOTE` | 400 | DK-33 |

Assigning `render.MAX_POSITIONS` has no effect any more. Collective invoices
(`tools/yard_batch.py`) are archived, not printed: `with limits.raised(positions=600)`.

## Checks

`check_invoice` runs before any document is made: positions (DK-21, DK-31), the stated
tax (DK-27), the note (DK-33).
"""


MOVED_LIST = '''"""Where each promised name lives now: ``moved_list.py FILE`` writes a line a name."""

from __future__ import annotations

import sys
from pathlib import Path

from docketry import render

HEAD = "Bådværft Ærø, names of docketry.render"
ENCODING = "cp1252"


def lines() -> list[str]:
    """The head, and for every name of the facade the module that defines it."""
    names = sorted(render.__all__)
    homes = [getattr(getattr(render, name), "__module__", "docketry.limits") for name in names]
    return [HEAD, *(f"{name} lives in {home}" for name, home in zip(names, homes, strict=True))]


if __name__ == "__main__":
    target = Path(sys.argv[1])
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text("\\n".join(lines()) + "\\n", encoding=ENCODING)
'''


# The seams of the big module ---------------------------------------------------


def place(session: Recorder, start: str, stop: str, path: str = FACADE) -> tuple[int, int]:
    """First and last line from one that begins with ``start`` to before one with ``stop``."""
    lines = session.repo.text(path).splitlines()
    first = next(n for n, line in enumerate(lines, 1) if line.startswith(start))
    last = next(n for n, line in enumerate(lines, 1) if n > first and line.startswith(stop))
    return first, last - 1


def section(session: Recorder, name: str, path: str = FACADE) -> tuple[int, int]:
    """First and last line of a section, its headline included."""
    return place(session, f"# -- {name} -", "# -- ", path)


def without_headline(lines: tuple[int, int], session: Recorder) -> tuple[int, int]:
    """The same section from its first line of code on."""
    text = session.repo.text(FACADE).splitlines()
    first = lines[0] + 1
    while not text[first - 1]:
        first += 1
    return first, lines[1]


def moving(
    target: str,
    head: str,
    moved: Sequence[tuple[int, int]],
    dropped: Sequence[tuple[int, int]],
    *after: str,
) -> str:
    """The shell command that moves lines of the facade to a new module below a head."""
    take = ";".join(f"{first},{last}p" for first, last in moved)
    drop = ";".join(f"{first},{last}d" for first, last in dropped)
    return "\n".join(
        [
            f"f={FACADE}",
            f"cat > {target} <<'EOF'",
            head + "EOF",
            f"sed -n '{take}' $f >> {target}",
            f"sed -i '{drop}' $f",
            *after,
        ]
    )


def commit(subject: str) -> str:
    """The shell command that runs the tests and, when they pass, commits."""
    return f"{TESTS} && git add -A && git commit -qm '{subject}' && git log --oneline -1"


def history(repo: Repository) -> None:
    """What happened before the session."""

    repo.change(
        "src/docketry/render.py",
        '    """The last day of payment."""\n    return invoice.issued + timedelta(days=invoice.terms)\n',
        '    """The last day of payment; never a Sunday."""\n'
        "    day = invoice.issued + timedelta(days=invoice.terms)\n"
        "    return day + timedelta(days=1) if day.weekday() == 6 else day\n",
    )
    repo.change(
        "tests/test_render.py",
        "def test_set_locale_changes_labels",
        "def test_payment_is_never_due_on_a_sunday(invoice):\n"
        "    assert render.due_date(replace(invoice, terms=16)) == date(2025, 3, 31)\n\n\n"
        "def test_set_locale_changes_labels",
    )
    repo.change("src/docketry/__init__.py", "3.1.3", "3.1.4")
    repo.change(
        "CHANGELOG.md",
        "# Changelog\n",
        "# Changelog\n\n## 3.1.4\n\n- Payment is never due on a Sunday.\n",
    )
    repo.git("commit", "-qam", "render: payment is never due on a Sunday")
    repo.change(
        "src/docketry/render.py",
        '    """The quotient, rounded half up, without floats."""\n',
        '    """The quotient, rounded half up (half down below zero), without floats."""\n'
        "    if numerator < 0:\n        return -round_half_up(-numerator, denominator)\n",
    )
    text = repo.text("src/docketry/render.py")
    start = text.index("def check_invoice")
    end = text.index("\n\n# -- text -", start)
    repo.change("src/docketry/render.py", text[start:end], CREDIT_CHECKS)
    repo.change(
        "src/docketry/render.py",
        "    return f\"{label('invoice', locale)} {invoice.number}\"\n",
        '    return f"{label(_kind(invoice), locale)} {invoice.number}"\n',
    )
    repo.change("tests/test_render.py", "(30, 10, 3)]", "(30, 10, 3), (-5, 10, -1)]")
    repo.change(
        "tests/test_render.py",
        "def test_too_many_positions",
        "def test_credit_notes(invoice):\n"
        '    assert "Credit note H-1" in render_invoice(replace(invoice, credit=True))\n\n\n'
        "def test_too_many_positions",
    )
    repo.git(
        "commit", "-qam", "render: title, rounding and checks of credit notes (squashed, #198)"
    )
    repo.git("tag", "-f", "start")


def investigate(session: Recorder) -> None:
    """Act 1: the lost check, a wrong suspicion, the plan."""
    session.system(SYSTEM)
    session.user(
        "src/docketry/render.py does everything and three of us edit it at the same time. The last "
        "squash merge (#198, credit notes) finally cost us something: `python -m docketry render "
        "examples/tern.json` used to stop with\n\n"
        "    docketry: DK-27 stated tax 41.79, computed 41.80\n\n"
        "and exit code 3, and since the merge it prints the invoice and exits 0. The ferry line got a "
        "wrong tax line that way. #198 touched round_half_up, so my suspicion is the rounding.\n\n"
        "Please repair that first, and then split render.py into a package `docketry/render/`. Rules "
        "for all of it: `docketry.render` stays the public import path with everything in `__all__`, "
        "and the signature of `render_invoice` is not touched. Documents stay byte-identical. One commit "
        "a step, tests green after every one. No new dependency."
    )
    session.together(
        [
            bash("git log --oneline && git status --short && git show --stat --format=%b"),
            bash("git ls-files | grep -v json | xargs wc -l"),
            bash('python -m docketry render examples/tern.json; echo "exit $?"'),
        ],
        "First the history, the size of things, and your example as it behaves now.",
    )
    session.bash(
        "grep -nE '^(# --|class |def |@|[A-Z_]+(:.*)? = |_[a-z]+ = |from |import )' src/docketry/render.py",
        "It prints and exits 0, as you say. An outline of render.py before I read parts of it.",
    )
    session.together(
        [
            read_file("src/docketry/render.py", (140, 152)),
            bash(
                "show='from pathlib import Path; from docketry.loader import load_invoice; "
                'from docketry.render import *; i = load_invoice(Path("examples/tern.json")); '
                "print(i.stated_tax, tax_lines(i))'\n"
                'git checkout -q HEAD~1; echo "before #198"; python -c "$show"\n'
                'git checkout -q main; echo "after #198"; python -c "$show"'
            ),
        ],
        "Your suspicion first. tern.json states 41.79, which is the tax of 219.99 cut off instead of "
        "rounded, so if round_half_up truncated now, both sides would agree and nothing would be refused. I "
        "compute the tax before and after the merge.",
    )
    session.together(
        [
            bash("git show --format=%s HEAD -- src"),
            bash("grep -rn 'check_tax\\|stated_tax' src tests tools"),
        ],
        "The rounding is not it: the computed tax is 4180 cents before and after #198, only negative "
        "numbers are rounded differently. So 41.79 and 41.80 still differ and nobody compares them. The "
        "whole diff, and who calls the comparison:",
    )
    session.edit(
        "src/docketry/render.py",
        'CHECKS = {\n    "invoice": (check_positions, check_note),\n'
        '    "credit_note": (check_positions, check_note),\n}\n',
        'CHECKS = {\n    "invoice": (check_positions, check_tax, check_note),\n'
        '    "credit_note": (check_positions, check_tax, check_note),\n}\n',
        "There it is. #198 replaced the three calls of check_invoice by the table `CHECKS`, and check_tax is in "
        "neither row; it is defined and never called, and no test states a tax. I put it into both rows: a "
        "credit note without stated tax passes anyway.",
    )
    session.bash(
        "cat >> tests/test_render.py <<'EOF'" + STATED_TAX_TESTS + "EOF\n"
        'python -m docketry render examples/tern.json; echo "exit $?"\n'
        + commit("render: check the stated tax again (DK-27)"),
        "With a test for both kinds, because this was lost for want of one.",
    )
    session.say(
        "DK-27 is back, exit 3, with 62 passed. The cause was the table `CHECKS` of #198, not the rounding.\n\n"
        "Now the split. Which modules outside render.py use more than `__all__`? That decides how careful the "
        "facade has to be, so I read its neighbours next."
    )
    session.together(
        [
            read_file("src/docketry/themes.py"),
            read_file("src/docketry/printing.py"),
            read_file("tools/yard_batch.py"),
        ],
    )
    session.together(
        [
            bash(
                "grep -rnE 'docketry.render|import render|render\\._|themes' --include='*.py' src tools tests | grep -v '^src/docketry/render.py'"
            ),
            read_file("docs/rendering.md"),
        ],
        "printing.py takes the private `_pad`, cli.py takes FORMATS and LABELS, which are not in `__all__` either, "
        "and yard_batch.py assigns `render.MAX_POSITIONS`. Who else?",
    )
    session.together(
        [
            read_file("src/docketry/cli.py"),
            read_file("tests/test_render.py"),
        ],
        "And what do the tests pin today?",
    )
    runbook(session)
    first, _ = place(session, "class RenderError", "# --", "src/docketry/render.py")
    session.read(
        "src/docketry/render.py",
        "Now the first half of render.py itself, without the tables of words.",
        lines=(
            first,
            place(session, "# -- totals", "# -- checks", "src/docketry/render.py")[0] - 2,
        ),
    )
    session.say(
        "Three things will hurt, and I want them known before I move a line:\n\n"
        "1. `_locale` is a global that `set_locale` rebinds. Whoever imports its value gets a stale copy.\n"
        "2. themes.py needs Column from render.py and render.py needs theme_for, a cycle that `_theme` hides "
        "with an import inside the function.\n"
        "3. yard_batch.py assigns `render.MAX_POSITIONS = 600`. That works only while the check reads the "
        "global of the same module.\n\n"
        'And no test pins a whole document, so "byte-identical" is not checked by anything. I would record '
        "the output of every format and locale first. The plan: record outputs; package; locales; amounts; "
        "columns; totals; text; checks and limits; html, csv and the table of formats; in the end "
        "`__init__.py` defines nothing and only imports. OK?"
    )
    session.point("p1")


def first_parts(session: Recorder) -> None:
    """Act 2: outputs on record, the package, locales, amounts, and a limit raised."""
    session.user(
        "OK. For the recording: couldn't you store a sha256 of each document instead of the documents? "
        "And printing.py stays, please, it looks dead but the tills still import it. It goes with 4.0, not before."
    )
    session.write(
        "tools/record_outputs.py",
        RECORD_OUTPUTS,
        "I'd rather store the documents: a digest says that something changed, not what, and after a bad step "
        "the diff is what I need. Three files, one a format, with every example in every locale. An invoice "
        "of 81 positions is in it for the page breaks. printing.py stays until 4.0.",
    )
    session.write("tests/test_outputs.py", OUTPUT_TESTS)
    session.bash(
        "python tools/record_outputs.py && wc -lc tests/outputs/* && grep -c '^DK-27' tests/outputs/text.txt\n"
        "sed -n '/##### T-0391 en plain/,/##### T-0391 nl/p' tests/outputs/csv.txt",
        "Record them, and look whether the refused invoice is there with its error.",
    )
    session.bash(
        "sed -i 's/\"Norrvik\"/\"Norrvic\"/' examples/heron.json && python -m pytest -q --tb=line tests/test_outputs.py | grep -E '^FAILED|failed'\n"
        "git checkout -q examples/heron.json\n"
        + commit("tests: record the output of every format"),
        "Can it fail? One letter changed in an example; then put back, all tests, commit.",
    )
    session.bash(
        "mkdir src/docketry/render && git mv src/docketry/render.py src/docketry/render/__init__.py\n"
        + commit("render: turn the module into a package"),
        "It can; csv passes because it holds no address, which is right. Now the package: "
        "the whole file becomes `__init__.py`, a pure rename, so that `git log --follow` has an unbroken line.",
    )
    session.repo.check_changed("HEAD~1", renamed=[FACADE])
    tables = place(session, "DEFAULT_LOCALE", "class RenderError")
    state = place(session, "_locale = ", "def set_locale")
    words = place(session, "def _known", "# -- amounts")
    session.read(
        FACADE,
        "Locales first, since everything else needs words. The functions I know; the tables I have not seen yet.",
        lines=(tables[0], tables[1] - 2),
    )
    session.bash(
        moving(
            "src/docketry/render/locales.py",
            '"""Words, marks and the current locale."""\n\n'
            "from __future__ import annotations\n\n"
            "from docketry.render import RenderError\n\n",
            [(tables[0], tables[1] - 1), state, words],
            [(tables[0], tables[1] - 2), state, words],
            "sed -i 's/\\b_known\\b/known_locale/g' $f src/docketry/render/locales.py",
            "sed -i '/^from docketry.invoice/a from docketry.render.locales import DEFAULT_LOCALE, DATE_FORMATS, "
            "LABELS, MARKS, MONTHS, _locale, known_locale, label' $f",
            f"{TESTS} -x | grep -E '^(E  |src|tests|ERROR|[0-9])'",
        ),
        "I move the tables, the state `_locale`, `_known` (as known_locale) and label. The two public functions "
        "set_locale and current_locale stay in the facade for now.",
    )
    session.together(
        [
            read_file("src/docketry/errors.py"),
            read_file("src/docketry/invoice.py"),
        ],
        "As expected of a part that imports the whole: `cannot import name 'RenderError' from partially "
        "initialized module`. A part may only import what imports nothing of render: are errors.py and "
        "invoice.py such leaves?",
    )
    session.together(
        [
            edit_file(
                FACADE,
                'class RenderError(DocketryError):\n    """An invoice that cannot become a document."""\n\n\n',
                "",
            ),
            bash(
                "cat >> src/docketry/errors.py <<'EOF'\n\n\n"
                'class RenderError(DocketryError):\n    """An invoice that cannot become a document."""\n'
                "EOF\n"
                "sed -i 's/^from docketry.errors import DocketryError/from docketry.errors import RenderError/' "
                + FACADE
                + "\nsed -i 's/^from docketry.render import RenderError/from docketry.errors import RenderError/' "
                "src/docketry/render/locales.py\n" + TESTS
            ),
        ],
        "They are. The error class does not belong into render anyway, it goes to errors.py beside LoadError.",
    )
    left = section(session, "locales")
    session.together(
        [
            edit_file(
                "src/docketry/render/locales.py",
                "_locale = DEFAULT_LOCALE\n",
                "_locale = DEFAULT_LOCALE\n\n\n" + SETTER,
            ),
            bash(
                f"sed -i '{left[0]},{left[1]}d' {FACADE}\n"
                "sed -i 's/^from docketry.render.locales import .*/from docketry.render.locales import DATE_FORMATS, LABELS, "
                f"MARKS, MONTHS, current_locale, known_locale, label, set_locale/' {FACADE}\n"
                + commit("render: extract locales")
            ),
        ],
        "That is number 1 of my list, and I walked into it: set_locale rebinds the `_locale` of `__init__.py`, while "
        "known_locale reads the one of locales.py. A global and the function that rebinds it have to live "
        "in the same module, so set_locale and current_locale move too, and `_locale` is no longer imported "
        "anywhere.",
    )
    session.say("Locales are out and all 65 tests pass. Amounts and dates come next.")
    session.user(
        "Before you go on: Marit, who translates, would love to have the words as a JSON file instead of "
        "Python. This would be the moment, no?"
    )
    session.say(
        "It would be easy now, locales.py is the only place. But a JSON file has to be found at run time, "
        "and `LABELS` is a plain dict for cli.py. How do the tills install docketry?"
    )
    session.user(
        "They run it from a zip file, so open() on a neighbouring file fails there. Forget the JSON, the words "
        "stay Python."
    )
    amounts = section(session, "amounts and dates")
    session.bash(
        "grep -nE 'MARKS|MONTHS|DATE_FORMATS|LABELS|known_locale|[^.]label\\(' " + FACADE,
        "They stay Python. Which functions use what of locales.py?",
    )
    session.bash(
        moving(
            "src/docketry/render/amounts.py",
            '"""Amounts, quantities, rates and dates as they are written."""\n\n'
            "from __future__ import annotations\n\n"
            "from datetime import date, timedelta\n"
            "from decimal import Decimal\n\n"
            "from docketry.errors import RenderError\n"
            "from docketry.invoice import Invoice\n"
            "from docketry.render.locales import DATE_FORMATS, MARKS, MONTHS, known_locale\n\n\n",
            [without_headline(amounts, session)],
            [amounts],
            "sed -i '/^from datetime/d; /^from decimal/d' $f",
            "sed -i 's/^from docketry.render.locales import .*/from docketry.render.amounts import due_date, format_amount, "
            "format_date, format_quantity, format_rate, round_half_up\\n"
            "from docketry.render.locales import LABELS, current_locale, known_locale, label, set_locale/' $f",
            commit("render: extract amounts and dates"),
            "wc -l < $f",
        ),
        "Amounts and dates take MARKS, DATE_FORMATS, MONTHS and known_locale, all the others only label. They have no "
        "state and move as they are.",
    )
    session.say(
        "Two parts are out, all green, outputs unchanged, and `__init__.py` is down from 575 lines to 424. "
        "Columns and totals are next."
    )
    tills(session)
    session.user(
        "Short interruption: the ferry line wants one invoice for the whole season, 312 positions, and gets "
        "`DK-31 312 positions, the limit is 250`. Please raise MAX_POSITIONS to 400, as a commit of its own. "
        "The 250 was somebody's guess."
    )
    session.together(
        [
            bash("grep -rn '250\\|251' src tests tools docs README.md"),
            bash(
                f"sed -i 's/^MAX_POSITIONS = 250/MAX_POSITIONS = 400/' {FACADE}\n"
                "sed -i 's/DK-31 251 positions, the limit is 250/DK-31 401 positions, the limit is 400/; "
                "s/(position(),) \\* 251/(position(),) * 401/' tests/test_render.py\n"
                "sed -i 's/| `MAX_POSITIONS` | 250 |/| `MAX_POSITIONS` | 400 |/' docs/rendering.md\n"
                + commit("render: raise MAX_POSITIONS to 400")
            ),
        ],
        "Constant, test and docs together.",
    )


def columns_and_totals(session: Recorder) -> None:
    """Act 2, second half: a star import that is taken back."""
    session.user(
        "Thanks. Go on with the columns. One wish: keep the facade short, a `from … import *` per part will do."
    )
    whole = section(session, "columns and tables")
    cells = place(session, "def _cells", "# -- totals")
    width = place(session, "PAGE_WIDTH", "PAGE_ROWS")
    moved = without_headline((whole[0], cells[0] - 1), session)
    session.bash(
        moving(
            "src/docketry/render/grid.py",
            '"""The page as a grid of characters: columns, padding, wrapping."""\n\n'
            "from __future__ import annotations\n\n"
            "from dataclasses import dataclass\n\n"
            "from docketry.errors import RenderError\n\n",
            [width, moved],
            [width, (whole[0], cells[0] - 1)],
            "sed -i 's/\\b_pad\\b/pad/g; s/\\b_rule\\b/rule/g' $f src/docketry/render/grid.py",
            "sed -i 's/^PAGE_WIDTH = 72/&\\n\\n/' src/docketry/render/grid.py",
            "sed -i '/^from docketry.render.locales/i from docketry.render.grid import *' $f",
            "python -m pytest -q --tb=line",
        ),
        "Column, padding, wrapping and the page width go to render/grid.py; `_pad` and `_rule` cross a module border "
        "now, so they lose the underscore. The table itself needs words and stays with the text. A star "
        "import in the facade, as you wish.",
    )
    session.together(
        [
            edit_file(
                FACADE,
                "from docketry.render.grid import *\n",
                "from docketry.render.grid import PAGE_WIDTH, Column, pad, rule, wrap\n",
            ),
            bash(
                "sed -i 's/^from docketry.render import _pad, render_invoice/from docketry.render import render_invoice\\n"
                "from docketry.render.grid import pad/; /^pad = _pad$/d' src/docketry/printing.py\n"
                "sed -n '5,20p' src/docketry/printing.py\n"
                "python -c 'import docketry.render.grid as g; print([n for n in dir(g) if n[0] != \"_\"])'"
            ),
        ],
        "printing.py fails on `_pad`, which is renamed; that is easily mended. But I looked at what the star brings, "
        "and I'd rather take it back and write the names out: a star import skips names with an underscore and "
        "drags in dataclass, annotations and RenderError, so nobody could say any more what the facade exports.",
    )
    session.user("Convinced by that list. Write the names out, a long facade is fine then.")
    session.bash(commit("render: extract the grid"))
    totals = section(session, "totals")
    session.bash(
        moving(
            "src/docketry/render/totals.py",
            '"""What positions add up to: nets, taxes, the amount due. All in cents."""\n\n'
            "from __future__ import annotations\n\n"
            "from dataclasses import dataclass\n\n"
            "from docketry.invoice import Invoice, Position\n"
            "from docketry.render.amounts import round_half_up\n\n\n",
            [without_headline(totals, session)],
            [totals],
            "sed -i '/^from dataclasses/d' $f",
            "sed -i '/^from docketry.render.locales/a from docketry.render.totals import TaxLine, amount_due, "
            "position_net, tax_lines, total_net' $f",
            commit("render: extract totals"),
        ),
        "Totals next, nothing special about them.",
    )
    verbose_tests(
        session, "All tests once by name, so that I know what they look at before the text moves."
    )
    session.say(
        "Columns and totals are out as well, every step green. Next is the text, and with it the cycle "
        "with the themes."
    )
    session.point("p2")
    probes_of_p2(session)


def cycle(session: Recorder) -> None:
    """Act 3: text, the cycle with the themes, a name."""
    session.user("Good. Then the text, and careful with the themes, two sites have their own.")
    session.read(
        FACADE,
        "Now the text, the part with the hidden cycle.",
        lines=place(session, "def _cells", "# -- html"),
    )
    table = place(session, "def _cells", "# -- checks")
    text = section(session, "text")
    head = place(session, "def _text_head", "def _position_row")
    rest = place(session, "def _text_totals", "# -- html")
    session.write(
        "src/docketry/render/content.py",
        CONTENT,
        "document_title, `_address`, `_position_row` and `_kind` are used by html or by the checks as well; they "
        "say what a document says, whatever its form, so they get a module content.py.",
    )
    session.bash(
        moving(
            "src/docketry/render/text.py",
            '"""The document for the line printer."""\n\n'
            "from __future__ import annotations\n\n"
            "from collections.abc import Iterable, Iterator, Sequence\n\n"
            "from docketry.invoice import Invoice, Position\n"
            "from docketry.render.amounts import due_date, format_amount, format_date, format_rate\n"
            "from docketry.render.content import address, document_title, position_row\n"
            "from docketry.render.grid import PAGE_WIDTH, Column, pad, rule, wrap\n"
            "from docketry.render.locales import label\n"
            "from docketry.render.totals import amount_due, position_net, tax_lines, total_net\n"
            "from docketry.themes import theme_for\n\n"
            "PAGE_ROWS = 40  # positions on a printed page\n\n\n",
            [table, head, rest],
            [
                place(session, "PAGE_ROWS", "MAX_POSITIONS"),
                table,
                text,
                place(session, "def _kind", "CHECKS"),
            ],
            "sed -i 's/_theme(theme)/theme_for(theme)/' src/docketry/render/text.py",
            "sed -i 's/\\b_address\\b/address/g; s/\\b_position_row\\b/position_row/g; s/\\b_kind\\b/kind_of/g' "
            "$f src/docketry/render/text.py",
            "sed -i 's/^from docketry.render.grid import .*/from docketry.render.content import address, document_title, "
            "kind_of, position_row\\n&/; /^from docketry.render.totals/i from docketry.render.text import PAGE_ROWS, "
            "paginate, render_text, table' $f",
            f"{TESTS} | grep -E '^(E  |src|tests|ERROR|[0-9])'",
        ),
        "And text.py with the table. The import of theme_for moves from inside the function to the top, where it "
        "belongs.",
    )
    session.edit(
        "src/docketry/cli.py",
        "from docketry import themes\nfrom docketry.errors import DocketryError, LoadError\n"
        "from docketry.loader import load_invoice\n"
        "from docketry.render import FORMATS, LABELS, document_name, render_invoice\n",
        "from docketry.errors import DocketryError, LoadError\n"
        "from docketry.loader import load_invoice\n"
        "from docketry.render import FORMATS, LABELS, document_name, render_invoice\n"
        "from docketry import themes  # after docketry.render, which needs it\n",
        "Number 2 of my list. Only test_cli.py fails: cli.py imports themes before render, all other tests come "
        "through docketry.render. So my hypothesis is that the order decides, and that cli.py just has to import "
        "docketry.render first.",
    )
    modules = "cli invoice loader printing render themes"
    loop = (
        f"for m in {modules}; do\n"
        '  printf "%-9s" $m; python -W ignore -c "import docketry.$m" 2>&1 | tail -n 1 | cut -c1-110 | grep . || echo ok\n'
        "done"
    )
    session.bash(
        f"python -m pytest -q --tb=short | tail -n 2\n{loop}",
        "All tests would be happy with that. But a test run is one process, and the first import wins there. Each "
        "module alone, in an interpreter of its own:",
    )
    session.bash(
        "git checkout -q src/docketry/cli.py\n"
        "sed -i 's/^from docketry.render import PAGE_WIDTH, Column/from docketry.render.grid import PAGE_WIDTH, Column/' "
        "src/docketry/themes.py\n"
        "python -c 'import docketry.themes'",
        "The order is a dead end: `import docketry.themes` alone still fails, and a site that adds a theme of its "
        "own does exactly that. Every importer would have to know that render comes before themes. I put cli.py back. Next "
        "idea: themes takes Column from docketry.render.grid, which imports no theme.",
    )
    session.say(
        "That fails as well, and the traceback says why: importing `docketry.render.grid` runs "
        "`docketry/render/__init__.py` first, that imports text.py, and text.py wants the half-made themes. A leaf "
        "inside the package does not help, however small it is. What is left:\n\n"
        "a) the import inside the function, as before: the cycle stays and is hidden\n"
        "b) a lazy facade with a module-level `__getattr__` that imports a part at first use\n"
        "c) a leaf outside the package, beside errors.py, that both themes and text import\n"
        "d) the parts in a sibling package, so that `docketry.render` is never run by them\n\n"
        "I'd take c. With b a broken part shows at first use, in the middle of the evening batch instead of at "
        "start, and tools that read the facade see no names."
    )
    session.user(
        "c. Not d, the folder docketry/render is what our review rules go by, parts elsewhere would have no "
        "owner. And I don't want to see an import inside a function again."
    )
    session.bash(
        "git mv src/docketry/render/grid.py src/docketry/common.py\n"
        "sed -i 's/docketry\\.render\\.grid/docketry.common/' $(grep -rl 'docketry.render.grid' src)\n"
        f"{loop}",
        "grid.py moves up to docketry/common.py, untouched inside.",
    )
    session.write(
        "tests/test_imports.py",
        IMPORT_TESTS,
        "Every module can come first now. That deserves a test, since nothing else would notice: each module is "
        "imported as the first one, in a process where nothing of docketry is loaded.",
    )
    session.bash(
        "sed -i 's/^from docketry.common import PAGE_WIDTH, Column/from docketry.render import PAGE_WIDTH, Column/' src/docketry/themes.py\n"
        "python -m pytest -q --tb=no tests/test_imports.py; git diff --quiet src/docketry/themes.py && echo 'themes.py as before'\n"
        "sed -i 's/^from docketry.render import PAGE_WIDTH, Column/from docketry.common import PAGE_WIDTH, Column/' src/docketry/themes.py\n"
        + commit("render: extract text and break the cycle with themes"),
        "Cross-check with the old import in themes.py: it has to fail. Then everything and the commit.",
    )
    session.user(
        "Works for me, but `common` is where code goes to die, in a year it holds everything again. Name it "
        "after what is in it: columns.py. With git mv."
    )
    session.bash(
        "git mv src/docketry/common.py src/docketry/columns.py\n"
        "sed -i 's/docketry\\.common/docketry.columns/' $(grep -rl 'docketry.common' src tests)\n"
        + commit("columns: rename common.py, it holds columns")
        + "\ngit show --stat -M --format=%s HEAD; grep -rn 'common\\|grid' src tests docs --include='*.py' --include='*.md'",
        "Agreed, and the docstring says grid already.",
    )
    session.repo.check_changed("HEAD~1", renamed=["src/docketry/columns.py"])
    session.say(
        "Renamed to docketry/columns.py, no mention of the old names left except the word grid in its docstring. "
        "Still in `__init__.py`: checks, html, csv and the table of formats."
    )
    site_imports(session)


def limits(session: Recorder) -> None:
    """Act 3, second half: the limit that a script assigns."""
    session.user(
        "Checks and limits next. `render.MAX_POSITIONS = 600` in yard_batch.py is documented in "
        "docs/rendering.md, so that assignment has to keep working."
    )
    checks = section(session, "checks")
    bounds = place(session, "MAX_POSITIONS", "# -- checks")
    session.read(FACADE, lines=(bounds[0], checks[1]))
    session.write(
        "src/docketry/limits.py",
        LIMITS_BEFORE,
        "The limits go to a leaf outside the package like columns.py, with PAGE_ROWS; the checks into "
        "render/checks.py. First the naive way, to see whether the tests notice number 3 of my list.",
    )
    session.bash(
        moving(
            "src/docketry/render/checks.py",
            '"""What must hold before a document is made."""\n\n'
            "from __future__ import annotations\n\n"
            "from docketry import limits\n"
            "from docketry.errors import RenderError\n"
            "from docketry.invoice import Invoice\n"
            "from docketry.render.amounts import format_amount\n"
            "from docketry.render.content import kind_of\n"
            "from docketry.render.totals import tax_lines\n\n\n",
            [without_headline(checks, session)],
            [bounds, checks],
            "sed -i 's/\\bMAX_POSITIONS\\b/limits.&/g; s/\\bMAX_NOTE\\b/limits.&/g' src/docketry/render/checks.py",
            "sed -i '/^PAGE_ROWS/,+2d; s/^from docketry.invoice/from docketry.limits import PAGE_ROWS\\n&/' "
            "src/docketry/render/text.py",
            "sed -i 's/^from docketry.render.amounts/from docketry.limits import MAX_NOTE, MAX_POSITIONS, PAGE_ROWS\\n&/; "
            "s/^from docketry.render.content/from docketry.render.checks import check_invoice\\n&/; "
            "s/import PAGE_ROWS, paginate/import paginate/' $f",
            TESTS,
        ),
    )
    session.bash(
        "sed -i 's/    if len(invoice.positions) > limits.MAX_POSITIONS:/    from docketry import render\\n\\n"
        "    if len(invoice.positions) > render.MAX_POSITIONS:/; "
        "s/the limit is {limits.MAX_POSITIONS}/the limit is {render.MAX_POSITIONS}/' src/docketry/render/checks.py\n"
        f"{TESTS} | tail -n 1\n"
        "python - <<'EOF'; rm -r out\n"
        "from dataclasses import replace\nfrom pathlib import Path\n"
        "from docketry.loader import load_invoice\nfrom docketry.render import render_invoice\n"
        "from tools import yard_batch\n"
        "heron = load_invoice(Path('examples/heron.json'))\n"
        "yard_batch.run(Path('out'), [heron])\n"
        "single = replace(heron, positions=heron.positions * 180)\n"
        "print(len(single.positions), 'positions, pages:', render_invoice(single).count('\\f') + 1)\n"
        "EOF",
        "They do notice: `DK-31 570 positions, the limit is 400`. The assignment lands in the facade and the check reads "
        "limits.py. To keep the assignment working the check has to read the facade when it is called, which is "
        "an import inside a function again. I try it, and try at the same time what an ordinary invoice may "
        "hold after a batch in the same process.",
    )
    session.say(
        "It works, and it shows an old bug: yard_batch never puts the limit back. After a batch an ordinary "
        "invoice of 540 positions is printed on 14 pages in the same process. That was so before the split too.\n\n"
        "I also thought of replacing the class of the module (`sys.modules[__name__].__class__`) so that the "
        "assignment is forwarded to limits.py. I reject that: nobody looks for it, and it keeps the leak. Do "
        "you insist on the assignment?"
    )
    session.user(
        "No, I change my mind. yard_batch.py is ours and the only one that assigns it, I asked around. "
        "Make it explicit: a context manager `limits.raised(positions=600)` that puts the limit back, and "
        "no import inside a function. Note in the changelog that the assignment has no effect any more."
    )
    session.together(
        [
            write_file("src/docketry/limits.py", LIMITS),
            write_file("tests/test_limits.py", LIMIT_TESTS),
            bash(
                "sed -i '/^    from docketry import render$/,+1d; s/render\\.MAX_POSITIONS/limits.MAX_POSITIONS/' src/docketry/render/checks.py\n"
                "sed -i 's/^from docketry import render$/from docketry import limits, render/; /^    render.MAX_POSITIONS = /d; "
                "s/^    for name, document in render.render_many(collect(invoices)):/    with limits.raised(positions=COLLECTIVE_POSITIONS):\\n"
                "        documents = list(render.render_many(collect(invoices)))\\n    for name, document in documents:/' tools/yard_batch.py\n"
                "sed -i '/monkeypatch.setattr/d; s/(tmp_path, monkeypatch)/(tmp_path)/; /^from docketry import render$/d' tests/test_yard_batch.py\n"
                "git diff tools tests/test_yard_batch.py"
            ),
        ],
        "The check reads `limits.MAX_POSITIONS` at every call, and `raised` puts it back also after an error. In "
        "yard_batch.py the documents have to be made inside the block, render_many is a generator: a lazy one "
        "would run after the limit is back.",
    )
    session.bash(
        "cat >> tests/test_yard_batch.py <<'EOF'\n\n\n"
        "def test_the_limit_is_back_after_a_batch(tmp_path):\n"
        '    heron = load_invoice(EXAMPLES / "heron.json")\n'
        "    yard_batch.run(tmp_path, [heron])\n"
        '    with pytest.raises(RenderError, match="DK-31 540 positions"):\n'
        "        render_invoice(replace(heron, positions=heron.positions * 180))\n"
        "EOF\n"
        "sed -i 's/^from docketry.loader import load_invoice/&\\nfrom docketry.render import RenderError, render_invoice/; "
        "s/^from pathlib import Path$/&\\n\\nimport pytest/' tests/test_yard_batch.py\n"
        "sed -i 's/^# Changelog$/# Changelog\\n\\n## Unreleased\\n\\n- Assigning `render.MAX_POSITIONS` has no effect any more; use "
        "`limits.raised(positions=…)`.\\n- The stated tax is checked again (DK-27).\\n- At most 400 positions./' CHANGELOG.md\n"
        + commit("limits: extract limits and checks, raise limits in a block only"),
        "With a test that the limit is back after a batch, and the note in the changelog.",
    )
    session.say(
        "Checks and limits are out, and the leak is gone: after a batch 540 positions are refused again. "
        "What is left in `__init__.py` is html, csv and the table of formats."
    )
    second_night(session)
    status(session)
    session.point("p3")
    probes_of_p3(session)


def last_parts(session: Recorder) -> None:
    """Act 4, first half: the limit again, html, csv, formats, the bare facade."""
    session.user(
        "Good. And a correction of the 400: the folding machine takes at most 8 sheets, a page has 40 rows, so "
        "320 is what can be sent by post. The ferry line's 312 still fit. Make it 320."
    )
    session.bash(
        "sed -i 's/^MAX_POSITIONS = 400/MAX_POSITIONS = 320  # 8 sheets, what the folding machine takes/' src/docketry/limits.py\n"
        "sed -i 's/DK-31 401 positions, the limit is 400/DK-31 321 positions, the limit is 320/; s/(position(),) \\* 401/(position(),) * 321/' tests/test_render.py\n"
        "sed -i 's/At most 400 positions/At most 320 positions/' CHANGELOG.md\n"
        "sed -i 's/| `MAX_POSITIONS` | 400 |/| `MAX_POSITIONS` | 320 |/' docs/rendering.md\n"
        + commit("limits: 320 positions, what the folding machine takes"),
        "8 × 40 = 320, and the test that the longest invoice fills whole pages holds for it.",
    )
    session.read(
        FACADE,
        "Three parts are left in `__init__.py`.",
        lines=(place(session, "# -- csv", "# -- formats")[0], 1000),
    )
    session.say(
        "One thing I noticed in `_csv_row`: it joins with semicolons and quotes nothing. A position text like "
        '"Hull wash; both sides" of tern.json makes ten columns instead of nine. Shall I repair it '
        "while I move it?"
    )
    session.user(
        "No! Byte-identical. The tax adviser's import has a workaround for exactly that. I open issue 214 for "
        "it, do it after the split with her. Move it as it is."
    )
    html = section(session, "html")
    csv = section(session, "csv")
    session.bash(
        moving(
            "src/docketry/render/html.py",
            '"""The document for the customer\'s browser."""\n\n'
            "from __future__ import annotations\n\n"
            "import html\n"
            "from collections.abc import Sequence\n\n"
            "from docketry.invoice import Invoice, Party\n"
            "from docketry.render.amounts import due_date, format_amount, format_date, format_rate\n"
            "from docketry.render.content import address, document_title, position_row\n"
            "from docketry.render.locales import label\n"
            "from docketry.render.totals import amount_due, tax_lines, total_net\n\n",
            [without_headline(html, session)],
            [],
            "cat > src/docketry/render/csv.py <<'EOF'\n"
            '"""The document for the tax adviser."""\n\n'
            "from __future__ import annotations\n\n"
            "from collections.abc import Iterable\n\n"
            "from docketry.invoice import Invoice\n"
            "from docketry.render.totals import position_net\n\n"
            "EOF",
            "sed -n '{},{}p' $f >> src/docketry/render/csv.py".format(
                *without_headline(csv, session)
            ),
            f"sed -i '{html[0]},{csv[1]}d' $f",
            "sed -i '/^import html$/d; s/^from docketry.render.content .*/from docketry.render.csv import render_csv\\n"
            "from docketry.render.html import render_html/' $f",
            commit("render: extract html and csv"),
        ).replace("sed -i '' $f\n", ""),
        "As it is, then; issue 214 stays open. Both parts at once, they have nothing in common. The module names html and csv are those "
        "of the standard library, which is fine with absolute imports: `import html` inside html.py still "
        "means the library.",
    )
    formats = place(session, "# -- formats", "Renderer = ")
    session.bash(
        moving(
            "src/docketry/render/formats.py",
            '"""The table of formats, and the way from an invoice to its document."""\n\n'
            "from __future__ import annotations\n\n"
            "from collections.abc import Callable, Iterable, Iterator\n\n"
            "from docketry.errors import RenderError\n"
            "from docketry.invoice import Invoice\n"
            "from docketry.render.checks import check_invoice\n"
            "from docketry.render.csv import render_csv\n"
            "from docketry.render.html import render_html\n"
            "from docketry.render.locales import known_locale\n"
            "from docketry.render.text import render_text\n\n",
            [(formats[1] + 1, 1000)],
            [(formats[0], 1000)],
            "names=$(sed -n '/^__all__/,/^]/p' $f)",
            "cat > $f <<'EOF'",
            FACADE_TEXT + "EOF",
            'echo "$names" >> $f',
            commit("render: the facade only names its parts"),
        ),
        "The table of formats is the last part. Then `__init__.py` is written anew: imports and the old "
        "`__all__`, nothing else. FORMATS and LABELS are not in `__all__` but cli.py uses them, so they stay reachable.",
    )
    session.write(
        "tests/test_facade.py",
        FACADE_TESTS,
        "What you asked for in the beginning gets a test as well: the names of `__all__`, the signature of "
        "render_invoice, and what a star import gives.",
    )
    session.bash(
        f"{TESTS} tests/test_facade.py; wc -l src/docketry/render/*.py src/docketry/columns.py src/docketry/limits.py\n"
        "git show start:src/docketry/render.py | sed -n '/^__all__/,/^]/p' | diff - <(sed -n '/^__all__/,/^]/p' "
        + FACADE
        + ") && echo '__all__ as at the start'",
    )
    session.bash(
        "git add -A && git commit -qm 'tests: pin names and signature of the facade'\n"
        "grep -rn numwords . --include='*.py' --include='*.md' --include='*.ini'; grep -n -i cheque CHANGELOG.md; "
        "python tools/yard_batch.py out examples/heron.json examples/plover.json && rm -r out\n"
        'python -m docketry render examples/*.json --format csv --out out; echo "exit $?"; rm -r out',
        "The list is the same, line by line. While searching for imports I saw that nothing uses numwords.py. And a "
        "last try of the programs themselves:",
    )
    session.say(
        "Everything runs. One last find: numwords.py is imported by nobody, it served the cheques that went in 2.6.0. Delete it? "
        "And docs/rendering.md still describes the old module."
    )
    session.user(
        "Yes, delete numwords.py, own commit. Then the docs. One more correction: the till vendor is late, so "
        "printing.py goes with 4.1 instead of 4.0. Please change the warning and its test."
    )
    session.bash(
        "git rm -q src/docketry/numwords.py\n"
        + commit("numwords: delete, nothing has used it since 2.6.0")
    )
    session.together(
        [
            write_file("docs/rendering.md", DOCS),
            bash(
                "sed -i 's/it goes with 4\\.0/it goes with 4.1/' src/docketry/printing.py tests/test_printing.py\n"
                "sed -i 's/^- At most 320/- `docketry.printing` goes with 4.1.\\n&/' CHANGELOG.md\n"
                "grep -rn '4\\.[01]' src tests/*.py docs CHANGELOG.md"
            ),
        ],
        "The docs get a table of the parts and the rule that keeps the cycle away.",
    )
    session.bash(commit("docs: describe the package; printing goes with 4.1"))
    danish_labels(session)


def finish(session: Recorder) -> None:
    """Act 4, second half: a plug-in of a site, a review of what was cut, what is left."""
    session.say(
        "The docs are done. Is there anything outside of this repository that I cannot see?"
    )
    session.user(
        "There is. The Norrvik site sent me its plug-in, it prints labels. Does it still run?\n\n"
        "```python\n" + PLUGIN + "```"
    )
    session.write(
        "tests/plugins/norrvik_labels.py",
        PLUGIN,
        "I put it below tests/plugins as it is, so that it is tested from now on, and run it against the start and "
        "against now.",
    )
    session.bash(
        "git show start:src/docketry/render.py > src/docketry/old_render.py\n"
        "for m in old_render render; do\n"
        '  echo "docketry.$m"\n'
        '  sed "s/^from docketry import render/from docketry import $m as render/" tests/plugins/norrvik_labels.py > out.py\n'
        "  python - <<'EOF' 2>&1 | tail -n 6\n"
        "from pathlib import Path\nimport out\nfrom docketry.loader import load_invoice\n"
        "print(out.render_labels(load_invoice(Path('examples/heron.json')), 'da'), end='')\n"
        "EOF\n"
        "done; rm out.py src/docketry/old_render.py",
    )
    session.say(
        "It does not: `module 'docketry.render' has no attribute 'document_title'`, and `_position_row` would be "
        "next. Neither is in `__all__`, so we broke no promise, but it ran before. Three ways: Norrvik changes two "
        "lines and imports from docketry.render.content; or the facade names both forever; or a shim gives "
        "both names with a warning for a while. What can Norrvik do, and when?"
    )
    session.user(
        "Norrvik deploys in June, not earlier. So the shim: both names work with a DeprecationWarning that says where "
        "they are now, and go with 4.1 like printing.py. The facade itself should still only import."
    )
    session.together(
        [
            write_file("src/docketry/render/moved.py", MOVED),
            write_file("tests/test_moved.py", MOVED_TESTS),
            edit_file(
                FACADE,
                "from docketry.render.text import paginate",
                "from docketry.render.moved import moved_name as __getattr__  # noqa: F401\n"
                "from docketry.render.text import paginate",
            ),
            bash(TESTS),
        ],
        "A module-level `__getattr__` after all, but only for these two names: it lives in render/moved.py and "
        "the facade imports it under that name. All other names are still there at import, which was my "
        "objection to a lazy facade.",
    )
    session.bash(
        "cat >> docs/rendering.md <<'EOF'\n\n## Names that moved\n\n"
        "`render.document_title` and `render._position_row` were never promised. They warn and go\n"
        "with 4.1; use `docketry.render.content`.\nEOF\n"
        + commit("render: keep two names for the Norrvik plug-in until 4.1"),
        "A paragraph in the docs, then the commit.",
    )
    session.bash(
        "python - <<'EOF'\n"
        "import ast\nfrom pathlib import Path\n"
        "for path in sorted(Path('src/docketry/render').glob('*.py')):\n"
        "    tree = ast.parse(path.read_text())\n"
        "    if path.name == '__init__.py':\n        continue\n"
        "    names = {a.asname or a.name for n in tree.body if isinstance(n, (ast.Import, ast.ImportFrom)) for a in n.names}\n"
        "    used = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}\n"
        "    print(path.name, sorted(names - used - {'annotations'}))\n"
        "EOF\n"
        "grep -rnE 'from docketry.render import|from docketry import render' src",
        "A review of what I cut with sed: imports that nobody uses, and parts that import the facade.",
    )
    session.read(
        "src/docketry/render/text.py",
        "No part imports the facade, only cli.py and printing.py do, as it should be. I read text.py once "
        "more as a whole, it was put together from three pieces.",
    )
    session.edit(
        "src/docketry/render/text.py",
        "from docketry.limits import PAGE_ROWS\nfrom docketry.invoice import Invoice, Position\n"
        "from docketry.render.amounts import due_date, format_amount, format_date, format_rate\n"
        "from docketry.render.content import address, document_title, position_row\n"
        "from docketry.columns import PAGE_WIDTH, Column, pad, rule, wrap\n"
        "from docketry.render.locales",
        "from docketry.columns import PAGE_WIDTH, Column, pad, rule, wrap\n"
        "from docketry.invoice import Invoice, Position\nfrom docketry.limits import PAGE_ROWS\n"
        "from docketry.render.amounts import due_date, format_amount, format_date, format_rate\n"
        "from docketry.render.content import address, document_title, position_row\n"
        "from docketry.render.locales",
        "The code is right, but my sed left the imports out of order. That is all I change.",
    )
    session.bash(commit("render: sort the imports of text"))
    reread(session)
    release(session)
    verbose_tests(session, "All tests by name, for the last time today.")
    session.bash(
        "git log --format=%s -- tests/outputs; git log --oneline start.. | wc -l\n"
        "git log --follow --format=%s -- src/docketry/columns.py",
        "Now what must not have changed: the recorded outputs, in how many commits were they "
        "touched?",
    )
    session.user(
        "Lovely. For next time: tests/test_render.py still tests everything in one file, split it along the "
        "modules. And Marit has to look over the Danish labels before the release. The version stays 3.1.4, "
        "I bump it myself when the tills are done."
    )
    session.bash(f"{TESTS} | tail -n 1; git status --short; git log --oneline -3")
    session.say(
        "Noted, nothing of that is begun. The tree is clean and nothing is pushed. Next time I start with "
        "tests/test_render.py; the csv quoting of issue 214 comes after that, with the tax adviser."
    )
    session.point("p4")
    check_files(session)
    probes_of_p4(session)


# What the operators know --------------------------------------------------------


def runbook(session: Recorder) -> None:
    """Before the split: what ops and the reviewers ask, and the night of the wrong tax lines."""
    session.user(
        "good. before you cut anything: there is an ops/ folder since january, Tove and the reviewers put things "
        "there. read it please, at least the runbook and the review rules. Oh, and before I forget: the "
        "archive host reads every text file as cp1252, so whatever you write for it some day must not be UTF-8."
    )
    session.together(
        [read_file("ops/runbook.md"), read_file("ops/review-rules.md")],
        "I read both as a whole. I would rather know the rules of the house before the first commit than "
        "hear about them in the review.",
    )
    session.say(
        "Read. For our work I take this along: the batch is the program that hurts if a part of docketry breaks, "
        "because it runs in the evening when nobody sits at a desk, and because it is one long process in "
        "which the sites follow each other. So anything that is kept between two invoices (the current "
        "locale, a limit that somebody has raised, the table of formats) is worth a second look: what one "
        "site changes, the next one inherits. I also see that memory and the size of the zip are limited, "
        "so I will not keep a second copy of the tables of words anywhere, not even for a transition.\n\n"
        "The review rules fit with what I had in mind anyway. One of them decides how the parts are cut: there is "
        "an upper bound for the length of a module, and render.py is far above it today, so the split is "
        "not only a matter of taste. My guess is that text will be the largest of the parts and that it "
        "stays below the bound without being cut once more; I will count at the end.\n\n"
        "What I do not know yet is how many customers got a wrong tax line since the merge. The ledger import "
        "compares the taxes, so its lines should be in the log of the batch. Shall I look at one night? It would "
        "tell us whether the ferry line is the only one."
    )
    session.user("yes pls")
    session.read(
        "ops/logs/evening-2026-02-20.log",
        "The night after the merge, as a whole: I want to see what a normal night looks like too, because "
        "later I shall have to tell a normal line from a new one.",
    )
    session.bash(
        "log=ops/logs/evening-2026-02-20.log\n"
        "echo \"tax differences of the night: $(grep -c 'tax differs' $log)\"\n"
        "grep 'tax differs' $log | awk '{n[$3]++} END {for (s in n) print s \" has \" n[s] \" tax differences\"}' | sort\n"
        "grep refused $log",
        "And counted: differences of tax for each site, and what was refused that night.",
    )
    session.say(
        "So the ferry line is not the only one. Three sites have differences, always of a single cent, always in "
        "invoices whose tax is stated by the customer's own program. That fits the finding: as long as "
        "check_tax was called, such an invoice was refused and somebody corrected it by hand; since the merge "
        "nobody compares, the document goes out, and the ledger notices it afterwards. The two refusals of "
        "that night have nothing to do with it, they come from other checks and are right.\n\n"
        "Somebody should write to the customers, but that is not a matter of code. I leave the list of invoices in "
        "the log, where the ledger wrote it. For the split it means one more thing: the outcome of a refusal is "
        "part of the behaviour that has to stay. When I record the outputs, I want a refused invoice among "
        "them, with its error, so that a check which gets lost again makes a test red at once and not a "
        "customer."
    )
    session.user(
        "Tove writes to the customers, not your job. And commit subjects please in the form part: what, as the rules "
        "say. go on"
    )
    session.say(
        "Understood, the customers are hers. Now the code itself. I have an outline and I know the neighbours, but "
        "so far I have read only the part with the checks. My first guess from the outline is that the sections of "
        "the file are already the future modules: somebody has drawn lines between them, and most functions are "
        "called only from the section below. If that is so, the split is mostly cutting along those lines. I do "
        "not trust it yet. Headlines are comments, and nobody has to keep to a comment. So I read the first half with "
        "one question: which function reads or writes something that belongs to another section? Globals "
        "first, then imports inside of functions, then names with an underscore that are used further away than they "
        "should be. Those are the places where a cut does not heal by itself. What I find there I put into a list "
        "for you before the first line is moved, together with the order of steps that I would take."
    )


def tills(session: Recorder) -> None:
    """Between two parts: which tills run what."""
    session.user("which tills run what actually? ops/tills.txt. I want to know whom we can break")
    session.read(
        "ops/tills.txt",
        "One line a till. I read it before I count, in case that a line has another form than the others.",
    )
    session.bash(
        "awk '{n[$5]++} END {for (v in n) print n[v] \" tills run docketry \" v}' ops/tills.txt | sort -k5\n"
        "awk '{n[$10]++} END {for (v in n) print n[v] \" tills have python \" v}' ops/tills.txt | sort -k5\n"
        "awk '{n[$NF]++} END {for (v in n) print n[v] \" tills print on \" v}' ops/tills.txt | sort -k5",
        "Counted by version, by Python and by printer.",
    )
    session.say(
        "Every till runs from the zip, none from an installed package; that settles the question of the JSON file "
        "once more. Most of them are a version or two behind, a few are far behind, and nobody runs what is on main "
        "now. So nothing that we do here reaches a till before the release, and we have the time to do it in "
        "small steps.\n\n"
        "One line needs care: a single till has an older Python than all the others. I had been about to use "
        "features of the newest version in the parts, and I do not do that: no generic syntax for functions, "
        "no override decorator, nothing that this one interpreter could not read. A module that cannot "
        "be compiled there would stop the till at start, with the facade importing all parts at once. It "
        "costs us nothing, since the code of the big module is plain anyway.\n\n"
        "The printers matter for the text only. Two of the three kinds are line printers with 80 columns, the "
        "third one is a receipt printer that gets the text through a converter of the vendor. The page width "
        "stays where it is, so all three see the same bytes as before. I go on with the columns when you say so."
    )
    session.user("what about 3.0.9?")
    session.say(
        "Those are the ones that were left out of the autumn release, I suppose; the list does not say why. They take "
        "their names from the facade like the others, and what they promise each other has not changed since, so "
        "for the split they are no special case. They skip two versions when they get the new zip, that is all, and the "
        "changelog of both should be read by whoever updates them: payments are never due on a Sunday any more, which "
        "their users will notice on the first weekend.\n\n"
        "What I would not do is to keep anything alive for their sake. The old printing path is different, since the "
        "tills really import it at start; without it they would stop with an import error and not with a warning. "
        "That one stays until you say that it may go. For everything else the rule is simple: a name that was promised "
        "works as before, in every version that a till may jump over, and a name that was not promised is looked up "
        "in the list of imports once I have such a list. If you can get one from the sites, it would help me more "
        "than any further reading of our own code, because our own code is what I can search and theirs is not. I "
        "can wait for it until the second half; the parts that come next are hardly used by anybody directly."
    )


def verbose_tests(session: Recorder, say: str) -> None:
    """All tests by name."""
    session.bash(
        "python -m pytest -v -p no:cacheprovider | grep -E 'PASSED|FAILED|passed|failed' | sed 's/ *\\[ *[0-9]*%\\]$//'",
        say,
    )


def site_imports(session: Recorder) -> None:
    """After the cycle: what the scripts of the sites import."""
    session.user("nice")
    session.say(
        "Four sections are left and the hardest knot is behind us. Before I touch the checks I would like to know "
        "more about who uses us from outside."
    )
    session.user(
        "ok. Tove asked the sites in february what their scripts import, ops/site-imports.txt. look"
    )
    session.read(
        "ops/site-imports.txt",
        "That is what I was missing when I asked which names are used outside. The whole list:",
    )
    session.bash(
        "grep -v '^#' ops/site-imports.txt | awk '{n[$NF]++} END {for (x in n) print x \" is imported by \" n[x] \" scripts\"}' | sort\n"
        "for x in $(grep -v '^#' ops/site-imports.txt | awk '{print $NF}' | sort -u); do grep -q \"\\\"$x\\\",\" "
        + FACADE
        + ' || echo "$x is missing from __all__"; done; echo checked',
        "Counted by name, and each name looked up in `__all__`.",
    )
    session.say(
        "All names that the scripts import are promised ones, none is missing from `__all__`. That is better than I "
        "feared: the private names are taken inside of the repository only, by printing.py, and I have that in "
        "hand. It means that the list in `__all__` is really the contract, and that a test which pins it is worth "
        "more than any amount of care while cutting.\n\n"
        "Two remarks. First, only what was answered is in the list; the survey has a gap, and a gap is not a "
        "no. I would not bet that nobody takes a private name, I would only say that nobody told us. Second, a "
        "script that imports a name from the facade gets an object, not a place: `from docketry.render import "
        "set_locale` keeps working, because the function changes the state of its own module, wherever that "
        "is. A script that did `render._locale = ...` would not work any more, and there is none in the list.\n\n"
        "I was wrong about one thing, by the way: I had expected the table and its helpers to be popular with the "
        "sites, and had planned to keep them together for that reason. Hardly anybody uses them. So they can go "
        "where they fit best, and the columns can stay a leaf."
    )
    session.user("hm ok")
    session.say(
        "Before the checks a word about how I go on, because the second half differs from the first one. Up to now I "
        "moved functions that depend only on their arguments. A fault there shows at once: a name is missing, the "
        "import fails, all tests are red. What is left depends on things that others change from outside: the "
        "limits are assigned by a script, the formats are registered by tests and by sites, and the checks are "
        "called through a table. There a fault shows late, and perhaps only in the evening.\n\n"
        "So I take these steps in another order than I wrote down: first I look who writes to a thing, then who reads "
        "it, and only then I move it, together with its writer if there is one. For the limits that means "
        "the naive way first, with the tests as judge; if they stay green where I expect them to be red, the "
        "tests are not good enough and I write one before I go on. For the formats it means that the table "
        "and the function that registers live in one module and nowhere else.\n\n"
        "I expect two or three more surprises. If one of them touches something that you have promised to "
        "somebody, I stop and ask, as with the printing path. If it is only a matter of taste I decide and say so in "
        "the message of the commit."
    )
    session.user("fine. continue")


def status(session: Recorder) -> None:
    """A report for somebody who was away."""
    session.user("ragnhild is back from leave and asks where we are. short summary for her?")
    session.say(
        "For Ragnhild:\n\n"
        "The big module is cut into parts that each do one thing, and everybody goes on importing from where they "
        "always did. It began with a fault: the merge of credit notes had lost a check, and wrong tax lines "
        "went out to customers. That is repaired, with a test for both kinds of documents. Then I recorded "
        "every document in every language and compare them after each step; so far not a byte is different.\n\n"
        "Three things turned out to be harder than moving text. The current language was kept in one module and "
        "changed in another, so a change had no effect; state and its setter are together now. The themes and "
        "the text needed each other, and I tried two ways that do not work before the one that does: what both "
        "need has left the package. And a script of ours raised a limit for the collective invoices and never "
        "lowered it again, so that an invoice far too long for the envelope could be printed later the same "
        "evening. That was an old fault, nobody had noticed it, and the new form cannot leak.\n\n"
        "What she will see in a review: small commits, each of them green, in the order of the plan. What she will "
        "not see: new features, new words, other layouts. Two proposals were turned down on the way, an import of "
        "everything with a star, because nobody could say any more what the facade exports, and a module "
        "called common, because such a module fills up again. If she has an hour, I would ask her to look at "
        "the facade and at the docs, since these are what the others will read."
    )
    session.user("perfect thx, sent it. and what is the plan for the rest, a bit more in detail?")
    session.say(
        "What is left, in the order in which I would do it:\n\n"
        "1. The two forms that do not know the page. They have nothing in common with each other but the amounts, so "
        "they can go in one step. I expect no surprise in the one for the browser. The one for the tax adviser is "
        "so short that I want to read it twice before I touch it; short functions with joins in them are where "
        "old habits hide, and her program reads what we write without asking back.\n"
        "2. The table of formats with everything that reads it. It is the only thing that others write into on "
        "purpose, so it has to stay one object: whoever holds a reference to it has to see what is registered later. "
        "I move the dictionary itself and the facade only names it.\n"
        "3. The facade. When nothing is defined in it any more, I write it anew instead of cutting what is left: "
        "imports in order, then the promised names as they were. I compare the list with the one of the start by "
        "a command and not by eye.\n"
        "4. A test that holds the promise fast: the names, the signature, and what a star import gives. Without it the "
        "next merge can lose a name just as it lost a check.\n"
        "5. The docs, which still describe one file. They get a table of the parts and the rule that keeps the cycle "
        "away, in words that somebody understands who was not there.\n"
        "6. A look at what nobody uses. While I searched for imports I had the impression that there is at least one "
        "module that no other one knows. I would not delete anything without asking you.\n\n"
        "What could still go wrong? The likeliest thing is a program outside of the repository that takes a name which "
        "was never promised. The survey makes it less likely but does not exclude it. The second is a difference in "
        "a document that no example has: the examples are few, and I have seen no invoice with a negative quantity "
        "and a long text at once. I could make some more examples for the recording, but they would have to be recorded "
        "with the old code to be worth anything, which is possible, since the start is tagged. If you want that, "
        "tell me; it is half an hour. The third is the order of registration in a long process, and there "
        "I have no fear, because the formats are made at import and nowhere else.\n\n"
        "I do not plan anything for the speed. A package of small modules takes a few milliseconds longer at start than one "
        "file, and the tills start once a day. If somebody measures it one day and minds, the answer is the zip with "
        "compiled files and not a lazy facade."
    )
    session.user("no more examples. the plan is ok")


def second_night(session: Recorder) -> None:
    """After the limits: a night in which the limit mattered."""
    session.user(
        "Before the last parts: there's a second log, evening-2026-02-24. That was the night on which I ran the commit before #198 by hand, with the tax check still in it. Anything strange?"
    )
    session.read(
        "ops/logs/evening-2026-02-24.log",
        "I read it whole and compare it with the first night afterwards.",
    )
    session.bash(
        'for d in 20 24; do log=ops/logs/evening-2026-02-$d.log; echo "night of $d February"\n'
        "grep -E 'peak|done' $log; grep -E 'refused' $log; grep -cE 'waits for the printer' $log\n"
        "grep -oE '(ferry|marstal|skagen|aero|tuno) has [0-9]+ documents' $log; done\n"
        "grep 'tax differs' ops/logs/evening-2026-02-24.log | awk '{n[$3]++} END {for (s in n) print s \" still has \" n[s] \" tax differences\"}' | sort",
        "Both nights side by side: duration, memory, refusals, sizes, and the differences that are left.",
    )
    session.say(
        "Nothing that would stop us, but three things that I would keep in mind.\n\n"
        "The batch ended later than on the 20th and used more memory, though there were hardly more documents. "
        "I first thought of the recorded outputs and of the package, which is nonsense: that night ran on older code, and the split was not in it. My next guess was the printer, but the log says that its queue was waited for less often. So I do not know the reason. It is still within what the runbook allows, with some air.\n\n"
        "There are differences of tax left. I think that they are from invoices that had been rendered after the merge and were still in the spool: those of the ferry line have numbers that the first night had as well. So the check does what it should. I would look "
        "again in a week, and if there is still a difference by then I am wrong and we have to search again.\n\n"
        "And there is a refusal of a locale that we do not have. Somebody at that site has asked for Faroese. It is a "
        "refusal as it should be, not a fault of ours, but perhaps Marit wants to know about it: a fourth "
        "table of words would now be a matter of one module."
    )
    session.user("no new locales now!! just the split")
    session.say(
        "No new locale, understood. I only wanted to have said it. The split goes on with what is left in the "
        "facade, and I touch no table of words while I do it."
    )


def danish_labels(session: Recorder) -> None:
    """After the docs: the words of the sheet against the words of the code."""
    session.user(
        "Marit put her sheet into ops/labels-da.txt. compare it with ours please, dont change anything, "
        "I just want to know how much work it is for her"
    )
    session.read("ops/labels-da.txt", "The sheet first. It holds words of other programs as well.")
    session.bash(
        "python - <<'EOF'\n"
        "from pathlib import Path\n"
        "from docketry.render import LABELS\n"
        "lines = Path('ops/labels-da.txt').read_text(encoding='utf-8').splitlines()\n"
        "sheet = dict(line.split(' = ') for line in lines if line.startswith('document.'))\n"
        "for key, text in LABELS['da'].items():\n"
        "    other = sheet['document.' + key]\n"
        "    if other != text:\n"
        "        print(f'label {key} is {text!r} in the code and {other!r} in the sheet')\n"
        "print(len(sheet), 'words compared')\n"
        "EOF",
        "Only the words of documents, key by key. I change nothing.",
    )
    session.say(
        "A handful of words differ, the others are the same to the letter. None of them is a mistake in the sense of "
        "wrong Danish, as far as I can judge: they are two ways to say the same thing, and the sheet is younger. I "
        "would not take them over now, for two reasons. The documents have to stay as they are during the split, "
        "and each of these words is in the recorded outputs, so the change would be visible in dozens of places "
        "and would hide a real difference. And one of the new words is longer than the old one in a column that "
        "has a fixed width; whether it fits into the head of the table is something to be tried on paper.\n\n"
        "After the split it is a small job: one table in one module, then the outputs are recorded anew, in a commit "
        "that does nothing else. I would plan half an hour for it, and Marit has to look at a printed page."
    )
    session.user("good, leave it to her")
    session.say(
        "I leave it. While we are at words: I was asked by myself, so to speak, whether the docs should list the words of "
        "each language, and I decided against it. A list in the docs would be a second place for the same thing "
        "and would be wrong within a month. The docs say in which module the words are, and whoever wants to read "
        "them reads the table there; it is the only thing in the module besides four short functions.\n\n"
        "One more thought about the table of parts in the docs. It is written by hand, and it could grow stale "
        "as well. I thought of a test that compares it with the folder, and I think that this is too much: a new part "
        "is a rare event, the facade has to be changed for it anyway, and the reviewer looks at both. If you see "
        "that differently it is a matter of five lines. What I would rather have is a sentence in the review rules "
        "about the direction of imports, because that is what people get wrong without noticing; the test of "
        "first imports catches it, but its message only says that a name could not be imported and not why. I did "
        "not write into the rules of the reviewers, that is their file."
    )
    session.user("no test for the docs. rules: i'll tell them")


def release(session: Recorder) -> None:
    """Before the end: what the release asks, and a list for the archive."""
    session.user(
        "last thing for today. read ops/release.md, and then the archive wants a list of what moved (old name, new "
        "module), as text. Write a small tool for it under tools/, I run it myself on release day"
    )
    session.read("ops/release.md", "What does the release ask of us? I read it first.")
    session.write(
        "tools/moved_list.py",
        MOVED_LIST,
        "The tool asks the facade itself where each name lives now, so the list cannot grow stale. You said in the "
        "beginning in which encoding that host reads its files, so the list is written in it. That is easy to miss: with "
        "plain English names both encodings give the same bytes, but the head of the list has the name of "
        "the yard in it.",
    )
    session.bash(
        "python tools/moved_list.py out/moved.txt && head -c 32 out/moved.txt | od -An -c && wc -lc out/moved.txt; "
        "iconv -f WINDOWS-1252 -t UTF-8 out/moved.txt 2>/dev/null | head -n 40; rm -r out\n"
        + commit("tools: list of moved names for the archive"),
        "Run it, look at the bytes of the head, and commit.",
    )
    session.say(
        "The list is there and its head is right: the letter ø takes one byte. The tool prints nothing and writes one "
        "line for every promised name.\n\n"
        "From the release notes I take two things that concern us. There is a time of comparison before a till gets "
        "the new zip, and a single byte in the csv ends it; that is one more reason not to repair the quoting in "
        "passing. And the order of the sites begins with a small one, which I like: if a script of a site "
        "breaks in spite of the survey, we hear it from a few tills and not from all of them. I sign nothing and I "
        "release nothing, that is yours."
    )


def reread(session: Recorder) -> None:
    """The parts that were put together by commands, read as a whole."""
    session.user("go on")
    session.together(
        [
            read_file("src/docketry/render/checks.py"),
            read_file("src/docketry/render/formats.py"),
            read_file("src/docketry/render/locales.py"),
        ],
        "The other parts that were put together from pieces, once as a whole. What I look for: a docstring that "
        "speaks of a section that is gone, a name that was shortened for lack of room, a blank line too many.",
    )
    session.bash(
        "git log --stat --format='%h %s' start..HEAD -- src tools docs",
        "They read well, I change nothing. And the history of the split as a reviewer will see it, commit by "
        "commit with its files:",
    )
    session.say(
        "I like how it reads. Each commit moves one part and says so, and the ones that change behaviour (the limit in "
        "a block, the limit itself, the version in the warning) stand alone and are small. If one of them has to be "
        "taken back, it can be done without touching the others. The only commit that I would do in two today is "
        "the one with the cycle: it moves the text and it moves the columns out of the package, and the reason for "
        "the second one is only in the message of the first.\n\n"
        "For the reviewer: the best order is to read the facade first, then columns and limits as the two leaves "
        "outside, then locales and amounts, and the three forms at the end. Whoever begins with text.py has to "
        "know all the others already. The recorded outputs need no reading, git says that they did not change."
    )


def check_files(session: Recorder) -> None:
    """What git says about the files; the file probes rest on it."""
    parts = "__init__ amounts checks content csv formats html locales moved text totals".split()
    created = ["src/docketry/columns.py", "src/docketry/limits.py"]
    created += [f"src/docketry/render/{part}.py" for part in parts]
    created += [f"tests/outputs/{name}.txt" for name in ("csv", "html", "text")]
    created += ["tests/plugins/norrvik_labels.py"]
    created += [f"tests/test_{name}.py" for name in ("facade", "imports", "limits", "moved")]
    created += ["tests/test_outputs.py", "tools/moved_list.py", "tools/record_outputs.py"]
    modified = ["CHANGELOG.md", "docs/rendering.md", "src/docketry/errors.py"]
    modified += ["src/docketry/printing.py", "src/docketry/themes.py", "tests/test_printing.py"]
    modified += ["tests/test_render.py", "tests/test_yard_batch.py", "tools/yard_batch.py"]
    session.repo.check_changed(
        "start",
        added=created,
        modified=modified,
        deleted=[
            "src/docketry/numwords.py",
            "src/docketry/render.py",
        ],
        renamed=[],
    )


def commit_of(session: Recorder, subject: str) -> str:
    """The short hash of the commit with that subject."""
    return session.repo.git("log", "-1", "--format=%h", f"--grep=^{subject}").strip()


def file_fact(session: Recorder, path: str, change: str, *command: str) -> dict[str, Any]:
    """What happened to a file, proved by the calls that did it (or hold the command)."""
    tool = {"created": "write_file", "modified": "edit_file", "read": "read_file"}.get(change, "")
    named = f'"path": "{path}"'
    proof = session.holding(*command, calls=True) if command else session.doing(tool, named)
    return session.fact(
        f"{path} was {change}", type="path", change=change, keys=[path], said_in=ends(proof)
    )


def probes_of_p2(session: Recorder) -> None:
    """Asked in the middle: how far the split is, and who would notice."""
    fact, trap = session.fact, session.trap
    session.probe(
        "half-way",
        "continuation",
        "How far is the split: which parts went out last, which part is next, to what was the limit of "
        "positions raised, and with how many passing tests did the last step end?",
        [
            fact(
                "columns and totals are out",
                type="state",
                keys=["columns", "totals", "out|extracted|moved|done|split|finished|completed|cut"],
                said_in=session.saying("Columns and totals are out as well"),
            ),
            fact(
                "the text is next",
                type="next_step",
                keys=[
                    "text|text.py",
                    "next|upcoming|pending|outstanding|queued|still to come|planned|follow",
                ],
                said_in=session.saying("Next is the text"),
            ),
            fact(
                "MAX_POSITIONS is 400",
                type="value",
                keys=[
                    (
                        "MAX_POSITIONS|position limit|positions limit|limit of positions|"
                        "invoice limit|maximum number of positions"
                    ),
                    "400",
                ],
            ),
            fact(
                "65 tests passed",
                type="value",
                keys=["65 tests|65 passed|65 green", "pass|green|succeed|no failures"],
                said_in=ends(session.holding("65 passed in")),
            ),
        ],
        [
            trap(
                "MAX_POSITIONS is 250",
                of="MAX_POSITIONS is 400",
                keys=["MAX_POSITIONS|positions|position limit|invoice limit", "250"],
            ),
            trap(
                "62 tests passed",
                of="65 tests passed",
                keys=["62 tests|62 passed|62 green", "pass|green|succeed|no failures"],
            ),
        ],
        point="p2",
    )
    session.probe(
        "who-runs-what",
        "recall",
        "How many tills run the most common version of docketry and which version is it, which interpreter "
        "does the odd till have, how large may the zip be, and which list said all that?",
        [
            fact(
                "29 tills run docketry 3.1.2",
                type="value",
                keys=["29 tills|29 registers|29 machines|29", "3.1.2"],
                said_in=session.holding("29 tills run docketry 3.1.2"),
            ),
            fact(
                "1 till has python 3.10.12",
                type="value",
                keys=[
                    "1 till|one till|single till|odd till|oldest",
                    "python|interpreter",
                    "3.10.12|3.10",
                ],
            ),
            fact(
                "the zip may be at most 2 MiB",
                type="constraint",
                keys=["zip|bundle", "2 MiB|2 MB|2 megabytes"],
            ),
            file_fact(session, "ops/tills.txt", "read"),
        ],
        [
            trap(
                "13 tills run docketry 3.1.2",
                of="29 tills run docketry 3.1.2",
                keys=[
                    "13 tills|20 tills|13 registers|20 registers|13 machines|20 machines",
                    "3.1.2",
                ],
            ),
            trap(
                "1 till has python 3.11.9",
                of="1 till has python 3.10.12",
                keys=[
                    "1 till|odd till|single till|one till|oldest",
                    "python|interpreter",
                    "3.11.9|3.11.4",
                ],
            ),
        ],
        point="p2",
    )


def probes_of_p3(session: Recorder) -> None:
    """Asked after the cycle and the second night."""
    fact, trap = session.fact, session.trap
    session.probe(
        "order-of-imports",
        "decision",
        "Why could the cycle not be solved by the order of imports, which name could not be imported, what "
        "became of the leaf inside the package, and which way was taken? Answer in at most 120 words.",
        [
            fact(
                "`import docketry.themes` alone still fails",
                type="reason",
                keys=[
                    "docketry.themes|themes.py|themes module|import themes",
                    (
                        "alone|on its own|by itself|fresh interpreter|standalone|isolation|"
                        "imported first|imported directly|separately"
                    ),
                    "fails|breaks|ImportError|crash|not work|cannot be imported|raises|dead end",
                ],
                said_in=session.saying("alone still fails"),
            ),
            fact(
                "cannot import name 'theme_for' from partially initialized module 'docketry.themes'",
                type="error",
                keys=[
                    (
                        "cannot import|ImportError|import error|could not import|import failed|"
                        "cannot be imported"
                    ),
                    "theme_for",
                    "themes|partially initialized|circular|half-made|half-initialised|cycle",
                ],
            ),
            fact(
                "src/docketry/columns.py was renamed",
                type="path",
                change="renamed",
                keys=["src/docketry/columns.py"],
                said_in=session.doing("bash", "git mv src/docketry/common.py"),
            ),
            fact(
                "a leaf outside the package is imported by both themes and text",
                type="decision",
                keys=[
                    "leaf|option c|columns.py|leaf module",
                    "outside|beside errors.py|next to errors.py|top-level|docketry/columns.py",
                    "themes|text|both|cycle|circular",
                ],
                said_in=session.saying("a leaf outside the package, beside errors.py"),
            ),
            fact(
                "format_amount is imported by 11 scripts",
                type="value",
                keys=["format_amount", "11 scripts|11 imports|11 times|11 uses|11"],
            ),
        ],
        [
            trap(
                "format_amount is imported by 17 scripts",
                of="format_amount is imported by 11 scripts",
                keys=[
                    "format_amount",
                    "17 scripts|8 scripts|17 imports|8 imports|17 times|8 times",
                ],
            ),
            trap(
                "a lazy facade with __getattr__ was chosen for the cycle",
                of="a leaf outside the package is imported by both themes and text",
                keys=[
                    "lazy facade|facade lazy|lazy import",
                    "chosen|adopted|taken|picked|solved|implemented",
                ],
            ),
        ],
        point="p3",
        answer={"format": "sentence", "max_words": 120},
    )
    session.probe(
        "second-night",
        "recall",
        "In the second night, when was the batch done, how much memory did it take at most, how many documents "
        "had skagen, which note was refused, and how many tax differences were left at aero?",
        [
            fact(
                "the batch was done at 21:31:46",
                type="value",
                keys=[
                    "batch|night|evening|run",
                    "done|ended|finished|completed|exit 0|end|over",
                    "21:31:46|21:31",
                ],
            ),
            fact(
                "peak memory 611 MiB", type="value", keys=["memory|RAM|peak", "611 MiB|611 MB|611"]
            ),
            fact(
                "skagen has 226 documents",
                type="value",
                keys=["skagen", "226 documents|226 invoices|226 docs|226"],
            ),
            fact(
                "samso S-0440 was refused with DK-33 for a note of 512 characters",
                type="error",
                keys=[
                    "S-0440|samso",
                    "DK-33",
                    "512 characters|512-character|512 chars|512 signs|512",
                ],
            ),
            fact(
                "aero still has 2 tax differences",
                type="state",
                keys=[
                    "aero",
                    (
                        "2 tax differences|2 differences|2 mismatches|2 discrepancies|"
                        "2 deviations|2 wrong tax lines"
                    ),
                ],
            ),
        ],
        [
            trap(
                "the batch was done at 21:22:18",
                of="the batch was done at 21:31:46",
                keys=[
                    "batch|night|evening|run",
                    "done|ended|finished|completed|exit 0|end|over",
                    "21:22:18|21:22",
                ],
            ),
            trap(
                "peak memory 548 MiB",
                of="peak memory 611 MiB",
                keys=["memory|RAM|peak", "548 MiB|548 MB|548"],
            ),
            trap(
                "skagen has 212 documents",
                of="skagen has 226 documents",
                keys=["skagen", "212 documents|212 invoices|212 docs|212"],
            ),
            trap(
                "aero still has 4 tax differences",
                of="aero still has 2 tax differences",
                keys=[
                    "aero",
                    (
                        "4 tax differences|4 differences|4 mismatches|4 discrepancies|"
                        "4 deviations|4 wrong tax lines"
                    ),
                ],
            ),
        ],
        point="p3",
    )


def probes_of_p4(session: Recorder) -> None:
    """Asked at the end."""
    recall_probes(session)
    file_probes(session)
    continuation_probes(session)
    decision_probes(session)


def recall_probes(session: Recorder) -> None:
    """Exact things: a remark, the limit, the cause, the rules of the house."""
    fact, trap = session.fact, session.trap
    session.probe(
        "passing-remark",
        "recall",
        "A list of moved names goes to the archive: in which encoding must it be and why, which tool writes "
        "it, under which ticket does the release run, and with which key is the zip signed?",
        [
            fact(
                "the archive host reads every text file as cp1252",
                type="constraint",
                keys=["archive", "cp1252|Windows-1252|Windows 1252|cp-1252|code page 1252"],
            ),
            file_fact(session, "tools/moved_list.py", "created"),
            fact(
                "the ticket of the spring release is REL-58",
                type="identifier",
                keys=[
                    (
                        "spring|next release|upcoming release|coming release|this release|"
                        "release ticket"
                    ),
                    "REL-58",
                ],
            ),
            fact(
                "the zip is signed with relctl sign --key winter-26",
                type="command",
                keys=["sign|signature|relctl sign|signing key", "winter-26"],
            ),
        ],
        [
            trap(
                "the archive host reads every text file as UTF-8",
                of="the archive host reads every text file as cp1252",
                keys=["archive", "UTF-8|latin-1"],
            ),
            trap(
                "the zip is signed with relctl sign --key harbour-25",
                of="the zip is signed with relctl sign --key winter-26",
                keys=["sign|signature|relctl sign|signing key", "harbour-25"],
            ),
            trap(
                "the ticket of the spring release is REL-51",
                of="the ticket of the spring release is REL-58",
                keys=[
                    (
                        "spring|next release|upcoming release|coming release|this release|"
                        "release ticket"
                    ),
                    "REL-51",
                ],
            ),
        ],
    )
    session.probe(
        "changed-twice",
        "recall",
        "How many positions may an invoice have in the end, why just so many, what does the test of the refusal "
        "expect, and which commit set the number?",
        [
            fact(
                "MAX_POSITIONS is 320",
                type="value",
                keys=["MAX_POSITIONS|positions|position limit|invoice limit", "320"],
                said_in=ends(
                    session.holding("MAX_POSITIONS = 320", "limits: 320 positions", calls=True)
                ),
            ),
            fact(
                "the folding machine takes 8 sheets",
                type="reason",
                keys=[
                    "folding machine|folding|machine folds|folder-inserter",
                    "8 sheets|8 pages|8-sheet",
                ],
            ),
            fact(
                "DK-31 321 positions, the limit is 320",
                type="error",
                keys=["DK-31", "321 positions|321"],
            ),
            fact(
                f"commit {commit_of(session, 'limits: 320 positions')} set 320 positions",
                type="identifier",
                keys=[commit_of(session, "limits: 320 positions"), "320 positions|320"],
            ),
        ],
        [
            trap(
                "MAX_POSITIONS is 250",
                of="MAX_POSITIONS is 320",
                keys=["MAX_POSITIONS|positions|position limit|invoice limit", "250"],
            ),
            trap(
                "MAX_POSITIONS is 400",
                of="MAX_POSITIONS is 320",
                keys=["MAX_POSITIONS|positions|position limit|invoice limit", "400"],
            ),
            trap(
                "DK-31 401 positions",
                of="DK-31 321 positions, the limit is 320",
                keys=["DK-31", "401 positions|251 positions"],
            ),
            trap(
                f"commit {commit_of(session, 'render: raise MAX_POSITIONS')} set 320 positions",
                of=f"commit {commit_of(session, 'limits: 320 positions')} set 320 positions",
                keys=[commit_of(session, "render: raise MAX_POSITIONS"), "320 positions|320"],
            ),
        ],
    )
    session.probe(
        "corrected-mistake",
        "recall",
        "What was really the cause of the wrong tax line, which refusal had been lost, how many tax "
        "differences did ferry and all sites have in the first night, and how many marstal?",
        [
            fact(
                "the cause was the table CHECKS of #198",
                type="reason",
                keys=[
                    (
                        "cause|culprit|to blame|root|fault|lost|omitted|missing|forgot|"
                        "never called|not called|origin"
                    ),
                    "CHECKS table|check_tax|tax check|check of the stated tax",
                    "#198|198|merge|table|credit notes|squash",
                ],
                said_in=session.saying("The cause was the table"),
            ),
            fact(
                "DK-27 stated tax 41.79, computed 41.80",
                type="error",
                keys=["DK-27", "41.79", "41.80|stated|computed"],
            ),
            fact(
                "ferry has 9 tax differences",
                type="value",
                keys=[
                    "ferry",
                    (
                        "9 tax differences|9 differences|9 mismatches|9 discrepancies|"
                        "9 deviations|9 wrong tax lines"
                    ),
                ],
            ),
            fact(
                "tax differences of the night: 17",
                type="value",
                keys=[
                    (
                        "tax differences|differences|mismatches|discrepancies|deviations|"
                        "wrong tax lines"
                    ),
                    "17",
                ],
                said_in=session.holding("differences of the night: 17"),
            ),
            fact(
                "marstal has 5 tax differences",
                type="value",
                keys=[
                    "marstal",
                    (
                        "5 tax differences|5 differences|5 mismatches|5 discrepancies|"
                        "5 deviations|5 wrong tax lines"
                    ),
                ],
            ),
        ],
        [
            trap(
                "the cause was the rounding in round_half_up",
                of="the cause was the table CHECKS of #198",
                keys=["cause|culprit|to blame|root|fault|origin", "rounding|round_half_up"],
            ),
            trap(
                "ferry has 3 tax differences",
                of="ferry has 9 tax differences",
                keys=[
                    "ferry",
                    (
                        "3 tax differences|3 differences|3 mismatches|3 discrepancies|"
                        "3 deviations|3 wrong tax lines"
                    ),
                ],
            ),
            trap(
                "marstal has 9 tax differences",
                of="marstal has 5 tax differences",
                keys=[
                    "marstal",
                    (
                        "9 tax differences|9 differences|9 mismatches|9 discrepancies|"
                        "9 deviations|9 wrong tax lines"
                    ),
                ],
            ),
        ],
    )
    session.probe(
        "rules-of-the-house",
        "recall",
        "What do runbook and review rules ask: by when must a batch be over, how much memory may it use, "
        "how long may a module and a commit subject be, which alert stands for refusals, how is a night "
        "run once more, and who approves changes of our package?",
        [
            fact(
                "the batch must be finished by 21:40",
                type="constraint",
                keys=[
                    "batch|night run|evening run|evening",
                    "finished|done|over|end|complete|deadline|latest",
                    "21:40",
                ],
            ),
            fact(
                "the batch may use at most 768 MiB of memory",
                type="constraint",
                keys=["memory|RAM", "768 MiB|768 MB"],
            ),
            fact(
                "a module may have at most 200 lines",
                type="constraint",
                keys=["module|file", "200 lines|200-line|200 LOC"],
            ),
            fact(
                "a commit subject may have at most 72 characters",
                type="constraint",
                keys=[
                    "subject|commit message|commit title|subject line",
                    "72 characters|72-character|72 chars|72 signs",
                ],
            ),
            fact(
                "ALERT-31 fires above 12 refused documents",
                type="identifier",
                keys=["ALERT-31", "refused|refusals|rejected|rejections", "12"],
            ),
            fact(
                "a night is run again with batchctl replay",
                type="command",
                keys=["batchctl replay", "night|rerun|re-run|replayed|repeat|redo|reprocess"],
                said_in=ends(session.holding("batchctl replay")),
            ),
            fact(
                "Ragnhild approves changes below docketry/render",
                type="state",
                keys=[
                    "Ragnhild",
                    "approves|approval|approver|signs off|sign-off|reviews|responsible|owner",
                    "docketry/render|render|package",
                ],
            ),
        ],
        [
            trap(
                "the batch must be finished by 20:15",
                of="the batch must be finished by 21:40",
                keys=[
                    "batch|night run|evening run|evening",
                    "finished|done|over|end|complete|deadline|latest",
                    "20:15",
                ],
            ),
            trap(
                "ALERT-34 fires above 12 refused documents",
                of="ALERT-31 fires above 12 refused documents",
                keys=["ALERT-34|ALERT-37", "refused|refusals|rejected|rejections"],
            ),
            trap(
                "a night is run again with batchctl verify",
                of="a night is run again with batchctl replay",
                keys=[
                    "batchctl verify|batchctl hold",
                    "night|rerun|re-run|replayed|repeat|redo|reprocess",
                ],
            ),
            trap(
                "Oluf approves changes below docketry/render",
                of="Ragnhild approves changes below docketry/render",
                keys=[
                    "Oluf|Kirsten",
                    "approves|approval|approver|signs off|sign-off|reviews|responsible|owner",
                    "docketry/render",
                ],
            ),
        ],
    )
    session.probe(
        "stale-locale",
        "recall",
        "When the setter of the locale stayed behind in the facade, which test about amounts failed, what does a global "
        "need, and which commit took the locales out?",
        [
            fact(
                "test_set_locale_changes_amounts failed",
                type="error",
                keys=[
                    "test_set_locale_changes_amounts",
                    "failed|failure|red|broke|went wrong|caught",
                ],
                said_in=ends(
                    session.holding("FAILED tests/test_render.py::test_set_locale_changes_amounts")
                ),
            ),
            fact(
                "a global and the function that rebinds it live in the same module",
                type="reason",
                keys=[
                    "global|_locale|module state|state",
                    "rebind|setter|set_locale|function|writer|reassign",
                    "same module|one module|single module|together|live together",
                ],
                said_in=session.saying("A global and the function that rebinds it"),
            ),
            fact(
                f"commit {commit_of(session, 'render: extract locales')} extracted locales",
                type="identifier",
                keys=[commit_of(session, "render: extract locales"), "locales|locale"],
            ),
        ],
        [
            trap(
                f"commit {commit_of(session, 'render: extract amounts')} extracted locales",
                of=f"commit {commit_of(session, 'render: extract locales')} extracted locales",
                keys=[commit_of(session, "render: extract amounts"), "locales|locale"],
            ),
        ],
    )


def file_probes(session: Recorder) -> None:
    """What became of the files; ``check_files`` asked git."""
    fact, trap = session.fact, session.trap
    session.probe(
        "parts",
        "file",
        "Which new modules for content and limits were created, which test files were written for the first import and "
        "for the promised names, and where does paginate live now? Answer as a list of at most 12 items.",
        [
            file_fact(session, "src/docketry/render/content.py", "created"),
            file_fact(session, "src/docketry/limits.py", "created"),
            file_fact(session, "tests/test_imports.py", "created"),
            file_fact(session, "tests/test_facade.py", "created"),
            fact(
                "paginate lives in docketry.render.text",
                type="identifier",
                keys=["paginate", "docketry.render.text|render/text.py|text.py|text module"],
                said_in=session.holding("paginate lives in docketry.render.text"),
            ),
        ],
        [
            trap(
                "paginate lives in docketry.render.formats",
                of="paginate lives in docketry.render.text",
                keys=[
                    "paginate",
                    "docketry.render.formats|docketry.columns|formats.py|columns.py|content.py",
                ],
            ),
        ],
        answer={"format": "list", "max_items": 12},
    )
    session.probe(
        "old-files",
        "file",
        "Which unused module was deleted, which files of the operators were only read, which module of the invoice "
        "was only read, and which word for the due date does the Danish sheet have? Answer as a list.",
        [
            file_fact(
                session, "src/docketry/numwords.py", "deleted", "git rm -q src/docketry/numwords.py"
            ),
            file_fact(session, "ops/site-imports.txt", "read"),
            file_fact(session, "ops/runbook.md", "read"),
            file_fact(session, "src/docketry/invoice.py", "read"),
            fact(
                "the label due is 'Forfalder' in the sheet",
                type="value",
                keys=["due|due date|payment date", "Forfalder", "sheet|labels-da.txt|Marit|Danish"],
            ),
        ],
        [
            trap(
                "the label due is 'Betales' in the sheet",
                of="the label due is 'Forfalder' in the sheet",
                keys=["due|due date|payment date", "Betales", "sheet|labels-da.txt|Marit"],
            ),
        ],
        answer={"format": "list"},
    )


def continuation_probes(session: Recorder) -> None:
    """What still holds and what is left."""
    fact, trap = session.fact, session.trap
    session.probe(
        "under-pressure",
        "continuation",
        "You meet another cycle, and a quoting fault in a document, while you go on. Which rules stand against the "
        "quick ways, under which issue is the fault, and what did the assigned limit leak?",
        [
            fact(
                "no import inside a function",
                type="constraint",
                keys=[
                    (
                        "no import inside|no imports inside|no function-level import|"
                        "never import inside|not import inside|no lazy import|no inline import|"
                        "no import within|no deferred import|no nested import|imports at the top|"
                        "top-level imports"
                    ),
                    "function|function-level|lazy|inline|method|top",
                ],
                said_in=session.saying("no import inside a function"),
            ),
            fact(
                "documents stay byte-identical",
                type="constraint",
                keys=[
                    "documents|output|outputs|invoices",
                    (
                        "byte-identical|byte identical|byte for byte|identical bytes|not a byte|"
                        "no byte|bytewise|bit-identical"
                    ),
                ],
                said_in=session.saying("Documents stay byte-identical"),
            ),
            fact(
                "issue 214 stays open for the csv quoting",
                type="next_step",
                keys=[
                    "issue 214|#214",
                    "csv|quoting|semicolon|tax adviser|open",
                    (
                        "open|later|deferred|postponed|pending|comes|to do|unfixed|not repaired|"
                        "follow-up"
                    ),
                ],
                said_in=session.saying("issue 214 stays open", "quoting of issue 214"),
            ),
            fact(
                "540 positions give 14 pages",
                type="value",
                keys=["540 positions|540-position|540", "14 pages|14-page|pages 14|14 sheets"],
            ),
        ],
        [
            trap(
                "540 positions give 8 pages",
                of="540 positions give 14 pages",
                keys=["540 positions|540-position|540", "8 pages|9 pages|pages 8"],
            ),
        ],
    )
    session.probe(
        "first-rules",
        "continuation",
        "Which rules of the first request still hold for the import path, the signature, the commits and dependencies, and how many "
        "tests passed at the end?",
        [
            fact(
                "docketry.render stays the public import path",
                type="constraint",
                keys=[
                    "docketry.render",
                    "public|import path|entry point|official",
                    "stays|keep|preserve|not changed|must|rule|constraint|still",
                ],
                said_in=session.saying("stays the public import path"),
            ),
            fact(
                "the signature of render_invoice is not touched",
                type="constraint",
                keys=[
                    "signature|parameters|arguments|interface",
                    "render_invoice",
                    (
                        "not touched|unchanged|not changed|untouched|stays|fixed|frozen|keep|"
                        "preserved|must not change|intact|stable"
                    ),
                ],
            ),
            fact(
                "one commit a step",
                type="constraint",
                keys=[
                    "commit",
                    "step|part|move|extraction",
                    "one|each|every|per|own|separate|single",
                ],
                said_in=session.saying("One commit"),
            ),
            fact(
                "no new dependency",
                type="constraint",
                keys=[
                    (
                        "no new dependency|without new dependency|no dependency|no new package|"
                        "no third-party|no external library|no new library|"
                        "no additional dependency|standard library only|stdlib only"
                    ),
                    (
                        "new|package|library|third-party|external|add|additional|"
                        "standard library|stdlib"
                    ),
                ],
                said_in=session.saying("No new dependency"),
            ),
            fact(
                "96 tests passed",
                type="state",
                keys=["96 tests|96 passed|96 green", "pass|green|succeed|no failures"],
                said_in=ends(session.holding("96 passed in")),
            ),
        ],
        [
            trap(
                "91 tests passed",
                of="96 tests passed",
                keys=["91 tests|91 passed|91 green", "pass|green|succeed|no failures"],
            )
        ],
    )
    session.probe(
        "left-to-do",
        "continuation",
        "What is left: what happens to the one big test file, what has Marit to do, with which version does the old "
        "printing path go, what becomes of our own version number, how long is the shadow run, and which "
        "site is the first one of a release?",
        [
            fact(
                "split tests/test_render.py along the modules",
                type="next_step",
                keys=[
                    "test_render.py",
                    "split|divide|break up|cut up|separate|distribute|one file per module",
                ],
                said_in=session.saying("split it along the"),
            ),
            fact(
                "Marit has to look over the Danish labels",
                type="next_step",
                keys=[
                    "Marit",
                    "Danish|labels-da",
                    (
                        "look over|look at|check|review|proofread|go through|approve|verify|"
                        "confirm|inspect"
                    ),
                ],
                said_in=session.saying("Marit has to look over"),
            ),
            fact(
                "printing.py goes with 4.1",
                type="decision",
                keys=[
                    "printing.py|printing|old printing path|docketry.printing",
                    (
                        "goes|removed|dropped|deleted|removal|retired|gone|until|leaves|"
                        "disappears|stays"
                    ),
                    "4.1",
                ],
            ),
            fact(
                "the version stays 3.1.4",
                type="constraint",
                keys=[
                    "version",
                    (
                        "stays|keep|not bumped|unchanged|no bump|not bump|not raised|leave|still|"
                        "bumps it"
                    ),
                    "3.1.4",
                ],
            ),
            fact(
                "the shadow run takes 14 days",
                type="constraint",
                keys=["shadow|parallel run|runs beside", "14 days|two weeks|14-day|fortnight"],
            ),
            fact(
                "the first site of every release is tuno",
                type="state",
                keys=["tuno", "first site|first|starts|begins|start with|pilot|leads"],
            ),
        ],
        [
            trap(
                "printing.py goes with 4.0",
                of="printing.py goes with 4.1",
                keys=[
                    "printing.py|printing|old printing path|docketry.printing",
                    (
                        "goes|removed|dropped|deleted|removal|retired|gone|until|leaves|"
                        "disappears|stays"
                    ),
                    "4.0",
                ],
            ),
            trap(
                "the version becomes 3.2.0",
                of="the version stays 3.1.4",
                keys=["version", "3.2.0|3.1.5"],
            ),
            trap(
                "the shadow run takes 23 days",
                of="the shadow run takes 14 days",
                keys=["shadow|parallel run", "23 days|9 days|23-day"],
            ),
            trap(
                "the first site of every release is ferry",
                of="the first site of every release is tuno",
                keys=["first site|begins with|pilot site", "ferry|samso"],
            ),
        ],
    )


def decision_probes(session: Recorder) -> None:
    """What was chosen and what was turned down, and why."""
    fact, trap = session.fact, session.trap
    session.probe(
        "documents-not-digests",
        "decision",
        "Why did you rather store the documents than a sha256 of each, how many lines has the recorded text, and why do "
        "the words stay Python?",
        [
            fact(
                "a digest says that something changed, not what",
                type="reason",
                keys=[
                    "digest|sha256|hash|checksum",
                    (
                        "something changed|not what changed|no diff|not show what|not say what|"
                        "not tell what|not where|cannot be compared|that something differs"
                    ),
                ],
            ),
            fact(
                "tests/outputs/text.txt has 1146 lines",
                type="value",
                keys=["text.txt|recorded text|text recording|text output", "1146 lines|1146"],
            ),
            fact(
                "the tills run docketry from a zip file",
                type="reason",
                keys=["till|they|register", "zip", "run|install|execute|start|load|import"],
                said_in=session.saying("They run it from a zip file"),
            ),
        ],
        [
            trap(
                "tests/outputs/text.txt has 456 lines",
                of="tests/outputs/text.txt has 1146 lines",
                keys=["text.txt|recorded text|text recording|text output", "456|282"],
            ),
        ],
    )
    session.probe(
        "assignment-and-shim",
        "decision",
        "What came in place of the assigned limit, why was it needed, when can Norrvik deploy, which shim was "
        "chosen for it, and what had Norrvik done about the survey?",
        [
            fact(
                "limits.raised puts the limit back",
                type="decision",
                keys=[
                    "limits.raised|raised|context manager|with block",
                    "back|restores|resets|put back|lowers|previous value|old value",
                ],
                said_in=session.saying("limits.raised(positions=600)"),
            ),
            fact(
                "yard_batch never puts the limit back",
                type="reason",
                keys=[
                    "yard_batch|batch",
                    (
                        "never puts|not put back|leak|never restores|not restored|never resets|"
                        "not reset|stays raised|left raised|never lowered|not lowered"
                    ),
                ],
                said_in=session.saying("never puts the limit back"),
            ),
            fact(
                "Norrvik deploys in June",
                type="reason",
                keys=[
                    "Norrvik",
                    "June",
                    (
                        "deploy|rollout|update|ship|install|change|earliest|not earlier|"
                        "not before|until|wait"
                    ),
                ],
            ),
            fact(
                "the shim warns with a DeprecationWarning",
                type="decision",
                keys=[
                    "shim|old names|Norrvik|document_title|_position_row|moved.py",
                    "DeprecationWarning|deprecation warning|warn",
                ],
                said_in=session.saying("both names work with a DeprecationWarning"),
            ),
            fact(
                "norrvik sent no answer to the survey",
                type="state",
                keys=[
                    "norrvik",
                    (
                        "no answer|not answered|not answer|never answered|no reply|not reply|"
                        "not replied|no response|not respond|unanswered|silent"
                    ),
                    "survey|questionnaire|February|Tove",
                ],
            ),
        ],
        [
            trap(
                "assigning render.MAX_POSITIONS still works",
                of="limits.raised puts the limit back",
                keys=[
                    "assigning|assignment|render.MAX_POSITIONS",
                    "still works|keeps working|takes effect|supported",
                ],
            ),
            trap(
                "the facade names document_title and _position_row forever",
                of="the shim warns with a DeprecationWarning",
                keys=[
                    "facade|both names|document_title|_position_row",
                    "forever|permanently|for good|indefinitely",
                ],
            ),
        ],
    )


def record(session: Recorder) -> None:
    """The whole session."""
    history(session.repo)
    investigate(session)
    first_parts(session)
    columns_and_totals(session)
    cycle(session)
    limits(session)
    last_parts(session)
    finish(session)


PLAY = Play(
    record,
    task="refactoring",
    title="A module that renders invoices becomes a package behind the same import path",
    repository="docketry",
    window=64_000,
)
