"""Tests drive pytest itself."""

pytest_plugins = ["pytester"]
