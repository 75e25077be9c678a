"""xdist: the items of one compactor stay on one worker, which runs the examples once."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_compaction.session.check_session import CheckSession
from pytest_compaction.session.scheduler import CaseScheduling


class CheckScheduling:
    """Hooks that exist only with xdist."""

    def __init__(self, session: CheckSession) -> None:
        self._groups = {subject.id: subject.spec.text for subject in session.subjects()}

    @pytest.hookimpl(tryfirst=True)
    def pytest_xdist_make_scheduler(self, config: pytest.Config, log: Any) -> Any:
        """Replace the default scheduler; a mode chosen by the user is respected."""
        if config.getvalue("dist") != "load":
            return None
        return CaseScheduling(config, log, self._groups)
