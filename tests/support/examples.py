"""How Hypothesis tries examples in the tests of the project."""

from hypothesis import settings

settings.register_profile("without deadline", deadline=None)


def leave_them_time():
    """No example fails by the time that it takes: a busy machine is no fault of the package."""
    settings.load_profile("without deadline")
