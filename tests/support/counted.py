"""Counts that tests report: recorded as properties, added up and printed when a run ends.

A property travels from a worker of pytest-xdist to the controller, printed text does not.
"""

COUNTED = "counted: "
"""How the name of a property begins whose whole number is to be added up."""


def totals(reports):
    """The sums of all counts by name, in the order of the names."""
    found = {}
    for report in reports:
        for name, value in getattr(report, "user_properties", ()):
            if name.startswith(COUNTED) and report.when == "call":
                name = name.removeprefix(COUNTED)
                found[name] = found.get(name, 0) + value
    return dict(sorted(found.items()))
