"""The messages of OpenAI (chat, responses) and Anthropic, each read and written once.

Each of ``chat``, ``responses`` and ``anthropic`` has ``from_…`` (its messages to ours) and
``to_…`` (back, losing nothing that the format can hold). ``gemini`` reads the parts of that
interface, as its transcripts hold them. ``parts`` has what they share, and the rules of a reader:
functions and case files keep a part that a message cannot hold as it is, importers put
placeholders and count. ``requests`` has what endpoints take.
"""
