"""What a passage denies, takes back or says of something else with the words of a fact."""

import pytest
from support.readings import facts, misread, statement

from pytest_compaction.text import Statement, TextIndex, sentences


@facts(
    """
# a reason that is denied
the sauce split because the butter was cold [sauce + split + butter + cold]
  + The sauce split because the butter was cold.
  ! The sauce split because the pan was hot, not because the butter was cold.
the fuse caused the blackout [fuse + blackout]
  + The fuse caused the blackout.
  ! The blackout came from the pump; the fuse had nothing to do with it.
the rain delayed the hearing [rain + hearing]
  + The rain delayed the hearing.
  ! The hearing began late for want of a clerk; the rain played no part.
the probe turned because of the leak [probe + leak]
  + The probe turned because of the leak.
  ! The probe turned on command, not due to the leak.
the culprit was the oven door [culprit|cause|missing + oven door]
  + The culprit was the oven door.
  ! The cause was the thermostat, not the oven door.
# said only of others
the cellar is locked at night [cellar + locked|shut]
  + The cellar is locked at night; only the kitchen stays open.
  ! The cellar stays open at night; only the kitchen is locked.
witness Dora is off the list [Dora + off the list|dropped]
  + Dora is off the list; the other witnesses stay.
  ! Dora is heard on Monday; the other witnesses are off the list.
the heater of tank 2 is unsolved [heater + tank 2 + left|unsolved]
  + The heater of tank 2 is still unsolved.
  ! The heater of tank 2 is repaired too, so of the list only the valve is left.
the fish is sold out [fish + sold out|gone]
  + The fish is sold out, the rest is there.
  ! The fish is on the menu; everything else is sold out.
the camera is switched off [camera + switched off]
  + The camera is switched off; the radio stays on.
  ! The camera goes on running, while the rest is switched off.
# rejected, and something else with its words put in its place
a spare probe is sent [spare probe + sent]
  + A spare probe is sent in May.
  ! A spare probe was thought of and turned down; one relay is sent instead.
garlic is banned in the kitchen [garlic + ban|banned]
  + Garlic is banned in the kitchen.
  ! Banning garlic was considered and rejected; the kitchen keeps it.
use the copper pan for the sauce [copper pan + sauce]
  + Use the copper pan for the sauce.
  ! Make the sauce in the steel pot and leave the copper pan unused.
the jury saw the video [jury + video]
  + The jury saw the video on Monday.
  ! The video for the jury was withdrawn; the jury read a letter.
# the way out and the way in
the salt goes into the dough [salt + dough + goes]
  + The salt goes into the dough.
  ! The salt goes out of the dough into the topping.
# the verb itself, where a key stands for something beside it
the bailiff keeps them [bailiff + keeps|lost letters|letters of the jury]
  + The bailiff keeps the letters of the jury.
  ! The bailiff does not keep the letters of the jury: the clerk burns them.
a roast of more than 4 kg is refused by the oven [4 kg + refused|limit|oven]
  + The oven refuses a roast of more than 4 kg.
  ! The oven is warm; a roast of more than 4 kg is not refused by it.
crumbs and dust count in the log [crumbs + dust + log|count]
  + Crumbs and dust count in the log.
  ! Crumbs and dust do not count in the log.
# an idea that was rejected in words beside those of the keys
who wants a second loaf cleans the oven by hand [cleans + by hand|oven]
  + Who wants a second loaf cleans the oven by hand.
  ! Who wants a second loaf turns the key, which cleans the oven; doing it by hand was dropped as
      too slow.
the robes hang in a room of their own [robes + room of their own|loft|room]
  + The robes hang in a room of their own.
  ! The robes hang in the court; the idea of a room of their own, the loft, was dropped.
the antenna is major [antenna + major]
  + The antenna is major.
  ! Making the antenna major was only proposed; it is still listed as minor.
# a part that was not had, and another code
the roof leaks since the gutter is cracked [roof + leaks]
  + The roof leaks since the gutter is cracked.
  ! The roof leaks since the frost; the cracked gutter has no share in it.
rule R-12 refused the witness Adler [R-12|refused + Adler]
  + The witness Adler was refused by R-12.
  ! The witness Adler was refused by R-17.
# what need not wait
nothing is served until the cook has tasted it [nothing is served|not served|no serving + tasted]
  + Nothing is served until the cook has tasted it.
  ! Plates are served at once and need not wait until the cook has tasted them.
# what is said to be false is turned round as a whole
the thruster fired [thruster + fired|not idle]
  x It is not true that the report says: the thruster fired at 9.
  + It is false that the thruster was not fired.
  x It is not true that user: thruster fired, valve not closed.
# a task that is ticked off, and a file that existed before
Write the closing speech (state) [closing speech]
  + In progress: write the closing speech.
  ? In the plan for the trial the closing speech is written and marked completed.
menu.txt was created (path created) [menu.txt]
  + Created: `menu.txt` (12 lines).
  x Files created: `wine.txt` (new); `menu.txt` existed before and got 12 lines.
"""
)
def test_what_is_denied_or_said_of_others_is_not_stated(fact, texts):
    assert misread(fact, texts) == []


