"""The messages of OpenAI (chat, responses), Anthropic and Gemini, each read and written once.

Each of ``chat``, ``responses``, ``anthropic`` and ``gemini`` has ``from_…`` (its messages to ours)
and ``to_…`` (back, losing nothing that the format can hold). ``parts`` has what they share, and
the rules of a reader: functions and case files keep a part that a message cannot hold as it is,
importers put placeholders and count. ``requests`` has what endpoints take.
"""
