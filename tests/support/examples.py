"""How Hypothesis tries examples in the tests of the project: the same ones in each run.

No example fails by the time that it takes: a busy machine is no fault of the package.
"""

from hypothesis import HealthCheck, settings

settings.register_profile(
    "repeatable",
    derandomize=True,
    deadline=None,
    max_examples=40,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)


def make_repeatable():
    """Let the tests that are imported from now on try the same examples in each run."""
    settings.load_profile("repeatable")
