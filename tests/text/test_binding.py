"""Whether a passage says of the statement's own things what the statement says of them."""

from support.readings import facts, misread


@facts(
    """
# another value
the stock simmers for 40 minutes [stock + 40 minutes]
  + The roux rests for 15 minutes, the stock simmers for forty minutes.
  - The roux rests for 40 minutes, the stock simmers for 15 minutes.
oven 2 stands at 180 degrees [oven 2 + 180]
  + Oven 1 is cold; oven 2 is at 180 degrees.
  - Oven 1 stands at 180 degrees; oven 2 is cold.
the burn of stage 2 takes 312 seconds [stage 2 + 312 seconds|312 s]
  + Burns: 140 s in stage 1, 312 s in stage 2.
  - The burn of stage 1 takes 312 s, the burn of stage 2 takes 140 s.
exhibit C-14 was found in the cellar [C-14 + cellar]
  + In the cellar they found C-14; C-19 came from the car.
  - C-19 was found in the cellar; C-14 came from the car.
the tank holds 74 litres of xenon [xenon + 74]
  + There are 74 litres of xenon in the tank and 12 litres of krypton.
  - The tank holds 12 litres of xenon, and 74 litres of krypton.
the pot was 30 cm from the window [pot|window + 30 cm]
  + It was 12 cm high and stood 30 cm from the window, that pot.
  - The pot was 30 cm high and stood 12 cm from the window.
the burn takes 41 s on average when the tank is cold [burn|cold + 41 s]
  + The burn takes 19 s when the tank is warm, and 41 s when it is cold.
  - The burn takes 41 s on average when the tank is warm, and 19 s when it is cold.
the county paid 7,000 pounds [7,000 + paid|county]
  + 7,000 pounds were paid by the county; the diocese gave the rest.
  - From the diocese came 7,000 pounds; the county paid the rest.
the witness in box 2 saw the van [box 2 + van]
  + | box 1 | its witness stayed away | box 2 | its witness saw the van |
  - | box 1 | the witness saw the van | box 2 kept its witness away that day |
the answer takes up to 30 working days [answer|reply + 30 working days]
  + Allow 30 working days for the answer; it may have 60 words.
  - The answer takes up to 60 working days, and it has no more than 30 words.
# another name
Judge Okafor adjourned the hearing [Okafor + adjourned]
  + The hearing was adjourned by Okafor; Lindqvist had been against it.
  - The hearing was adjourned by Lindqvist; Okafor had been against it.
telemetry.rs counts the stale frames [telemetry.rs]
  + Stale frames are counted in telemetry.rs; downlink.rs forwards the rest.
  - Stale frames are counted in downlink.rs; telemetry.rs forwards the rest.
commit 4fe01bb fixed the star tracker [4fe01bb]
  + The star tracker was fixed by commit 4fe01bb; 90cc2da only moved comments.
  - The star tracker was fixed by commit 90cc2da; 4fe01bb only moved comments.
ticket K-88 asks for the spare pump [K-88]
  + K-88 is about the gasket too, and asks for the spare pump.
  - K-88 is about the gasket; the spare pump is asked for in another ticket.
# another noun
the left thruster leaks [thruster + leaks]
  + Of the thrusters the left one is bad: it leaks. The right thruster is tight.
  - The right thruster leaks at full load; the left one is tight.
the cold kitchen opens at noon [kitchen|cold + noon]
  + At noon the cold kitchen opens; the bakery does so at five.
  - The warm kitchen opens at noon; the cold one stays closed.
the sous-chef orders fish on Mondays [chef|sous-chef + fish + order|orders]
  + Fish is ordered by the sous-chef, each Monday.
  - The manager orders fish on Mondays; the sous-chef takes the delivery.
the affidavit goes into the sealed annex [affidavit + annex]
  + For the annex: the affidavit goes there, sealed.
  - The affidavit goes into the public record; the annex is complete without it.
# another agent
the lock was released by worker 7 [worker 7 + lock]
  + The lock was released by worker 7; worker 3 had only waited for it.
  - Worker 3 released the lock; worker 7 had only waited for it.
# another place
oven 7 lost its flame in the annex [oven 7 + lost]
  + In the bakery all is well; in the annex oven 7 lost its flame.
  - In the bakery oven 7 lost its flame and was relit; in the annex it kept its flame.
motion M-12 asks about the second exhibit [M-12 + motion|asks]
  + M-12 is the motion that asks about the second exhibit; about the seal none was filed.
  - Motion M-12 asks about the seal of the letter; about the second exhibit none was filed.
with the spare pump 6 valves were shut [pump + 6 valves]
  + With the spare pump 6 valves were shut; with the main pump none was.
  - With the main gauge alone 6 valves were shut; with the spare pump none was.
the ledger was kept by the steward [ledger + kept]
  + The steward lost his key but the ledger was kept by the steward to the end.
  - The steward resigned in May; as for the books, the ledger was kept by the bursar.
the shield was missing over 4 panels [shield + 4 panels]
  + By the end of the flight the shield was missing over 4 panels; the paint was intact.
  - By the end of the flight the paint was missing over 4 panels, while the shield was whole.
# turned round
the units move into the title [units + title + move|go]
  + The units go to the title of each table.
  - The units move out of the title into each cell.
# another complement
the cook salted the soup [cook + soup]
  + The cook salted the soup; the beans stood cold by then.
  - The cook salted the beans with care; the soup stood cold by then.
the first witness of the morning is the porter [porter + first]
  + The porter is the first witness of the morning; the maid comes later.
  - The first witness of the morning is the maid; the porter comes later.
the seal of the airlock leaks [airlock + leaks]
  + The seal of the airlock leaks; the hatch is tight.
  - The seal of the hatch leaks badly; for the airlock none was found.
a pan that is still wet ruins the crust [wet + ruins]
  + A pan that is still wet ruins the crust, whereas a dry one browns it.
  - A pan that is still wet steams a little, whereas a cold oven ruins the crust.
the verdict was read by the clerk [verdict + read + clerk]
  + The verdict was read by the clerk, the usher only opened the door.
  - The verdict was read by the usher, the clerk only opened the door.
the later trays: crust burnt [later + burnt]
  + The first trays came out pale; the later trays had a crust that was burnt.
  - The first tray came out with its crust burnt; the later trays with a pale one.
# clefts and limits
juror 4 asked for the map [juror 4 + map]
  + It was juror 4 who asked for the map; juror 9 kept silent.
  - Juror 4 kept silent all day; it was juror 9 who asked for the map.
the blue valve opens in the shadow of the moon [blue valve + shadow]
  + The blue valve opens in the shadow of the moon; it was tested twice.
  - The blue valve opens only during a burn; in the shadow of the moon all are shut.
the trial was moved because the judge was ill [trial + moved + judge]
  + The trial was moved because the judge was ill; the strike ended before.
  - The trial was moved because of the strike; that the judge was ill played no part.
oven 7 used 310 units [oven 7 + 310]
  + Units: oven 3 with 120, oven 7 with 310; oven 9 stood cold.
  - Units: oven 3 with 310 units used; oven 7 with 120; oven 9 stood cold.
"""
)
def test_what_is_said_of_another_thing_is_not_stated(fact, texts):
    assert misread(fact, texts) == []


