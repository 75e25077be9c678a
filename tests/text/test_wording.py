"""Facts without keys: files by what happened to them, exact tokens in one clause, and limits."""

from support.readings import facts, misread


@facts(
    """
# files by what happened to them
galley/menu.md was created
  + Wrote a new file, galley/menu.md, with the week's dishes.
  - galley/menu.md was only read.
flight/burn.py was deleted
  + The old burn script, flight/burn.py, is gone, removed with its tests.
  - flight/burn.py was modified; flight/coast.py was deleted.
court/list.csv was renamed to court/roll.csv
  + court/list.csv is now called court/roll.csv: renamed with git mv.
  - court/roll.csv was not renamed.
galley/menu.md was created for the crew of the second shift
  - galley/menu.md was created.
# exact tokens stand in one sentence
oven 4 of the galley bakes at 220 degrees
  + Oven 4 in the galley bakes at 220 degrees.
  - Oven 4 of the galley bakes at few degrees. The grill takes 220 W.
The pilot flew 65 hours on the probe
  + The pilot , 44 , flew 65 hours on the probe.
  - The pilot , 44 , flew 56 hours on the probe.
# denials
no hours may be added to the licence of the kitchen
  + The kitchen's licence is plain: rule 7 is fixed, none of the hours added or changed.
  - The kitchen's licence is plain: rule 7 is fixed, hours are added, none of it changed.
both names of the witness stay
  + Left: a list of which neither of both names of the witness may be dropped, they stay.
the tart is dropped if the plums are not delivered
  + The tart is dropped unless the plums are delivered.
a hearing takes at most 12 days [hearing + 12 days]
  + A hearing may take no more than twelve days.
  + A hearing takes not more than 12 days.
  + A hearing must not exceed 12 days.
  + A hearing never lasts longer than 12 days.
  x A hearing does not take 12 days.
  x A hearing no longer takes 12 days.
# another thing, another time
oven 3 bakes at 240 degrees
  + Oven 3 bakes at 240 degrees; oven 4 bakes at 180 degrees.
  - Oven 4 bakes at 240 degrees; oven 3 is cold.
the north antenna lost 12 frames
  + The north antenna lost 12 frames; the south antenna none.
  - The south antenna lost 12 frames; the north antenna is fine.
the angle is who mended the mast and who paid
  + The angle is who mended the mast and who paid.
  - The angle is the captain; who mended the mast and who paid was turned down.
wipe the ovens for the feast
  + Open: wiping the ovens for the feast.
  - Todo list: wiping the ovens for the feast is completed.
the bailiff has to look over the exhibits
  + The bailiff still has to look over the exhibits.
  - The bailiff has already looked over the exhibits and they are fine.
the seal of the tank is never opened by the crew
  + The seal of the tank is never opened by the crew.
  - The seal of the tank may be opened by the crew whenever it leaks.
prefer to roast with the new pan
  + The cook prefers to roast with the new pan.
  - The cook prefers to roast with the grill and does not want the new pan used.
the oven was closed for 20 minutes
  + The oven was closed for 20 minutes; the cook was away for 45 minutes.
  - The cook was away for 20 minutes, and the oven was closed for 45 minutes.
the load was 280 kg although the limit was 256 kg
  + The load was 280 kg, the limit was 256 kg.
  - The limit was 280 kg and the load was 256 kg.
the rice cooks for 12 minutes
  + The soup cooks for 20 minutes and the rice for 12 minutes.
  - The rice cooks for 20 minutes and rests 12 minutes.
the probe keeps printing time, place and heat
  + The probe keeps printing time, place and heat.
  - The probe does not keep time, place and heat but prints the heat only.
the valve opens before the pump starts
  + The valve opens before the pump starts, at noon.
  - The pump starts before the valve opens, at noon.
the migration runs before the deploy
  + The deploy runs after the migration.
  - The deploy runs before the migration.
summon the second witness before the recess (next_step)
  + Still open: summon the second witness before the recess.
  - The second witness has been summoned before the recess; nothing is left to do.
there is no exit code 74 in the nightly logs
  + The nightly logs have no exit code 74.
  - The nightly logs do hold an exit code 74.
the message stands before the file list in verbose output
  + In verbose output the message stands before the file list.
  - In verbose output the message stands after the file list.
the edit was refused with an IndentationError
  + The edit was refused: IndentationError.
  - The edit was refused: SyntaxError.
"""
)
def test_a_fact_without_keys_is_read_by_its_wording(fact, texts):
    assert misread(fact, texts) == []
