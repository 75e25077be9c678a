"""What tests of calls to an endpoint share."""

import pytest
from support.endpoint_builders import KEY


@pytest.fixture
def short_waits(monkeypatch):
    """Make the waits between attempts short, and set the key of the endpoint."""
    monkeypatch.setattr("pytest_compaction.models.calls.endpoint.FIRST_WAIT_S", 0.01)
    monkeypatch.setattr("pytest_compaction.models.calls.endpoint.LONGEST_WAIT_S", 0.02)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
