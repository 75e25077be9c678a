"""The dialogues of the files named by --compaction-cases, for each strategy named."""


def test_dialogue(dialogue, replay):
    replayed = replay(dialogue)  # its user turns, answered from full and from compacted history
    replayed.check()  # fails where the two no longer say the same, and shows where
