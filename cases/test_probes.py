"""The benchmark: every case and probe below this folder, for each strategy named."""


def test_probe(case, probe, compactor, judge):
    compaction = compactor(case)  # once per case and trial, shared by its probes
    response = compaction.ask(probe)  # answered from the compacted context alone
    verdict = judge(probe, response)  # six dimensions, 0 to 5
    verdict.check()  # fails with the dimensions that fell short, and why
