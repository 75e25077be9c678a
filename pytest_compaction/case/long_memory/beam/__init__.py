"""BEAM: a folder for each conversation, with its turns and its probing questions."""
