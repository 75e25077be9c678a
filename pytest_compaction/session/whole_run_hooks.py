"""Hooks around a whole run, loaded with pytest: what is heavy is imported only when needed."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Generator
from typing import TYPE_CHECKING, Final

import pytest

from pytest_compaction.options import EarlyReader, named_compactors
from pytest_compaction.settings import OptionError

if TYPE_CHECKING:
    from pytest_compaction.session.exit_guard import ExitGuard

_CODE_CHANGED: Final = (
    "compaction: the gate failed, and a conftest.py or a plugin set the exit code to 0 after that; "
    "the run ends with 1\n"
)


class WholeRun:
    """What surrounds a run, from its start to its exit code."""

    def __init__(self) -> None:
        self._guard: ExitGuard | None = None

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_load_initial_conftests(
        self, early_config: pytest.Config
    ) -> Generator[None, object, object]:
        with contextlib.suppress(OptionError):  # said later, as all that is wrong with options
            named = named_compactors(EarlyReader(early_config))
            if named:
                from pytest_compaction.session.exit_guard import guarded

                self._guard = guarded(early_config, named, early=True)
        with self._ending():
            return (yield)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_cmdline_main(self, config: pytest.Config) -> Generator[None, int | None, int | None]:
        with self._ending():
            try:
                named = named_compactors(config)
            except OptionError as error:
                raise pytest.UsageError(str(error)) from None
            if named and self._guard is None and not config.getoption("compactors"):
                from pytest_compaction.session.exit_guard import guarded

                self._guard = guarded(config, named, early=False)
            code = yield
            recorder = config.pluginmanager.get_plugin("compaction-recorder")
            if not code and recorder is not None and recorder.has_failed:
                sys.stderr.write(_CODE_CHANGED)
                code = pytest.ExitCode.TESTS_FAILED
            self._say_end(int(code or 0))
            return code

    @contextlib.contextmanager
    def _ending(self) -> Generator[None, None, None]:
        """Say the end of a run that ends by an error of pytest, which pytest shows."""
        try:
            yield
        except SystemExit as error:
            if self._guard is not None:
                self._guard.refuse(error)
            raise
        except KeyboardInterrupt:
            self._say_end(pytest.ExitCode.INTERRUPTED)
            raise
        except pytest.UsageError:
            self._say_end(pytest.ExitCode.USAGE_ERROR)
            raise
        except Exception:
            self._say_end(pytest.ExitCode.INTERNAL_ERROR)
            raise

    def _say_end(self, code: int) -> None:
        if self._guard is not None:
            self._guard.end(code)
