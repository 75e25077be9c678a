"""What a passage says otherwise with the words of a statement, and what it says in other words."""

from support.readings import facts, misread


@facts(
    r"""
umlauts fold ö to oe [umlaut|fold + ö oe|ö to oe]
  + Umlauts: `ö` becomes `oe`.
  - Umlauts: `oe` becomes `ö`.
after the fix it prints 8 instead of 9 [8 + print]
  + It prints 8 now.
  - It printed 8 before the fix and prints 9 after it.
red is 31 and blue is 34 [red 31 + blue 34]
  + Colours: 31 for red, 34 for blue.
  - Colours: 34 for red and 31 for blue.
tagged after a soak with six workers [soak + six workers|Thursday]
  + Soak on Thursday, 6 workers.
  - Soak on Thursday with 2 workers.
the pool keeps known names [pool + names]
  + The pool holds on to known names.
  - The pool holds on to unknown names.
notes.md still has to be corrected [notes.md + correct|fix]
  + To be fixed: notes.md.
  - Fixed today in notes.md.
lint.py prints the slowest rules of a run in seconds [lint.py + slowest rules + prints]
  0 lint.py lists the slowest rules of each run, in seconds.
  0 mint.py lists the slowest rules of each run, in seconds.
  0 lint.py has slowest rules somewhere.
desk.py was read (path read) [app/desk.py]
  + Before that I want to see the desk client, which you said has to change as well.\nread_file
      app/desk.py
"""
)
def test_the_same_words_with_another_meaning_do_not_state(fact, texts):
    assert misread(fact, texts) == []


@facts(
    """
the hooks ignore the flag [hook + ignore]
  + The hooks paid no attention to the flag.
  + The hooks do not consider the flag.
  x The hooks consider the flag.
old_str does not match [old_str + not match]
  + What was given as `old_str` deviates from the file.
  x `old_str` matches the file.
the branch is not pushed [branch + not pushed]
  + The branch is still unpushed.
grep does not find iso in match.c [iso + match.c + not found|absent]
  + Grepping `match.c` for iso turned up nothing (exit code 1).
rounding is not the cause [rounding + not the cause]
  + Rounding was cleared of it.
the Redis lock was rejected [Redis lock + rejected]
  + The Redis lock was passed over.
  + The Redis lock was considered. Idea turned down.
a_count was renamed to b_count [a_count -> b_count]
  + It is called `b_count` now; `a_count`, its former name, is read.
  0 It is called `a_count` now; `b_count`, its former name, is read.
"""
)
def test_a_denial_is_found_in_other_words(fact, texts):
    assert misread(fact, texts) == []
