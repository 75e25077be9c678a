"""What tests of sessions share."""

import pytest
from support.stub_endpoint import serving


@pytest.fixture
def endpoint(monkeypatch):
    """A local endpoint that the environment names, and no key."""
    with serving() as stub:
        monkeypatch.setenv("OPENAI_BASE_URL", stub.url)
        monkeypatch.delenv("OPENAI_API_KEY", raising=False)
        yield stub