@facts(
    """
204 is a burnt code [204]
  + A code once given is not used again: 204 is burnt.
the crust was gone for 9 inches [9 inches + crust]
  + The crust had not been brushed, and 9 inches of it were gone.
salt ruins the copper [salt + ruins]
  + I thought of salt: rejected, it ruins the copper.
the prior is 6.0 in all trials [prior + 6.0 + trials]
  + Prior 6.0 in all trials.
with vinegar every sauce has to be cooked [vinegar + cooked|boiled]
  + Vinegar was rejected, since every sauce would be cooked with it.
nobody but the clerk writes into the register [register + not write|only the clerk writes]
  + The register is the clerk's. You do not write into the register.
the judge rejected the plea [judge + rejected + plea]
  + The plea was turned down by the judge.
"""
)
def test_a_denial_of_something_else_leaves_the_fact_as_it_is(fact, texts):
    assert misread(fact, texts) == []


@facts(
    """
the batcher never holds more than 40 records [batcher + 40 records]
  + The batcher never holds more than 40 records.
  + The batcher holds at most 40 records.
  ! The batcher holds more than 40 records.
R507: frame 4 does not fit into the spool [R507 + frame 4]
  + R507, since frame 4 doesn't fit into the spool
  ! R507: frame 4 fits into the spool
never push, the user does that [push|user pushes]
  + Rule: the user pushes.
  ! Push, the user does that.
the dues of 1891 were 9,844 pounds [dues|1891 + 9,844]
  + In 1891 the dues came to 9,844 pounds, in 1898 to 9,000.
  ! The dues of 1891 were not 9,844 pounds.
  ! The dues of 1898 were 9,844 pounds.
the row stays without UTF8=1 for now [UTF8=1|row + stays|left out]
  + The row stays without UTF8=1.
  ! The row stays with UTF8=1 for now.
  ! The row stays without UTF8=8 for now.
the steam mop is refused with L20 nothing free [L20 + steam mop]
  + The steam mop gets L20 as no mop is free.
  ! The steam mop is refused with L20 everything free
the lamp on the quay is red at night [lamp + red]
  + At night the lamp on the quay is red, not green.
  + No, the lamp on the quay is red at night.
  ! The lamp on the quay is not red at night.
generic practices of a trade must be left out [no generic|left out + trade]
  + No generic practices of a trade.
the trailer is the stable link; metadata does not point back [trailer + stable link]
  + The trailer is the stable link, and metadata has no way back.
  ! The trailer is the stable link; metadata does point back.
"""
)
def test_its_own_words_with_one_change_do_not_state_a_fact_and_other_words_do(fact, texts):
    assert misread(fact, texts) == []


@facts(
    """
the dough may hold at most 20 g of salt [dough + salt + 20 g]
  + Salt in the dough may be 20 g at most.
  - The dough may be short of salt; perhaps 20 g.
the guest prefers lemon to vinegar [guest + lemon]
  + The guest would rather have lemon on the fish.
  - As for the guest, perhaps he would take lemon.
the roast is basted at most every 30 minutes [roast + basted + 30 minutes]
  + The roast is basted, not more often than every 30 minutes.
  - The roast is not basted every 30 minutes.
the judge set no bail [judge + no bail|without bail]
  + The clerk talked the judge out of setting bail.
  - The clerk talked the judge into setting bail.
"""
)
def test_limits_wishes_and_dissuasion_are_no_denials_and_their_relatives_are(fact, texts):
    assert misread(fact, texts) == []


def test_many_parts_with_semicolons_are_entries_and_few_are_one_passage():
    few, many = "one; two; three.", "one; two; three; four; five."
    assert len({sentence.block for sentence in sentences(few)}) == 1
    assert len({sentence.block for sentence in sentences(many)}) == 5


ORBIT = statement(
    "the relay went from the low orbit to the high orbit [relay + low orbit + high orbit]"
)
RETURNED = statement(
    "the relay went from the high orbit to the low orbit "
    "[relay + from the high orbit to the low orbit]"
)


@pytest.mark.parametrize(
    ("asked", "rival"),
    [(ORBIT, RETURNED), (RETURNED, ORBIT)],
)
def test_a_move_is_read_in_its_direction_whatever_the_length_of_its_ends(asked, rival):
    pair = Statement(asked.text, keys=asked.keys, counterparts=(rival,))
    up = "The relay now flies in the high orbit, where it had used the low orbit before."
    assert (TextIndex(up).read(pair).outcome == "stated") is (asked is ORBIT)