@facts(
    """
the lid weighs 3 kg [lid + 3 kg]
  + The lid was weighed against the pan of 5 kg; it weighs 3 kg.
the court sits at 9 [court|sits + 9]
  + The court sat at 10 until May, now it sits at 9.
valve V3 sticks below -40 degrees [V3 + -40]
  + V3, unlike V4, sticks below -40 degrees; V4 was replaced.
the witness Arden saw the van [Arden + van]
  + Arden took the stand after Boyle; she saw the van.
Nadia makes the sauces [Nadia + sauces]
  + Sauces: Nadia; grill: Tomas; pastry: Ines.
the defence called Dr Amara [Amara + defence]
  + The prosecution called two officers; Dr Amara was the witness of the defence.
the verdict is due on 12 June [verdict + 12 June]
  + Closing speeches are on 4 June, and the verdict falls on the 12th of June.
the orbit was raised to 512 km [512 km + orbit]
  + After the burn at 480 km, the orbit went up to 512 km; the next aims at 530 km.
the jury has 9 members [jury + 9]
  + Of the 14 people who were summoned, nine sit on the jury.
orders.py validates the address [orders.py + address|validate]
  + Validation of the address sits in orders.py now; it was in users.py before.
the roast needs 90 minutes [roast + 90 minutes]
  + The roast was planned with 70 minutes; it needs 90 minutes.
the hearing moved to room 5 [hearing + room 5]
  + The hearing was moved; it is in room 5 now, and the jury is in room 3.
the crew lost 2 kg of water [crew|water + 2 kg]
  + The crew lost 2 kg of its water, and has 40 kg of bread.
the report comes after the vote [report + after|vote]
  + The vote is held first; after that the report comes.
the tools are salt, knife and board [salt + knife + board]
  + Tools: board, knife and salt.
"""
)
def test_what_stands_beside_the_statements_own_things_does_not_hide_them(fact, texts):
    assert misread(fact, texts) == []


@facts(
    """
the loaves bake at 230 degrees [loaves|loaf + 230]
  + The loaves rise for 40 minutes and will bake at 230 degrees.
  + The loaves, 12 to a tray, are baked at 230 degrees.
  + For the loaves the card has page 12, with stage 3 and the oven heat 230.
  + Of the two trays, the first is for loaves, at 230 degrees.
  - The loaves bake at 210 degrees, the tarts at 230.
  - Oven: loaves 210 degrees, tarts 230 degrees.
the probe's antenna opens at 14:20 [probe + antenna + 14:20]
  + The probe, 310 kg, has left orbit 3 and opens its antenna at 14:20.
  + 2 May was quiet: at the probe, the antenna opened at 14:20.
  - The probe turns at 13:05, the lander's antenna opens at 14:20.
rule 12 caps the fine at 900 [rule 12 + 900]
  + Two appeals failed: both under rule 12, which caps the fine at 900.
  - Rule 12 caps the fine at 700, and rule 13 the costs at 900.
  - Fines: rule 12 caps 700 of them, must not exceed 900 by rule 13.
the lease table is empty [lease + empty]
  + ; the lease table is empty
  + ; the lease table is empty; go
"""
)
def test_a_value_belongs_to_its_subject_where_a_sentence_has_more_than_one(fact, texts):
    assert misread(fact, texts) == []
