"""Counts that tests report as properties; they are added up and printed when a run ends.

Properties travel from a worker of pytest-xdist to the controller; printed text does not.
"""

COUNTED = "counted: "
"""The prefix of each property whose values, whole numbers, are added up."""


def totals(reports):
    """The sum of each count, sorted by name."""
    found = {}
    for report in reports:
        for name, value in getattr(report, "user_properties", ()):
            if name.startswith(COUNTED) and report.when == "call":
                name = name.removeprefix(COUNTED)
                found[name] = found.get(name, 0) + value
    return dict(sorted(found.items()))
