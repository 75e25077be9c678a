"""What is said of the calls of strategies with clients of their own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pytest_compaction.text.words import printable

OPTION: Final = "--compaction-proxy"


def own_client_line(strategies: Sequence[str], proxy: bool) -> str | None:
    """What becomes of calls that strategies make outside the plugin; ``None`` without such."""
    if not strategies:
        return None
    named = ", ".join(strategies)
    if proxy:
        return printable(
            f"{named}: calls by OpenAI and Anthropic clients go through a local endpoint, and are "
            "kept, replayed, priced and limited as all others"
        )
    return printable(
        f"{named}: calls outside the plugin are not counted (nor kept, priced or limited; "
        f"{OPTION} does that for OpenAI and Anthropic clients)"
    )


def line_of_check(strategies: Sequence[str], examples: int) -> str | None:
    """What a check says of such strategies, which it runs on ``examples`` conversations."""
    if not strategies:
        return None
    return printable(
        f"compaction: {', '.join(strategies)}: a check compacts at least {examples} generated "
        "conversations; what clients of its own ask a model then is not counted, kept, priced or "
        "limited"
    )
