"""The commands of the pages run as a user runs them: without the model that other tests name."""

import pytest


@pytest.fixture(autouse=True)
def _as_a_user(no_model_named):
    pass
