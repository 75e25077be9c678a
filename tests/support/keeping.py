"""A strategy that keeps the newest messages, and whose code a user changes."""


def newest(messages, budget, share=4):
    """Drop the oldest messages until the rest has ``share`` characters for a token."""
    kept = list(messages)
    while kept and (
        kept[0]["role"] == "tool" or sum(len(str(m["content"])) for m in kept) > share * budget
    ):
        kept.pop(0)
    return kept or [{"role": "user", "content": "Go on."}]
