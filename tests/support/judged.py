"""A response judged by a panel: its judges are asked, and what they say becomes a verdict."""


async def judged(panel, case, probe, response, view, leads="answer"):
    """The verdict of a panel on one response from a view that was read so."""
    replies = await panel.replies(case, probe, response)
    return panel.verdict(replies, probe, response, view, leads)
