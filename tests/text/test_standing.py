"""What is said to hold of a fact: its polarity, its time, and what happened to its file."""

from support.readings import facts, misread


@facts(
    r"""
the salmon has to be ordered from Brandt (next_step) [salmon + Brandt|order]
  + Still to do: order the salmon at Brandt's.
  + Salmon: an order to Brandt is pending.
  + Next, someone orders the salmon from Brandt.
  + Left for Paula: the order of salmon with Brandt.
  - The salmon was ordered from Brandt on Monday.
  - Done: salmon ordered from Brandt; the oven is still open.
  - Brandt has confirmed the order of salmon, so nothing is left to do there.
ask the clerk whether the hearing of 4 May stands (next_step) [clerk + hearing|4 May]
  + The clerk is still to be asked about the hearing of 4 May.
  - The clerk was asked and has confirmed the hearing of 4 May; open is only the room.
  - The clerk already confirmed that the hearing of 4 May stands.
the index is dropped (state) [index + dropped|drop]
  + The index is dropped.
  + The old index was dropped on Monday.
  + We dropped the index.
  - The index will be dropped.
  - The index is to be dropped.
  - The index must be dropped before the release.
  - Dropping the index is planned for Friday.
  - The index still has to be dropped.
  - Next: drop the index.
the witness Oduya has signed the statement (state) [Oduya + signed]
  + Oduya put her name to it: the statement is signed.
  + The statement was signed by Oduya on Friday.
  + Oduya, who was asked to sign the statement, has signed it.
  - Oduya was asked to sign the statement but has not done so yet.
  - The statement is to be signed by Oduya.
  - Oduya will have the statement signed on Friday.
  - Oduya promised to sign the statement.
the update would have erased the seed bank (reason) [update|new key + erased|erase + seed bank]
  + The update would have erased the seed bank.
  + With the new key it would have begun to erase the seed bank within a week.
  - The update would not have erased the seed bank.
  - The seed bank was at risk.
the thruster valve B2 was replaced (state) [valve B2|B2 + replaced]
  + Valve B2 of the thruster has been replaced.
  + B2 was faulty and got replaced in March.
  - Valve B2 is to be replaced in March.
  - Valve B2 still has to be replaced.
  - B2 was meant to be replaced, which did not happen.
plates are warmed to 60 degrees (decision) [plates + 60 degrees]
  + Plates get warmed to 60 degrees.
  - Warming the plates to 60 degrees was discussed and rejected.
  - Plates at 60 degrees were considered and turned down for the price.
  - Plates at 60 degrees were proposed, weighed and finally dropped.
  - We tried plates at 60 degrees and rejected them.
the second antenna is used for telemetry (decision) [second antenna + telemetry]
  + Telemetry goes over the second antenna.
  + The first antenna was weighed and turned down; telemetry is on the second antenna.
  - The second antenna for telemetry was looked at and turned down.
  - The second antenna is not used for telemetry.
the trial was moved because the expert was ill (reason) [moved|postponed + expert|ill]
  + Trial postponed, the expert being ill.
  - The trial was moved because the room was flooded; the expert was no problem.
  - The trial was moved for the flood; the illness of the expert was no reason for it.
a table has at most 12 guests (constraint) [table|guests + 12]
  + No more than twelve guests at one table.
  + A table may have at most 12 guests.
  + A table may not have more than 12 guests.
  + Not more than 12 guests per table.
  + Tables: 12 guests and no more.
  - A table no longer has at most 12 guests.
exhibits are returned within 14 days (constraint) [exhibits + 14 days]
  + Exhibits go back in no more than fourteen days.
  + Exhibits have to be back no later than 14 days after the verdict.
  - Exhibits need not be returned within 14 days.
orbit/burn.py was created (path created) [orbit/burn.py]
  + Created: orbit/burn.py, which plans burns and never fires them.
  + New file from this session: orbit/burn.py in the flight folder.
  + orbit/burn.py with the burn tables was added.
  + What was written anew: orbit/burn.py (it does not touch the tank).
  - orbit/burn.py existed already.
  - orbit/burn.py was not created.
  - There is no orbit/burn.py.
  - orbit/burn.py is to be created next.
menu/soup.md was modified (path modified) [menu/soup.md]
  + Edited menu/soup.md; menu/fish.md was left alone.
  + menu/soup.md was changed, but not menu/fish.md.
  - Changed: menu/fish.md. menu/soup.md was left as it was.
  - menu/fish.md was modified; menu/soup.md stayed untouched.
  - menu/soup.md remains unmodified.
  - menu/soup.md was only read.
  - No change to menu/soup.md was needed.
  - We left menu/soup.md alone.
brief/facts.md was read (path read) [brief/facts.md]
  + Files read only, none changed: brief/facts.md
  + Looked at without changing anything: brief/facts.md.
  + brief/facts.md was read and left as it was.
  + Read for background, without edits: brief/facts.md.
  - brief/facts.md only turned up in a listing.
  - brief/facts.md has not been opened yet.
  - brief/facts.md was to be read later, but there was no time.
  - brief/facts.md showed up in the listing but was not read.
  - Nobody opened brief/facts.md.
old/stove.py was deleted (path deleted) [old/stove.py]
  + old/stove.py with its tests was removed.
  + The module stove.py under old/ was removed with git rm.
  + Deleted in this session: old/stove.py (with rm).
  + Gone since today: old/stove.py.
  - old/stove.py was not deleted.
  - old/stove.py is to be deleted.
  - Lines were removed from old/stove.py.
court/list.py was renamed to court/roll.py (path renamed) [court/roll.py]
  + What used to be court/list.py now goes by court/roll.py.
  + court/list.py is now called court/roll.py.
  + court/list.py became court/roll.py.
  - court/list.py is to become court/roll.py.
install `gcc-12` (decision) [gcc-12 + install]
  + Instead of `gcc` the agent tried installing `gcc-12`.
  + Instead of gcc-11 we install gcc-12.
  - Instead of installing gcc-12 the agent used clang.
the crew sleeps in shift B (state) [crew + shift B]
  + Still open, not ours: the meals.\n\nThe crew sleeps in shift B.
  - The crew does not sleep in shift B.
all 40 tests of the oven pass (state) [40 tests]
  + The oven has 40 tests, all of which pass.
  - The oven has 40 tests and they do not all pass.
the verdict is published on 3 June (value) [verdict + 3 June]
  + The verdict comes out on 3 June.
  - Publishing the verdict on 3 June was thought of and dropped.
  - A verdict on 3 June was ruled out in the end.
the dashboard must be restarted by Ilya (next_step) [dashboard + restart|Ilya]
  + Ilya will restart the dashboard once the merge is done.
  + After the merge has been completed, Ilya restarts the dashboard.
  - The dashboard has been restarted by Ilya already.
the caterer gets the list on Friday (next_step) [caterer + list]
  + To do: send the list to the caterer on Friday, as already agreed.
  - The caterer got the list already.
  - The list has been sent to the caterer, who has it since Friday.
the judge rejected the video (decision) [video + rejected|not admitted]
  + The video was considered and rejected by the judge.
  + The judge did not admit the video.
  - The video was admitted by the judge.
the pump is not the cause (state) [pump + not the cause|ruled out]
  + The pump was looked at and ruled out.
  + The pump is no cause of it.
  - The pump is the cause.
salmon was ordered from Brandt (state) [salmon + Brandt]
  + The salmon was ordered from Brandt on Monday.
order salmon from Brandt (next_step) [salmon + Brandt]
  ? The salmon was ordered from Brandt on Monday.
the second oven stands already [the second oven stands + already]
  + the second oven stands already
dock 4 confirmed, gate shut [dock 4 confirmed, gate + shut]
  + dock 4 confirmed, gate shut
"""
)
def test_a_text_states_a_fact_with_its_polarity_and_time_alone(fact, texts):
    assert misread(fact, texts) == []
