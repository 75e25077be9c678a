"""Checking parameters that come from the command line, where any type may arrive."""

from __future__ import annotations

from typing import Any


def check_whole(name: str, value: Any, least: int, most: int | None = None) -> None:
    """Raise ``ValueError`` with a sentence unless ``value`` is a whole number in its range."""
    whole = isinstance(value, int) and not isinstance(value, bool)
    if whole and value >= least and (most is None or value <= most):
        return
    within = f"at least {least}" if most is None else f"{least} to {most}"
    raise ValueError(f"{name}={value} must be a whole number, {within}")


def check_choice(name: str, value: object, choices: tuple[object, ...]) -> None:
    """Raise ``ValueError`` with the choices unless ``value`` is one of them."""
    if not any(type(value) is type(choice) and value == choice for choice in choices):
        raise ValueError(f"{name}={value} must be {' or '.join(map(str, choices))}")
