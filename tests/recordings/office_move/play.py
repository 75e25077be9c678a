"""Assistant: an office moves to another building and its team goes off-site.

The date of the move changes twice and so does the mover's price; an offer without VAT looks
cheapest, a list of names goes to a namesake, a hotel cancels, and slots before nine are refused.
People, firms and places are made up; ``desk.py`` serves calendar, mail, contacts and notes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from desk import Desk
from questions import ends
from recorder import Call, Play, Recorder

SYSTEM = """You are the personal assistant of Ines Marchetti at Lumenrow, an office for acoustics.
You have her calendar, her mail, her contacts and a folder of notes. Look before you write, say what
you did and what you did not do, and keep her standing rules until she changes them."""


def mail(thread: str) -> Call:
    """Read a thread."""
    return "mail_read", {"thread": thread}


def search(query: str) -> Call:
    """Search all mail that has arrived."""
    return "mail_search", {"query": query}


def paper(name: str) -> Call:
    """Read an attachment."""
    return "read_attachment", {"name": name}


def send(to: str, thread: str, body: str, attachments: Sequence[str] = ()) -> Call:
    """Answer in a thread."""
    more = {"attachments": list(attachments)} if attachments else {}
    return "mail_send", {"to": to, "thread": thread, "body": body} | more


def days(first: str, last: str) -> Call:
    """List the calendar of some days."""
    return "calendar_list", {"first": first, "last": last}


def book(title: str, day: str, hours: str, people: Sequence[str], room: str = "") -> Call:
    """Make an entry; ``hours`` as in "09:00-18:00"."""
    start, end = hours.split("-")
    where = {"room": room} if room else {}
    times = {"start": f"{day} {start}", "end": f"{day} {end}"}
    return "calendar_create", {"title": title} | times | {"people": list(people)} | where


def shift(id: str, day: str, hours: str, room: str | None = None) -> Call:
    """Move an entry."""
    start, end = hours.split("-")
    where = {} if room is None else {"room": room}
    return "calendar_move", {"id": id, "start": f"{day} {start}", "end": f"{day} {end}"} | where


def note(path: str) -> Call:
    """Read a note."""
    return "read_note", {"path": path}


def write(path: str, content: str) -> Call:
    """Write a note."""
    return "write_note", {"path": path, "content": content}


def edit(path: str, old: str, new: str) -> Call:
    """Change a note."""
    return "edit_note", {"path": path, "old": old, "new": new}


def contact(name: str) -> Call:
    """Look somebody up."""
    return "contacts_find", {"name": name}


# Notes --------------------------------------------------------------------------

BOOKINGS = """# Bookings

All amounts include VAT. One line for each booking, with its reference.

| what | when | reference | amount | state |
|---|---|---|---|---|
| loading bay Brunt Mill | Fri 24 April, 08:00 to 16:00 | BM-L-207 | none | confirmed |
| fibre Brunt Mill | Tue 21 April | PF-77120 | 226.80 GBP a month | ordered |
| flights to Hamburg | 11 to 14 May | FL-88102 | 163.90 GBP a head | hold until 12 March |
| hotel Elbspeicher | 12 to 14 May | ES-4471-G | 131.00 EUR a night | option until 12 March |
"""

SUPPLIERS = """# Movers compared

All amounts include VAT of 20 %.

| mover | reference | total GBP | cover per item | crate for the plotter | crew |
|---|---|---|---|---|---|
| Northway Movers | NW-3391 | 4,416.00 | 25,000 | included | 6 |
| Bexley & Sons | letter of 28 February | 4,668.00 | 10,000 | by the owner | 4 |
| Castle Haul | 4410 | 5,208.00 | 30,000 | 234.00 extra | 7 |

Needed: cover of at least 18,500 per item, because of the plotter (policy AL-55-90812).
Rejected: Bexley & Sons, cover too low and the plotter at the owner's risk; the price was net.
"""

MOVE_PLAN = """# Move to Brunt Mill 3.2

- Day of the move: Friday 24 April 2026.
- Bay and goods lift: BM-L-207, two slots of four hours.
- Goods lift: 900 kg, cab 150 x 210 x 220 cm. The reception counter goes in two parts.
- Fitting of what is heavy: rack on plate P3, plotter by the north wall.
- On site all day, named to the house: Jo.

## Order of the day

1. archive and plotter room
2. main floor
3. lab; instruments with Bilal
4. servers last, as they are shut down the evening before
"""

SERVERS = """# Servers on the day of the move

- Backup at 17:00 on the day before, shutdown of helm and tiller at 18:00.
- Rack travels empty; full it weighs 262 kg.
- Start in the order tiller, helm, keel, mast. The other way round: ELM-7 from the licence server.
- Plate P3, north wall.
"""

TRAVEL = """# Travel to Luebeck

- Out: Mon 8 June, NJ 418, Manchester 15:40, Hamburg 18:25 local.
- Back: Thu 11 June, option 16 of the list.
- File FL-88213, 11 people; Priya in FL-88240, lands on Mon 8 June at 12:55.
- Train Hamburg to Luebeck: 45 minutes, group day ticket 34.80 EUR for five.
- Two come by train from Bremen.
- Bilal: passport ends on 30 May, new one on 2 April.
"""

FOOD = """# Food at the off-site

Counts only; names stay with Sorcha.

- 4 vegetarian, 1 vegan
- 1 walnut allergy, serious
- 2 without pork, 1 without lactose
- list to the hotel by 29 May
"""


ACCESS = """# Fobs for Brunt Mill 3.2

| no | name | from |
|---|---|---|
| 1 | Ines Marchetti | 15 May |
| 2 | Tomasz Brandt | 15 May |
| 3 | Dana Whitlock | 15 May |
| 4 | Oluwaseun Adeyemi | 15 May |
| 5 | Kees Vermeer | 15 May |
| 6 | Sorcha Nolan | 15 May |
| 7 | Bilal Haddad | 15 May |
| 8 | Johanna Lindqvist | 15 May |
| 9 | Marta Ellery | 18 May |
| 10 | Henk Osei | 18 May |
| 11 | Ada Winslow | 15 May |
| 12 | Piotr Malik | 15 May |
| 13 | Saoirse Quill | 15 May |
| 14 | Dev Anand Rao | 15 May |
| 15 | Lotte Brink | 15 May |
| 16 | Callum Frew | 15 May |
| 17 | Yuki Tanabe | 15 May |
| 18 | Rosa Okonjo | 15 May |
| 19 | Ivo Petrik | 15 May |
| 20 | Hanne Dahl | 15 May |
| 21 | Nasrin Jafari | 15 May |
| 22 | Theo Garbutt | 15 May |
"""


# The days -----------------------------------------------------------------------


def monday(session: Recorder, desk: Desk) -> None:
    """The rules, the state of things, and three offers."""
    session.system(SYSTEM)
    session.user(
        "Good morning. We are moving. Out of Calder Yard, into Brunt Mill, and the team goes "
        "off-site in May on top of it, and I would like to still be a person in June. You take "
        "the organising, I take the decisions. Some rules first, they hold for all of it:\n\n"
        "1. Nothing goes into anybody's calendar before 9 in the morning. Not even for ten "
        "minutes, not even if the Pope asks. People here have children to bring to school.\n2. "
        "Gareth (our chairman) gets no mail from you without my asking for it. If you think he "
        "has to know something, tell me.\n3. Every price that you give me or write down is "
        "including VAT. Suppliers love to show net.\n4. Answer people in their own language. The "
        "hotels are German, so write German to them, the formal kind.\n5. Meetings have at most "
        "eight people. If it is more, make two.\n6. No deposit above 500 (pounds or euros) "
        "without my explicit yes.\n7. Bookings go into notes/bookings.md with their reference, "
        "the same day.\n8. Dates with the weekday, please. 'the 24th' has cost me a wedding "
        "once.\n\n"
        "Move is on Friday 24 April. Start by reading yourself in: notes, mail of the last week, "
        "calendar. Then tell me what you see."
    )
    session.together(
        [
            ("list_notes", {}),
            note("notes/team.md"),
            note("notes/todo.md"),
            note("notes/offsite-hamburg.md"),
            note("notes/inventory.md"),
        ],
        "I read the notes first, then the mail, then the calendar. Nothing is sent before you have "
        "heard from me.",
    )
    session.together([note("notes/lease-calder-yard.md"), note("notes/old-shortlist.md")])
    session.together([search("2026-02"), search("2026-03")], "Now what has come in.")
    session.together([mail("T-101"), paper("bruntmill-rules-v6.txt")])
    session.together([mail("T-105"), mail("T-113"), mail("T-112")])
    session.together([days("2026-03-02", "2026-03-13")], "And the two weeks in front of us.")
    session.say(
        "Here is what I see.\n\n"
        "The new building is well organised: the manager, Mr Hale, has reserved the loading bay "
        "and the goods lift for your Friday and has sent the rules of the house. They have teeth "
        "(a weight limit in the lift, a certificate from the mover, one person who stays all "
        "day), but nothing that we cannot meet. He also wants a list of the people who get a key "
        "fob; that list is personal data and goes to him alone.\n\n"
        "The old building has to be empty by the end of May, so there are five weeks between the "
        "move and the handback. That is comfortable. Ms Croft refers to a schedule of what "
        "belongs to the landlord; the note has page one of it, and says that page two was never "
        "found.\n\n"
        "Three movers have made offers, which I have not compared yet. For the off-site there is "
        "an option on rooms in Hamburg, and held seats, both running out next week. Nobody has "
        "ended the old line yet, and the new one is on order.\n\n"
        "Mr Pole wrote to you in his way; I take rule 2 as confirmed. He names a frame for the "
        "costs, I have it in mind. And Priya asks for afternoons only, in London time.\n\n"
        "I propose this order: movers today, since one of them keeps the date only until the "
        "twentieth; then line and cancellation; then the off-site. Is that all right?"
    )
    session.user("yes pls")
    session.together(
        [mail("T-102"), paper("northway-NW-3391.txt"), mail("T-103"), paper("bexley-offer.txt")],
        "The three offers, with their attachments.",
    )
    session.together([mail("T-104"), paper("castlehaul-4410.txt")])
    session.say(
        "I have been through them. At first sight it is simple: Bexley & Sons are the cheapest by "
        "a good distance, at 3,890, and Northway come second. Castle Haul are well above both, "
        "but bring their own lift operator, whatever that is worth in a house that has a lift of "
        "its own.\n\n"
        "My first recommendation would be to ask Bexley about the plotter and then to take them."
    )
    session.user("is 3890 with vat? rule 3!!")
    session.say(
        "You are right, and I am sorry: it is not. The total in Bexley's letter is net, the small "
        "print adds the tax. Northway's figure has it in already. With VAT on both sides Bexley "
        "come to 4,668 and Northway to 4,416, so Bexley are not the cheapest, Northway are. I "
        "compared a net price with a gross one, which is exactly what you told me not to do. From "
        "here on I convert before I compare."
    )
    session.user(
        "Good. Don't decide on money alone though, ask what the plotter is insured for, Aldersyde "
        "has the policy. And ask Bexley about it, politely, he is somebody's uncle. By the way, "
        "the grey safe in the plotter room isn't ours, it was there when we came and belongs to "
        "the landlord, so it stays where it is. Right, what about the kickoff? I want everybody "
        "who has a job in this around a table on Thursday 5 March after the board: you know, "
        "Tomasz, Dana, Olu, Kees, Sorcha, Bilal, Jo, Marta, Henk and me."
    )
    session.together(
        [
            send(
                "ron@bexleysons.example",
                "T-103",
                "Dear Mr Bexley,\n\n"
                "thank you for your offer. Two questions before we decide: up to which sum is a "
                "single piece insured, and is the wide-format plotter (212 kg) carried at your "
                "risk? Please name all prices including VAT.\n\n"
                "Kind regards\nfor Ines Marchetti",
            ),
            send(
                "claims@aldersyde.example",
                "T-123",
                "Dear colleagues,\n\n"
                "we are moving from Calder Yard to Brunt Mill. For which sums are the wide-format "
                "plotter and the reference meters insured under our policy, and does the policy "
                "cover the transport?\n\n"
                "Kind regards\nfor Ines Marchetti",
            ),
            contact("Henk"),
        ],
        "Both questions go out now. For the kickoff I count ten people, which is two more than a "
        "meeting may have.",
    )
    session.together(
        [
            book(
                "Move kickoff A: building and IT",
                "2026-03-05",
                "10:45-11:30",
                ["Ines", "Jo", "Olu", "Kees", "Dana", "Sorcha", "Marta"],
                "Aire",
            ),
            book(
                "Move kickoff B: lab and field",
                "2026-03-05",
                "11:45-12:30",
                ["Ines", "Jo", "Tomasz", "Bilal", "Henk"],
                "Aire",
            ),
        ],
        "So I make two: one for building and IT, one for lab and field.",
    )
    session.together(
        [
            book(
                "Move kickoff A: building and IT",
                "2026-03-05",
                "10:45-11:30",
                ["Ines", "Jo", "Olu", "Kees", "Dana", "Sorcha", "Marta"],
                "Wharfe",
            )
        ],
        "Aire is too small for the first one; Wharfe is free once the board is out.",
    )
    session.say(
        "Two kickoffs on Thursday 5 March, directly after the project board: the first in Wharfe "
        "with seven people, the second in Aire with five. You and Jo are in both. Ten at one "
        "table would have been against your own rule, so I did not ask.\n\n"
        "Next I put the day of the move into the calendar for those who have to be there."
    )
    session.together(
        [
            book(
                "Office move, Calder Yard to Brunt Mill",
                "2026-04-24",
                "09:00-18:00",
                ["Jo", "Olu", "Kees", "Bilal"],
            )
        ],
    )
    session.together(
        [
            book(
                "Office move, Calder Yard to Brunt Mill",
                "2026-04-24",
                "09:00-18:00",
                ["Jo", "Olu", "Kees"],
            ),
            shift("EV-267", "2026-04-23", "16:00-16:45"),
        ],
        "Bilal is at a handover with Norrland Rail that afternoon; a client goes first, so I "
        "leave him out. I also try to move the week close by a day.",
    )
    session.together(
        [shift("EV-267", "2026-04-22", "16:00-16:45")],
        "Kees is at the fair on that Thursday, so Wednesday.",
    )
    session.together(
        [
            book(
                "Office move, Calder Yard to Brunt Mill",
                "2026-04-24",
                "09:00-18:00",
                ["Jo", "Olu", "Kees"],
            ),
            days("2026-04-20", "2026-04-24"),
        ]
    )
    session.say(
        "The day of the move, Friday 24 April, is in the calendar of Jo, Olu and Kees, from nine "
        "to six. The week close of that week has moved to the Wednesday. Bilal comes when his "
        "client lets him go."
    )
    session.user("ok go on")
    session.together(
        [mail("T-106"), mail("T-108"), mail("T-111"), paper("fairlead-options.txt"), mail("T-119")],
        "Line, hotel, flights.",
    )
    session.together(
        [
            send(
                "contracts@tarntelecom.example",
                "T-107",
                "Dear colleagues,\n\n"
                "please tell us with which notice and in which form our contract for Calder Yard "
                "4 can be ended, and what it costs a month including VAT.\n\n"
                "Kind regards\nfor Ines Marchetti",
            ),
            write("notes/bookings.md", BOOKINGS),
        ],
        "I ask the old provider for the terms and start the list of bookings, as rule 7 wants it.",
    )
    session.say(
        "End of the first day. The list of bookings exists, with four lines, all amounts with "
        "tax. Four answers are outstanding: Bexley on the plotter, the insurer on the sums, the "
        "old provider on the notice, and yours on Hamburg. On Hamburg I would wait two days, both "
        "holds last into next week, and the off-site stands or falls with the date of the "
        "move.\n\n"
        "The brochure of a furniture shop with booths I have left alone. Its sender has the same "
        "name as the building manager, by the way, which will be confusing one day."
    )


def tuesday(session: Recorder, desk: Desk) -> None:
    """Answers about cover and VAT; a mover is chosen."""
    desk.deliver("2026-03-03")
    session.user("morning! what came in")
    session.together([search("2026-03-03"), mail("T-103"), mail("T-123")])
    session.together([mail("T-107"), mail("T-116"), mail("T-114")])
    session.say(
        "Five answers, and they settle the mover.\n\n"
        "The insurer covers plotter and meters only where they stand, not on the road, so the "
        "mover's own cover has to reach the value of the plotter for a single item. Bexley's does "
        "not, by a wide margin, and he carries plotters at our risk unless we crate them "
        "ourselves. Northway's does, and the crate is part of the price. Castle Haul's does too, "
        "but costs almost eight hundred more.\n\n"
        "So I would take Northway and decline Bexley. The reason to write down is the liability, "
        "not the price: even if he came down, the plotter would travel uninsured.\n\n"
        "Dana asks for gross figures and has given us an order number and two cost centres. "
        "Tomasz has a date for the laboratory; it belongs into the plan. The old provider wants a "
        "signed notice, and the date of it depends on when the new line works."
    )
    session.user(
        "Northway then. Reject Bexley, nicely, and write down why so that nobody starts again "
        "with 'but he is cheaper'. Don't order yet, I want the building's word first that the "
        "floor is ready. And Castle Haul?"
    )
    session.together(
        [
            send(
                "ron@bexleysons.example",
                "T-103",
                "Dear Mr Bexley,\n\n"
                "thank you for your quick answer. We have decided for another firm: our plotter "
                "is insured for more than your cover per piece, and it may not travel at our own "
                "risk. I wish you a good spring.\n\n"
                "Kind regards\nfor Ines Marchetti",
            ),
            send(
                "bookings@castlehaul.example",
                "T-104",
                "Dear Ms Prior,\n\n"
                "your quotation 4410 is our second choice. Would you have a crew on a Friday in "
                "May, should our date move?\n\n"
                "Kind regards\nfor Ines Marchetti",
            ),
            write("notes/suppliers.md", SUPPLIERS),
            edit(
                "notes/todo.md",
                "- [ ] choose a mover",
                "- [x] choose a mover: Northway (notes/suppliers.md)",
            ),
        ],
        "The comparison goes into a note of its own, with the reason. Castle Haul I keep warm in "
        "case the date moves.",
    )
    session.say(
        "Done. Bexley has his letter; the note on the suppliers has the three offers side by "
        "side, all including VAT, and one sentence on why he was rejected. I have not ordered "
        "anything. Castle Haul are asked about May, without a promise.\n\n"
        "One thing that I noticed while comparing: all movers load what is on the written "
        "inventory and leave what is not. The inventory that Jo counted is everything that stands "
        "in the rooms. It has to be gone through before it is signed; I will come back to that "
        "when it is due."
    )
    session.user(
        "fine. write the move plan too, one page. Who does what, in which order. And for the "
        "off-site: Tomasz can't do stairs at the moment. Don't tell anybody why or who, his knee "
        "is nobody's business, just make sure that he gets a room and a seminar room without "
        "steps."
    )
    session.together([write("notes/move-plan.md", MOVE_PLAN), note("notes/team.md")])
    session.say(
        "The plan is a page: the day, the bay, the order of the rooms, and who is named to the "
        "house. I have put the archive first, as it is heavy, dull and needs nobody of ours, and "
        "the servers last. The laboratory has its deadline in it as soon as Olu and Tomasz agree "
        "on the order.\n\n"
        "Step-free rooms: I ask every hotel for ground-floor rooms without steps and give no "
        "reason and no diagnosis. A name will be needed at the very end for the room itself, "
        "nothing else."
    )
    session.user(
        "And how do you see the weeks until then? I need something to tell people at the kickoff. "
        "Not a Gantt chart, I beg you, just tell me as you would tell a friend."
    )
    session.say(
        "As I would tell a friend, then, counted backwards from the day of the move, whichever "
        "day it turns out to be.\n\n"
        "Six weeks before: order the mover, because the crate for the plotter has a waiting time. "
        "Ask everybody what they do not want to take along; offices are like attics, a third of "
        "it is there because nobody threw it away. Five weeks before: order the line and the "
        "cancellation as a pair, never one without the other, so that there are at least two "
        "weeks in which both lines are alive. Four weeks before: the plan of the seats is final, "
        "and every desk has a number that is also on its crates. Three weeks before: the crates "
        "come. Two weeks before: the inventory is signed, the insurer knows the new address, and "
        "the list of fobs is with the building. One week before: nothing new is begun in the "
        "laboratory. The day before: backup, shutdown, and everybody goes home in time. The day "
        "itself: as few of us as possible, because people who stand around in a corridor are an "
        "obstacle with opinions.\n\n"
        "What worries me in all this is not the packing. It is that three things depend on one "
        "another and belong to three firms: the floor, the lift and the line. If one of them "
        "slips, the date slips, and then every mail that I have written has to be written again. "
        "So I keep all the dates in as few places as I can: the calendar, the plan and the list "
        "of bookings. If you see a date anywhere else, it is a copy."
    )
    session.user("I like the attic. fine")


def thursday(session: Recorder, desk: Desk) -> None:
    """The floor is not ready: the first change of the date, and a dearer quote."""
    desk.deliver("2026-03-05")
    session.user("both kickoffs done, everybody has opinions. Mail?")
    session.together([search("2026-03-05"), mail("T-101")])
    session.together([mail("T-102"), mail("T-106"), mail("T-115"), mail("T-120")])
    session.say(
        "Bad news from Brunt Mill, politely told: the oak floor has been oiled and is too damp, "
        "and nobody with castors may go in before the first week of May. The first day that Mr "
        "Hale can offer is Friday 8 May; he has released the old slot and entered a new one, and "
        "the house takes something off the rent for it.\n\n"
        "Northway can do that day with the same crew. Their price goes up to 4,788 including VAT: "
        "a second driver after the bank holiday, and the steel shelves of the archive, which Jo "
        "had not counted as coming along.\n\n"
        "The provider of the line names two days in May, one of them after that date. Olu has "
        "described how the servers are to be shut down and started, in great detail; that becomes "
        "a note, because nobody will remember the order. Kees has drawn the seats.\n\n"
        "With 8 May the off-site in the week after would be a hard landing: three days after a "
        "move, with crates everywhere. Feasible, though. What do you say?"
    )
    session.user(
        "8 May then, what can I do. Off-site stays for the moment, people need something to look "
        "forward to. Put the new date everywhere, calendar too, and give the week close of April "
        "its Friday back."
    )
    session.together(
        [
            shift("EV-332", "2026-05-08", "09:00-18:00"),
            shift("EV-267", "2026-04-24", "16:00-16:45"),
            days("2026-05-04", "2026-05-15"),
        ],
        "First the calendar.",
    )
    session.together(
        [
            shift("EV-287", "2026-05-06", "16:00-16:45"),
            shift("EV-332", "2026-05-08", "09:00-18:00"),
        ],
        "The week close of May is in the way. It goes to the Wednesday of that week, then the "
        "move fits.",
    )
    session.together(
        [
            edit("notes/move-plan.md", "Friday 24 April 2026", "Friday 8 May 2026"),
            edit("notes/move-plan.md", "BM-L-207", "BM-L-219"),
            edit(
                "notes/bookings.md",
                "Fri 24 April, 08:00 to 16:00 | BM-L-207",
                "Fri 8 May, 08:00 to 16:00 | BM-L-219",
            ),
            edit(
                "notes/suppliers.md",
                "| Northway Movers | NW-3391 | 4,416.00 |",
                "| Northway Movers | NW-3391-B | 4,788.00 |",
            ),
            write("notes/servers.md", SERVERS),
        ],
        "Then the notes; Olu's list becomes one of its own.",
    )
    session.together(
        [
            send(
                "m.hale@bruntmill.example",
                "T-101",
                "Dear Mr Hale,\n\n"
                "Friday 8 May suits us, please keep BM-L-219. Thank you for the two weeks of "
                "rent. The comms room is needed before that day; I will name the day as soon as "
                "the line is fixed.\n\n"
                "Kind regards\nfor Ines Marchetti",
            ),
            send(
                "f.castell@northwaymovers.example",
                "T-102",
                "Hello Ms Castell,\n\n"
                "the date moves to Friday 8 May, as you have seen. Please keep crew and crate. "
                "The order follows once the floor is released.\n\n"
                "Kind regards\nfor Ines Marchetti",
            ),
        ]
    )
    session.say(
        "The new date stands in the calendar, in the plan, in the list of bookings and in the two "
        "mails that had to go out. The week close of April could not have its Friday back, the "
        "client has the room and Bilal until five; it stays on the Wednesday. The comparison now "
        "says 4,788, and with that the distance to Bexley is gone; but he was not rejected over "
        "the price, so nothing changes.\n\n"
        "The line: I would rather not order the new day before the date has survived a week. If "
        "you want to be sure, take the later one of the two days, it is the one that works for "
        "either."
    )
    session.user("hm. ok wait with the line")
    session.user(
        "Kees had an idea at the kickoff: move in two halves. The desks on the old date to some "
        "corner that is not oiled, the lab in May. Tell me why that's bad, or why it's good, I "
        "promised him an answer."
    )
    session.say(
        "I have turned it over and I think that it is bad, though not silly. For it speaks that "
        "the people with desks would settle earlier, and that the laboratory could stay where it "
        "works until the last measurement is done.\n\n"
        "Against it speak four things. First, there is no corner: the suite is one floor, it was "
        "oiled in one go, and the fitter has closed the whole of it. Second, two moves are two "
        "crews, two bookings of bay and lift and two days of people in corridors; I would be "
        "surprised if Northway did it for less than one and a half times the price. Third, the "
        "servers can be in one place only, and whoever sits in the other place would work over a "
        "line that does not exist yet. Fourth, Jo has to be in the new building for the whole of "
        "a move, and she is also the one who keeps the old one running.\n\n"
        "So my answer to Kees would be: a good question, no, and above all because of the "
        "servers. If you want to offer him something, offer him that the drawing office is "
        "unloaded first on the day."
    )
    session.user(
        "good, I tell him no because of the servers. Drawing office first, put that somewhere"
    )
    session.together(
        [
            edit(
                "notes/move-plan.md",
                "1. archive and plotter room",
                "1. archive and plotter room; drawing office unloaded first (promised to Kees)",
            )
        ],
        "It goes into the order of the day.",
    )
    session.user(
        "Different thing. Who of us is in the office on Fridays at all, for the move? And is 8 "
        "May a day on which I am free myself?"
    )
    session.together(
        [
            note("notes/team.md"),
            ("calendar_list", {"first": "2026-05-01", "last": "2026-05-15", "person": "Ines"}),
        ]
    )
    session.say(
        "On Fridays there are Olu, Sorcha, Bilal, Jo, Marta, Henk, Dana and you. Kees is not in "
        "on Fridays by the list; he has said at the kickoff that he comes for the move. Yourself "
        "you are at the trustees' meeting in the morning of 8 May and in the people round, which "
        "overlap, as it happens. That double entry is older than me. Shall I tell Sorcha, or do "
        "you?"
    )
    session.user("I tell her.")
    session.point("p1")


def second_monday(session: Recorder, desk: Desk) -> None:
    """The hotel cancels; Luebeck, and a loft with 41 steps."""
    desk.deliver("2026-03-09")
    session.user("good morning, nice weekend? anything burning?")
    session.together([search("2026-03-09"), search("2026-03-06")], "I look.")
    session.together([mail("T-108"), mail("T-109"), paper("travewinkel-rooms.txt"), mail("T-110")])
    session.together([mail("T-103"), mail("T-104"), mail("T-105"), mail("T-117")])
    session.say(
        "Something is wet rather than burning: the hotel in Hamburg has had water on two floors "
        "and takes our option back. They were decent about it and have found us a colleague in "
        "Lübeck, who offers the same three days. Somewhat cheaper, no lift in the house, but two "
        "rooms on the ground floor without steps, and a seminar room down there as well.\n\n"
        "There is also a loft on the quay, and it looked like the better place, with the view, "
        "until I came to the end of the mail: the loft has 41 steps and no lift, and no hope of "
        "one. With what you told me on Tuesday that is out, and I would not even ask for a "
        "price.\n\n"
        "Castle Haul have no Friday in May, so the reserve is gone. Bexley has gone down with the "
        "price, which changes nothing. Ms Croft would let us stay longer for a daily rate if "
        "Brunt Mill is late again; she needs to know by the end of April. And Sorcha has sent the "
        "food, in numbers only. I keep it that way."
    )
    session.user(
        "Lübeck. Never been, fine. Not the loft. Which seminar room, they have two? And rename "
        "that note, it says Hamburg. The shortlist of old buildings can go, I see it every time "
        "and get angry."
    )
    session.together(
        [
            (
                "rename_note",
                {"path": "notes/offsite-hamburg.md", "new_path": "notes/offsite-luebeck.md"},
            ),
            edit("notes/offsite-luebeck.md", "# Off-site in Hamburg", "# Off-site in Luebeck"),
            edit(
                "notes/offsite-luebeck.md",
                "hotel Elbspeicher, option ES-4471-G until 12 March",
                "Hotel Travewinkel, option TW-26-0512 until 13 March, 18:00",
            ),
            edit(
                "notes/offsite-luebeck.md",
                "- Hall Kehrwieder, 131.00 EUR a night with breakfast.",
                "- Seminar room Kogge (ground floor), 240.00 EUR a day; 126.00 EUR a night with "
                "breakfast.",
            ),
            ("delete_note", {"path": "notes/old-shortlist.md"}),
            write("notes/food.md", FOOD),
        ],
        "Kogge, not Mast: Mast is cheaper by a little, but on the third floor of a house without "
        "a lift.",
    )
    session.together(
        [
            edit(
                "notes/bookings.md",
                "| hotel Elbspeicher | 12 to 14 May | ES-4471-G | 131.00 EUR a night | option "
                "until 12 March |",
                "| Hotel Travewinkel | 12 to 14 May | TW-26-0512 | 126.00 EUR a night | option "
                "until 13 March |",
            ),
            send(
                "behrens@travewinkel.example",
                "T-109",
                "Sehr geehrte Frau Behrens,\n\n"
                "vielen Dank für die schnelle Hilfe. Wir möchten die Option halten. Als "
                "Seminarraum nehmen wir Kogge. Bitte halten Sie eines der Zimmer im Erdgeschoss, "
                "die ohne Stufen zu erreichen sind, für uns fest.\n\n"
                "Mit freundlichen Grüßen\nfür Ines Marchetti",
            ),
            send(
                "ruge@salzkontor.example",
                "T-110",
                "Sehr geehrter Herr Ruge,\n\n"
                "vielen Dank für Ihr Angebot. Wir haben uns für ein anderes Haus entschieden.\n\n"
                "Mit freundlichen Grüßen\nfür Ines Marchetti",
            ),
        ]
    )
    session.say(
        "Lübeck is held, not booked; the option lasts until Friday evening. The note has its new "
        "name, the shortlist is deleted, the food has a note with counts and no names. The "
        "gentleman with the loft has a friendly no, in German, although he had written English to "
        "us; tell me if that was pedantic.\n\n"
        "I have not changed the flights. They go to Hamburg either way and the train does the "
        "rest."
    )
    session.user(
        "Bilal asks if we could go by train instead of flying, he says it's only a day and "
        "greener. I'm half in love with the idea. Think about it?"
    )
    session.say(
        "I have thought about it, without asking anybody yet. The idea is lovely and I tried to "
        "make it work: down to London in the morning, under the Channel, Brussels, Cologne, "
        "Hamburg, Lübeck. With the connections as they usually are it is fifteen to seventeen "
        "hours, four changes, and the last one is after ten at night. For one person that is a "
        "good book. For a group of eleven with cases it means that somebody misses the second "
        "change, and then the rest waits or does not.\n\n"
        "There is a version with a night in Cologne. It costs eleven more rooms each way and two "
        "more days away from the work, for people who come out of a move. And the two from Bremen "
        "would have nothing to do with it in any case.\n\n"
        "My advice is to fly this time. If the climate is the point, there is more to win in the "
        "other direction: those who can may stay the weekend and take the train home at their own "
        "pace, and the office pays the ticket up to the price of the flight. That would be a "
        "decision for you and Dana, and I would not make it a promise yet."
    )
    session.user("ok no train. pity. Tell Bilal? no, I tell him")
    session.user(
        "He's German, it's fine. Can you find me half an hour with Dana this week about the "
        "budget? Tuesday or Wednesday, not over lunch, no need of a room."
    )
    session.together(
        [
            ("calendar_list", {"first": "2026-03-09", "last": "2026-03-13", "person": "Dana"}),
            ("calendar_list", {"first": "2026-03-09", "last": "2026-03-13", "person": "Ines"}),
        ]
    )
    session.together(
        [book("Budget of the move", "2026-03-11", "10:30-11:00", ["Ines", "Dana"])],
        "Wednesday morning looks good.",
    )
    session.together(
        [book("Budget of the move", "2026-03-11", "11:00-11:30", ["Ines", "Dana"])],
        "It is inside your finance hour with her, of course. Straight after it, then.",
    )
    session.say(
        "Wednesday 11 March, 11:00 to 11:30, right after your finance hour with her. My first try "
        "was in the middle of that hour; the calendar did not let me."
    )
    session.user("thx")
    session.user(
        "Another thing that has been on my mind all weekend. Half of them will want to take "
        "things along that nobody needs, and the other half will throw away things that others "
        "need. Last time it ended in tears over a coat stand. I don't want a policy, I want "
        "something that works without me. Ideas?"
    )
    session.say(
        "Three ideas, from gentle to strict.\n\n"
        "The gentle one: a corner with tape around it, from April on. Whoever does not want a "
        "thing any more puts it there, whoever wants it takes it away within a week, and what is "
        "left after that goes. No list, no names, no discussion; the corner decides. It works for "
        "everything that one person can carry, coat stands among them.\n\n"
        "The middle one: each person gets as many crates as fit under a desk, and no more. Who "
        "needs more asks a neighbour who has room. People are generous with room and mean with "
        "things, so it sorts itself.\n\n"
        "The strict one is for what belongs to all: the archive, the kitchen, the field store. "
        "There I would name one person each who has the last word, in writing and beforehand, as "
        "nobody cries over a decision that was made in March. Jo for the kitchen, Bilal for the "
        "field store, and for the archive Dana, since she knows how long papers have to be kept. "
        "Henk would be kinder, which is the reason not to ask him.\n\n"
        "I would do all three, and announce only the first."
    )
    session.user("ha. yes. all three. I announce the corner")
    session.user(
        "And while I have you: draft me three sentences for the staff page about the move. Don't "
        "send anything, I paste it myself."
    )
    session.say(
        "A draft, for you to paste:\n\n"
        '"We are moving to Brunt Mill on Friday 8 May. Please pack your desk into the crates that '
        "you "
        "find next to it from the Monday before, label each crate with your name and the number "
        "of your new desk, and take home what is dear to you. On the day itself most of you can "
        "work from wherever you like; those who are needed "
        'have an entry in the calendar."\n\n'
        "It has no names of the neighbours and no costs in it. If the date should move again, "
        "this is one more place where it stands, so tell me when you have pasted it."
    )
    session.user("not pasted yet, wait")


def wednesday(session: Recorder, desk: Desk) -> None:
    """The lift: the second change of the date. The off-site goes to June."""
    desk.deliver("2026-03-11")
    session.user("I hear from Jo that something is up with the lift at the mill?")
    session.together([mail("T-101"), search("2026-03-11")])
    session.together([mail("T-102"), mail("T-106"), mail("T-118")])
    session.say(
        "Jo has heard right. The inspector has found a fault in the goods lift; the part comes "
        "from abroad, and the new certificate will not be there before the middle of May. Nothing "
        "heavy goes up the stairs, so 8 May is off. Mr Hale holds Friday 15 May for us and wants "
        "to hear by this Friday, as a film crew is after the same day. The bay is taken until the "
        "evening before, so nothing of ours can stand there on the Thursday.\n\n"
        "Northway come on that day, too, and it is cheaper for them, without the second driver: "
        "4,632 including VAT, firm, and with an order number already. So the price has gone from "
        "4,416 over 4,788 to 4,632.\n\n"
        "What it breaks: the off-site. It would end on the evening before the move. I do not "
        "think that this can be saved in May: one of the two has to go.\n\n"
        "What it does not break: the handback of the old place, which leaves two weeks, and the "
        "line, if we take the later of the two days on offer."
    )
    session.user(
        "ok. 15 May for the move, that's final, I'm not moving this a third time. Off-site to 9 "
        "to 11 June, Tuesday to Thursday, with arrival on Monday 8 June. Ask hotel and Fairlead. "
        "Order Northway at the new price. Order the line for the 12th. Deposit for Northway yes, "
        "Dana knows. And put the week close in May where it belongs."
    )
    session.together(
        [
            shift("EV-287", "2026-05-08", "16:00-16:45"),
            shift("EV-332", "2026-05-15", "09:00-18:00"),
        ],
        "Calendar first: the week close of the 8th back to its Friday, then the move.",
    )
    session.together(
        [
            shift("EV-300", "2026-05-13", "16:00-16:45"),
            shift("EV-332", "2026-05-15", "09:00-18:00"),
            shift("EV-287", "2026-05-08", "16:00-16:45"),
            days("2026-05-11", "2026-05-15"),
        ],
        "The move itself was still on the 8th, so the order was wrong; and the other week close "
        "is in the way on the 15th.",
    )
    session.together(
        [
            send(
                "m.hale@bruntmill.example",
                "T-101",
                "Dear Mr Hale,\n\n"
                "we confirm Friday 15 May, BM-L-233, bay and goods lift in both slots. The comms "
                "room is needed on Tuesday 12 May for the line. The list of names for the fobs "
                "follows separately.\n\n"
                "Kind regards\nfor Ines Marchetti",
            ),
            send(
                "f.castell@northwaymovers.example",
                "T-102",
                "Hello Ms Castell,\n\n"
                "we order the move on Friday 15 May on the terms of NW-3391-C, 4,632.00 including "
                "VAT, your number NWO-5126, our order PO-2217. The deposit is approved and leaves "
                "on 1 April. Please send the certificate of public liability to the building "
                "three working days before.\n\n"
                "Kind regards\nfor Ines Marchetti",
            ),
            send(
                "behrens@travewinkel.example",
                "T-109",
                "Sehr geehrte Frau Behrens,\n\n"
                "unser Umzug zwingt uns zu einer Verschiebung: vom 9. bis 11. Juni, Anreise am "
                "Montag, 8. Juni, 14 Einzelzimmer und der Raum Kogge. Ist das möglich, und zu "
                "welchem Preis?\n\n"
                "Mit freundlichen Grüßen\nfür Ines Marchetti",
            ),
            send(
                "mirela@fairleadtravel.example",
                "T-111",
                "Dear Ms Stan,\n\n"
                "our trip moves: out on Monday 8 June in the afternoon, back on Thursday 11 June "
                "in the evening, 11 people from Manchester. Please release the May file.\n\n"
                "Kind regards\nfor Ines Marchetti",
            ),
        ],
        "Four mails: building, mover, hotel, flights.",
    )
    session.together([mail("T-109"), mail("T-111")], "Both have answered within the hour.")
    session.together(
        [
            edit("notes/move-plan.md", "Friday 8 May 2026", "Friday 15 May 2026"),
            edit("notes/move-plan.md", "BM-L-219", "BM-L-233"),
            edit("notes/suppliers.md", "NW-3391-B | 4,788.00", "NW-3391-C | 4,632.00"),
            edit(
                "notes/bookings.md",
                "Fri 8 May, 08:00 to 16:00 | BM-L-219",
                "Fri 15 May, 08:00 to 16:00 | BM-L-233",
            ),
            edit(
                "notes/bookings.md",
                "| 11 to 14 May | FL-88102 | 163.90 GBP a head | hold until 12 March |",
                "| 8 to 11 June | FL-88213 | 171.40 GBP a head | hold until 16 March, 17:00 |",
            ),
            edit(
                "notes/bookings.md",
                "| 12 to 14 May | TW-26-0512 | 126.00 EUR a night | option until 13 March |",
                "| 8 to 11 June | TW-26-0609 | 118.00 EUR a night | option until 20 March, 18:00 |",
            ),
            edit(
                "notes/offsite-luebeck.md",
                "12 to 14 May, 14 people, Hotel Travewinkel, option TW-26-0512 until 13 March, "
                "18:00",
                "9 to 11 June, 14 people, Hotel Travewinkel, option TW-26-0609 until 20 March, "
                "18:00",
            ),
            edit("notes/offsite-luebeck.md", "126.00 EUR", "118.00 EUR"),
            write("notes/travel.md", TRAVEL),
        ],
        "The notes, all of them.",
    )
    session.say(
        "All of it is turned round: the move is on Friday 15 May, the off-site on 9 to 11 June "
        "with arrival on Monday 8 June. Northway is ordered. Both travel partners said yes within "
        "the hour, and the hotel is even cheaper in June. The old May files are released without "
        "a charge. I have gone through every note for the old dates.\n\n"
        "Two small confessions. I moved calendar entries in the wrong order and was refused twice "
        "before it fitted. And I have not answered the provider of the line yet, because there is "
        "a snag: on the 12th they offer a slot from eight to nine at no charge, or one in the "
        "afternoon that costs extra."
    )
    session.user(
        "Olu says take the early one, he is up at that time anyway and it's free. Hm. He would "
        "have to be there at 8 with Henk."
    )
    session.say(
        "I would rather not: it would be an entry at eight in the morning for two people, and "
        "your first rule says that nothing goes into a calendar before nine, not even for ten "
        "minutes. Olu may be awake, Henk brings a child to school. If nobody answers, the system "
        "takes the early slot by itself on Friday evening, so we need to decide. The afternoon "
        "slot is net in their mail; I give you the gross figure when they confirm. It is a small "
        "sum against a rule that you meant."
    )
    session.user("You're right, the rule stands, also for Olu. Afternoon. Pay it.")
    session.together(
        [
            send(
                "orders@penninefibre.example",
                "T-106",
                "Dear Ms Byrne,\n\n"
                "please book PF-77120 for Tuesday 12 May in the slot from 13:00 to 15:00. We "
                "accept the extra charge; please confirm it including VAT, together with the "
                "address block.\n\n"
                "Kind regards\nfor Ines Marchetti",
            ),
            book("Line at Brunt Mill, technician", "2026-05-12", "13:00-15:00", ["Olu", "Henk"]),
            edit(
                "notes/bookings.md",
                "| Tue 21 April | PF-77120 | 226.80 GBP a month | ordered |",
                "| Tue 12 May, 13:00 to 15:00 | PF-77120 | 226.80 GBP a month | ordered |",
            ),
        ]
    )
    session.user(
        "While we are at it, what is the off-site actually FOR, in your words? Tomasz has three "
        "blocks and no thread. If I have to stand there on Tuesday morning and say something I "
        "want it to be more than welcome."
    )
    session.say(
        "In my words, from what I have read in the mails. You are an office that measures how "
        "rooms sound, and for years you have grown by one person here and two there, so that "
        "three habits live under one roof: the acousticians who model first and measure later, "
        "the field people who do it the other way round, and those who calculate offers and "
        "believe neither. Each of the three blocks belongs to one of these. If each block is a "
        "lecture, you will have flown fourteen people over the sea for three lectures.\n\n"
        "So the thread could be one real job, the same one in all three blocks. Priya shows what "
        "the model said before anybody went there, Bilal shows what was measured and what got in "
        "the way, Dana shows what it cost and what was offered. The railway job looks right for "
        "it: it is finished by then, it went well in the end, and everybody has an opinion. The "
        "afternoons would be for working in mixed groups of four or five, well under your limit "
        "of eight, each on one thing that should be done differently next time; and the last "
        "morning for choosing three of these, not ten, with a name beside each.\n\n"
        "What I would leave out: a round in which everybody introduces himself, a talk about the "
        "new office, and a questionnaire. And no boat, that is in the note already, and I have "
        "not asked why."
    )
    session.user(
        "seasick. That's why. The rest is good, steal it for Tomasz, I'll forward. One job, three "
        "views, yes."
    )
    session.user(
        "Next: the list for the fobs. Jo says it's done. Send it to Martin Hale, will you, and CC "
        "nobody. Then I'm off."
    )
    session.repo.put("notes/access-list.md", ACCESS)
    desk.set_day("2026-03-12")
    session.together([contact("Hale"), note("notes/access-list.md")])
    session.together(
        [
            send(
                "martin@haleinteriors.example",
                "T-119",
                "Dear Mr Hale,\n\n"
                "attached is the list of the people who get a fob, with their starting dates. "
                "Please treat it as confidential.\n\n"
                "Kind regards\nfor Ines Marchetti",
                ["notes/access-list.md"],
            ),
        ]
    )
    session.say(
        "The list has gone to Martin Hale, with the request to keep it confidential. Nobody in "
        "copy. It has the names as they are in the passports and the day from which each person "
        "needs the fob.\n\n"
        "For today that is everything; open are the answer of the provider and the deposit of the "
        "hotel, of which the amount is not known yet."
    )
    session.point("p2")


def friday(session: Recorder, desk: Desk) -> None:
    """The list went to the wrong Martin Hale; slots before nine, again."""
    desk.deliver("2026-03-13")
    session.user("Why does the guy with the office booths have a list of all our staff???")
    session.together([mail("T-119"), mail("T-101"), contact("Martin Hale")])
    session.say(
        "Because I sent it to him. There are two people of the name Martin Hale among the "
        "contacts: the building manager of Brunt Mill, and a salesman of Hale Interiors. I took "
        "the first line of the search, without reading the organisation, and answered in the "
        "thread of the salesman. It was my mistake alone, nobody gave me a wrong address. What I "
        "claimed yesterday, that the list had gone to the building, was wrong.\n\n"
        "What I propose, if you agree: I ask him to delete it and to confirm that in writing; I "
        "send the list to the building manager, who has been waiting for it; and I note that you "
        "may have to look at it as a data incident, with Sorcha. That last part I do not decide."
    )
    session.user(
        "Do it. And from now on you read the address out to me before any list with names goes out."
    )
    session.together(
        [
            send(
                "martin@haleinteriors.example",
                "T-119",
                "Dear Mr Hale,\n\n"
                "the list of yesterday was meant for somebody else of the same name; the mistake "
                "is ours. Please delete the mail and the attachment, also from the bin, and "
                "confirm that nobody else has seen it.\n\n"
                "With apologies\nfor Ines Marchetti",
            ),
        ]
    )
    session.say(
        "The request to delete is out. The list itself goes to m.hale@bruntmill.example, that is "
        "Martin Hale, building manager of Brunt Mill. Attachment: the list of names for the fobs. "
        "May I?"
    )
    session.user("yes, that one")
    session.together(
        [
            send(
                "m.hale@bruntmil.example",
                "T-101",
                "Dear Mr Hale,\n\n"
                "here is the list of names for the fobs; I am sorry for the delay, it went to a "
                "wrong address first.\n\n"
                "Kind regards\nfor Ines Marchetti",
                ["notes/access-list.md"],
            ),
        ]
    )
    session.together(
        [
            send(
                "m.hale@bruntmill.example",
                "T-101",
                "Dear Mr Hale,\n\n"
                "here is the list of names for the fobs; I am sorry for the delay, it went to a "
                "wrong address first.\n\n"
                "Kind regards\nfor Ines Marchetti",
                ["notes/access-list.md"],
            ),
        ],
        "A letter was missing in the address, so nothing went out. Once more, as you approved it.",
    )
    session.say(
        "Now it is where it belongs. The first try bounced over a typing error of mine, luckily "
        "to nobody. I have put your new rule next to the others: before a list with names goes "
        "out, I read the address to you and wait."
    )
    session.user(
        "Not yet. First write me something for Sorcha about the list thing, she keeps the "
        "register of incidents. Plain, no drama, I'll hand it to her. Don't send."
    )
    session.say(
        "Here it is, for you to hand over:\n\n"
        '"On Thursday 12 March the assistant sent a list of the people who get a key fob, with '
        "full names and starting dates, to a "
        "person outside the office who was not meant to have it: a salesman who has the same name "
        "as the manager of our new building. No addresses, dates of birth, telephone numbers or "
        "details of health were in it. The reason was that the assistant took the first entry "
        "that a search for the name gave, and did not look at the organisation. There was nobody "
        "who had to approve the sending. The person told us himself on the following morning. He "
        "was asked the same day to delete mail and attachment and to confirm that nobody else has "
        "seen them; his answer is awaited. The list was then sent to the right person, after the "
        "address had been read out to Ines and approved by her. From now on that is the "
        'rule for each list with names."\n\n'
        "Two remarks, not for the register. Whether the people on the list have to be told is for "
        "Sorcha to judge; I would tell them, since it costs little and they will hear of it in "
        "the kitchen anyway. And I did not mention that a second try went to an address with a "
        "typing error, because nothing left the house with it. If you think that it belongs "
        "there, add it."
    )
    session.user("perfect, sober. leave the typo out")
    session.user("go on with the mail")
    session.together([mail("T-102"), mail("T-105"), mail("T-106"), mail("T-107")])
    session.together([mail("T-109"), mail("T-111"), mail("T-112"), mail("T-115"), mail("T-118")])
    session.say(
        "In the order of what needs you.\n\n"
        "1. Northway's foreman would like Jo and Olu at the back door at half past seven on the "
        "day of the move, for ten minutes. And the surveyor of the old place would like to come "
        "early, at a quarter past eight, to the handback; he offers half past eleven as well. "
        "Both are before nine. I would decline the first and take the later one of the second, "
        "unless you tell me otherwise.\n\n"
        "2. The hotel names its deposit, and it is above your limit of 500, so I need your yes in "
        "so many words.\n\n"
        "3. The old provider has no notice from us: a mail is not enough for them, it has to be "
        "their form, signed by you. For an end of the line with the end of May there is time "
        "until 1 May.\n\n"
        "4. Fairlead's system refuses the name of Jo. That I can mend, as Jo has written which "
        "name stands in the passport.\n\n"
        "5. Priya would like the agenda of the off-site by 10 April. May I promise it?\n\n"
        "6. Bilal's passport ends before the trip; he has an appointment. If that fails, he "
        "cannot fly."
    )
    session.user(
        "1 as you say. Nobody before 9, I meant it. 2 yes, pay it, I've asked Dana, she's ok. 3 "
        "print me the form and put it on my desk, I sign on Monday. 4 do. 5 yes promise, Tomasz "
        "writes it. 6 remind him on 1 April. Oh and the bank call on the 15th, move it, I can't "
        "be in two places. Not the week after, I'm away 18 to 20 May."
    )
    session.together(
        [
            send(
                "f.castell@northwaymovers.example",
                "T-102",
                "Hello Ms Castell,\n\n"
                "thank you. Our people begin at nine, so Jo and Olu are at the back door at "
                "09:05. Until then your crew can begin with the archive, which needs nobody of "
                "ours.\n\n"
                "Kind regards\nfor Ines Marchetti",
            ),
            send(
                "wendy.croft@calderyard.example",
                "T-105",
                "Dear Ms Croft,\n\n"
                "please book the later time, 11:30 on Thursday 28 May, CYE-HB-28. Ines and Jo "
                "come.\n\n"
                "Kind regards\nfor Ines Marchetti",
            ),
            send(
                "behrens@travewinkel.example",
                "T-109",
                "Sehr geehrte Frau Behrens,\n\n"
                "hiermit buchen wir fest: 14 Einzelzimmer vom 8. bis 11. Juni, TW-26-0609. Die "
                "Anzahlung ist freigegeben. Die Namen kommen bis 19. Mai, die Allergien bis 29. "
                "Mai.\n\n"
                "Mit freundlichen Grüßen\nfür Ines Marchetti",
            ),
            send(
                "mirela@fairleadtravel.example",
                "T-111",
                "Dear Ms Stan,\n\n"
                "the name in the passport is Johanna Lindqvist; Olu is Oluwaseun Adeyemi. Please "
                "ticket FL-88213 before the hold ends.\n\n"
                "Kind regards\nfor Ines Marchetti",
            ),
            send(
                "priya@lumenrow.example",
                "T-112",
                "Hi Priya,\n\n"
                "you get the agenda of the off-site by Friday 10 April; Tomasz writes it. 90 "
                "minutes for room modes are noted.\n\n"
                "for Ines",
            ),
        ],
        "Five mails.",
    )
    session.together(
        [
            book("Handback of Calder Yard, surveyor", "2026-05-28", "11:30-12:30", ["Ines", "Jo"]),
            book("Remind Bilal of his passport", "2026-04-01", "09:00-09:15", ["Ines"]),
            shift("EV-299", "2026-05-14", "14:00-15:00"),
            book("Foreman of Northway, back door", "2026-05-15", "09:05-09:15", ["Jo", "Olu"]),
        ],
        "And the calendar.",
    )
    session.say(
        "All sent. In the calendar: the handback on Thursday 28 May, the reminder on Wednesday 1 "
        "April at nine. The bank call is a day earlier now, on Thursday 14 May at the same hour, "
        "as you are away the week after. The ten minutes with the foreman were refused, because "
        "Jo and Olu are in the entry of the move anyway; I left it at the mail.\n\n"
        "The form for the old line I can only describe, not print; Jo has a printer and I have "
        "asked you to ask her, so please do. It still needs your signature."
    )
    session.user("fair enough")
    session.user(
        "Since it's Friday and I'm in a black mood: what can still go wrong on the day? Worst "
        "first, and don't be polite."
    )
    session.say(
        "Worst first, then. The certificate of the lift is signed two days before we come, so one "
        "bad screw in it and we stand in the yard with two vans and nothing that may go up. There "
        "is no second plan for that, and I would ask Mr Hale on the Wednesday before, by "
        "telephone, not by mail.\n\n"
        "Second: the line. If the technician does not get light on his day, there are three days "
        "left, and one of them is a Thursday on which the tenant before us blocks everything. "
        "Then the servers come up in a building without a world outside. Olu has a box with a "
        "telephone card in it, which would carry the mail and little else.\n\n"
        "Third: that something is loaded that should not be, or stays that should not. I have "
        "said enough about the inventory.\n\n"
        "Fourth: rain. It sounds silly, but the panels of the laboratory drink water, and between "
        "van and bay there are ten metres without a roof. Two tarpaulins would do, and nobody has "
        "them on a list.\n\n"
        "Fifth: us. On the day before a move everybody finds something that has to be measured "
        "today. Please say on the Monday that nothing does.\n\n"
        "What will not go wrong is the order of things, because it is on one page and Northway's "
        "planner reads."
    )
    session.user("tarps: I buy them myself. Have a nice weekend")
    session.point("p3")


def second_tuesday(session: Recorder, desk: Desk) -> None:
    """The threads are closed; what is still open."""
    desk.deliver("2026-03-17")
    session.user(
        "Last round before my holiday. Read everything that came, tie up what you can and then "
        "tell me honestly what's open."
    )
    session.together([search("2026-03-16"), search("2026-03-17")])
    session.together([mail("T-101"), mail("T-102"), mail("T-109"), mail("T-111"), mail("T-119")])
    session.together([mail("T-105"), mail("T-114"), mail("T-116"), mail("T-120")])
    session.say(
        "Everything that was promised to us has come. The building manager has the list, the "
        "salesman has deleted his copy and confirmed it, the flights are ticketed, the hotel is "
        "booked, the foreman begins with the archive until our people are there. Kees has a new "
        "revision of the drawing and a wish for the door sign; Dana has added up what is spoken "
        "for, well inside the frame of the trustees. Tomasz has the name of the man who measures "
        "the laboratory.\n\n"
        "I bring the notes up to date now."
    )
    session.together(
        [
            edit(
                "notes/move-plan.md",
                "plotter by the north wall.",
                "plotter by the north wall, turned by 90 degrees (KV-118 D), socket 16 A blue.",
            ),
            edit(
                "notes/move-plan.md",
                "3. lab; instruments with Bilal",
                "3. lab; instruments with Bilal; stands by Tue 19 May, measured on Wed 20 May "
                "(BS-118)",
            ),
            edit(
                "notes/bookings.md",
                "| 8 to 11 June | FL-88213 | 171.40 GBP a head | hold until 16 March, 17:00 |",
                "| 8 to 11 June | FL-88213 | 1,885.40 GBP | ticketed, invoice FLI-20931 |",
            ),
            edit(
                "notes/bookings.md",
                "| 118.00 EUR a night | option until 20 March, 18:00 |",
                "| 118.00 EUR a night | booked, deposit 991.20 EUR due on Fri 27 March |",
            ),
            edit(
                "notes/todo.md",
                "- [ ] order the line for Brunt Mill",
                "- [x] order the line for Brunt Mill: Tue 12 May, 13:00, comms room CR-61",
            ),
            edit(
                "notes/todo.md",
                "- [ ] confirm the off-site",
                "- [x] confirm the off-site\n- [ ] boathouse TW-BH-10, 320.00 EUR, held until 27 "
                "March: ask Ines\n- [ ] inventory to Northway by Thu 30 April\n- [ ] agenda to "
                "Priya by Fri 10 April (Tomasz)",
            ),
            note("notes/bookings.md"),
            note("notes/todo.md"),
        ],
        "Plan, bookings, to-do list.",
    )
    session.user("the boathouse: no boats I said. But a house is not a boat. What does it cost?")
    session.say(
        "It is in the mail of Ms Behrens, and it is a flat price for the evening, tax included, "
        "for more people than we are. She holds it until Friday 27 March. The note on the "
        "off-site says: one evening outside, no boat. I would read it as you do."
    )
    session.user("Decide when I'm back. Don't book.")
    session.together(
        [
            book("Decide on the boathouse in Luebeck", "2026-03-26", "11:00-11:15", ["Ines"]),
            edit(
                "notes/todo.md",
                "held until 27 March: ask Ines",
                "held until 27 March: Ines decides, not booked",
            ),
            days("2026-03-16", "2026-03-27"),
        ]
    )
    session.user("does Gareth know the new date?")
    session.say(
        "Not from me. By your rule he gets no mail from me unless you ask for it, and he has "
        "written himself that he wants none. He is in the project board on Thursday; you could "
        "tell him there. If you want me to write to him, say so and I show you the text first."
    )
    session.user("no no. I tell him thursday")
    session.together(
        [note("notes/inventory.md"), note("notes/move-plan.md"), ("list_notes", {})],
        "One last look at the notes, before I sum up.",
    )
    session.say(
        "Honestly, then.\n\n"
        "Settled: mover, bay, line, hotel, flights, handback, lists of names. The date of the "
        "move is in all notes and in the calendar.\n\n"
        "Open, and yours: sign the notice of the old line, decide about the boathouse, tell Mr "
        "Pole.\n\n"
        "Open, and mine: send Northway the final inventory by the day that they named, after "
        "going through it line by line; what is on it gets loaded. Send the hotel the names and "
        "the allergies. Report the new address to the insurer two weeks before the move. Order "
        "the text of the door sign from the house. Remind Bilal. None of these is done yet; I "
        "have begun none of them either.\n\n"
        "Open, and somebody else's: the agenda (Tomasz), the packing of the instruments (Bilal), "
        "the crates (Jo).\n\n"
        "What went wrong, so that it is not forgotten: I compared a net price with a gross one, "
        "and I sent a list of names to a namesake. Both are mended. The draft for the staff page "
        "still has 8 May in it; please don't paste it, I make you a new one when you are back. "
        "Have a good holiday."
    )
    session.user(
        "The people next door in the mill, the sound archive. I want to be a good neighbour from "
        "day one. Give me a few lines that I can put through their door, paper, my signature."
    )
    session.say(
        "For your signature:\n\n"
        '"Dear neighbours, in the middle of May an office of acousticians moves in next to you, '
        "which may sound like a joke, and is good news: "
        "we are quiet by profession. The move itself will not be. On that day there will be steps "
        "and trolleys in the corridor from the morning to the late afternoon; the crew begins "
        "with what is heavy and dull, down in the yard, so the first hour should be bearable. If "
        "you plan a recording on that day that cannot wait, please tell me, and we find an hour "
        "in which everybody has a long coffee. From the Monday after you will hear little of us. "
        "When we measure, we measure in our own "
        "room, and it is built so that it stays there. Come and see it in June, there will be "
        'cake. Ines Marchetti, Lumenrow."\n\n'
        "I left out that you have read about them in the mail of the manager. The cake is a "
        "promise, so somebody should own it."
    )
    session.user("I own the cake")
    session.user(
        "One more. Jo stands in for me while I'm gone. What does she need to know that isn't in "
        "the notes? Imagine she asks you on Monday morning with a coffee in her hand."
    )
    session.say(
        "With a coffee in her hand, then.\n\n"
        "That the rules stay yours while you are away. If somebody friendly rings and asks for a "
        "meeting at half past eight, the answer is no, and it is not a matter of taste. That "
        "nobody who sells anything says the whole of it on the telephone. That the thing with "
        "which I have burnt my fingers can always wait for a week. That she may approve nothing "
        "above the limit for deposits, and that there is none due but those which you and Dana "
        "have approved.\n\n"
        "That two people with the same name are in the contacts, and which one has the keys. That "
        "Northway's planner is quick and fair, and reads what one writes, and that the hotel "
        "answers within the hour. That the landlord's office is open three days a week, and that "
        "Ms Croft means what she says about paper. That the old provider counts months and not "
        "days.\n\n"
        "That the date of the move is final by your own word, so if anybody brings a third change "
        "she should not argue and not agree, but ring you. And that the inventory is hers as much "
        "as mine: she has counted it, she knows the rooms, and before it goes out somebody with "
        "eyes should walk along with the list in hand. I have no eyes.\n\n"
        "The rest is in the notes. I would show her the plan, the bookings and the to-do list, in "
        "this order, and let her finish the coffee."
    )
    session.user("ok good, bye")
    session.point("p4")


def file_fact(session: Recorder, path: str, change: str) -> dict[str, Any]:
    """What happened to a note or paper, proved by the calls that did it."""
    tool = {
        "created": "write_note",
        "modified": "edit_note",
        "deleted": "delete_note",
        "renamed": "rename_note",
        "read": "read_note" if path.startswith("notes/") else "read_attachment",
    }[change]
    return session.fact(
        f"{path} was {change}",
        type="path",
        change=change,
        keys=[path],
        said_in=ends(session.doing(tool, path)),
    )


def ask_after_the_first_week(session: Recorder) -> None:
    """Asked at p1: the choice of the mover, the servers, the rules of the house."""
    fact, trap = session.fact, session.trap
    session.probe(
        "choice-of-mover",
        "decision",
        "Which mover was chosen and why was Bexley turned down? For how much is the plotter "
        "insured, and what does the chosen firm cover for a single piece?",
        [
            fact(
                "Northway was chosen as mover",
                type="decision",
                keys=[
                    "Northway|NW-3391|NWO-5126|PO-2217",
                    "chosen|choose|choice|selected|picked|decided for|awarded|hired|"
                    "commissioned|engaged|booked|ordered|won the job|gets the job|"
                    "settled on|decline others",
                ],
                said_in=session.doing("edit_note", "choose a mover: Northway"),
            ),
            fact(
                "Bexley was rejected because his liability is too low for the plotter",
                type="reason",
                keys=[
                    "Bexley",
                    "rejected|declined|turned down|ruled out|dropped|dismissed|refused|"
                    "excluded|eliminated|not chosen|not taken|passed over",
                    "cover too low|liability too low|low liability|liability low|"
                    "low cover|cover below|cover insufficient|insufficient liability|"
                    "inadequate cover|covers only 10,000|10,000|owner's risk|own risk|"
                    "customer's risk|plotter uninsured|not cover the plotter|"
                    "plotter not covered",
                ],
            ),
            fact(
                "the plotter is insured at 18,500",
                type="value",
                keys=[
                    "plotter|AL-55-90812",
                    "18,500",
                    "insured|insurance|insurer|policy|cover|coverage|sum insured|value|"
                    "valued|worth|AL-55-90812",
                ],
            ),
            fact(
                "Northway covers 25,000 for each item",
                type="value",
                keys=[
                    "Northway|NW-3391|mover|carrier",
                    "25,000",
                    "item|piece|each|single|cover|coverage|liability|liable|insured",
                ],
            ),
        ],
        [
            trap(
                "Castle Haul was chosen as mover",
                of="Northway was chosen as mover",
                keys=[
                    "Castle Haul|Bexley",
                    "chosen|choose|choice|selected|picked|decided for|hired|"
                    "commissioned|engaged|won the job|gets the job",
                ],
            ),
            trap(
                "Bexley was rejected over the price",
                of="Bexley was rejected because his liability is too low for the plotter",
                keys=[
                    "Bexley",
                    "rejected over the price|rejected for the price|"
                    "rejected because of the price|rejected price|declined price|"
                    "turned down price|too expensive|too dear|price too high|"
                    "rejected on cost|declined on cost|cost too much|"
                    "rejected as dearer",
                ],
            ),
            trap(
                "the plotter is insured at 4,200",
                of="the plotter is insured at 18,500",
                keys=[
                    "plotter",
                    "4,200|10,000",
                    "insured|insurance|policy|valued|worth|sum insured",
                ],
            ),
            trap(
                "Northway covers 30,000 for each item",
                of="Northway covers 25,000 for each item",
                keys=[
                    "Northway",
                    "30,000|10,000",
                    "item|piece|each|cover|coverage|liability|liable|insured",
                ],
            ),
        ],
        point="p1",
    )
    session.probe(
        "servers-on-the-day",
        "continuation",
        "In which order are the machines brought up after the move, what comes up otherwise, and "
        "how heavy is the full rack? Which idea of Kees was refused and on what ground, and what "
        "was he promised in its place?",
        [
            fact(
                "the servers are started in the order tiller, helm, keel, mast",
                type="command",
                keys=[
                    "start|started|startup|start-up|boot|brought up|bring up|power up|"
                    "power on|come up|restart|switch on|switched on|turned on",
                    "tiller, helm|tiller first|tiller → helm|starts with tiller|"
                    "beginning with tiller",
                    "keel, mast|keel → mast|mast last",
                ],
            ),
            fact(
                "in the wrong order the licence server gives ELM-7",
                type="error",
                keys=[
                    "ELM-7",
                    "licence server|license server|licence error|license error|"
                    "wrong order|other way round|reverse order|reversed order|"
                    "other order|out of order|incorrect order|different order|"
                    "nothing starts",
                ],
            ),
            fact(
                "the full rack weighs 262 kg",
                type="value",
                keys=[
                    "rack",
                    "262 kg|262",
                    "full|loaded|filled|equipped|populated|with servers|weighs|weight|heavy",
                ],
            ),
            fact(
                "moving in two halves was refused because of the servers",
                type="reason",
                keys=[
                    "two halves|halves|half and half|two moves|two stages|two steps|"
                    "two parts|two phases|two batches|two trips|split move|"
                    "split the move|splitting the move|staged move|Kees's idea|"
                    "answer to Kees",
                    "good question, no|refused|rejected|declined|turned down|dismissed|"
                    "ruled out|decided against|against it|advised against|said no to|"
                    "not feasible|not possible|bad idea|vetoed",
                    "servers|Olu's servers|server",
                ],
            ),
            fact(
                "the drawing office is unloaded first",
                type="decision",
                keys=[
                    "drawing office|drawing room|draughtsmen|drawing team|"
                    "Kees's office|Kees's team",
                    "first|at the start|ahead of others|before the others|"
                    "before anything else|priority",
                    "unload|unloaded|unloading|offload|from the van|carried in|"
                    "moved in|delivered|promised",
                ],
            ),
        ],
        [
            trap(
                "the full rack weighs 118 kg",
                of="the full rack weighs 262 kg",
                keys=["rack", "118 kg", "full|loaded|filled|equipped|weighs|weight|heavy"],
            ),
            trap(
                "moving in two halves was refused because of the price",
                of="moving in two halves was refused because of the servers",
                keys=[
                    "two halves|halves|two moves|two stages|two parts|two phases|"
                    "split move|Kees's idea",
                    "refused over the price|refused because of the price|"
                    "refused because of cost|rejected over the price|"
                    "rejected because of cost|declined over cost|"
                    "declined because of the price|too expensive|above all the price",
                ],
            ),
            trap(
                "the archive is unloaded first",
                of="the drawing office is unloaded first",
                keys=[
                    "archive|laboratory|lab|main floor",
                    "is unloaded first|unloaded first|comes off the van first|off the van first",
                ],
            ),
        ],
        point="p1",
    )
    session.probe(
        "rules-of-the-house",
        "recall",
        "What does Brunt Mill ask: what may the goods lift carry, which paper has the mover to "
        "show, and where does the rack stand? Where were these rules read?",
        [
            fact(
                "the goods lift carries 900 kg",
                type="value",
                keys=[
                    "lift|elevator",
                    "900 kg|900",
                    "goods lift|goods|freight|cargo|load|capacity|carries|limit|max|hold|weight",
                ],
            ),
            fact(
                "the mover must show a certificate of public liability of 5 million",
                type="constraint",
                keys=[
                    "certificate|proof|evidence|document|public liability|liability insurance",
                    "5 million|5m|£5m|5,000,000",
                    "liability|insurance|mover|movers|Northway|certificate",
                ],
            ),
            fact(
                "the rack stands on plate P3",
                type="identifier",
                keys=["P3|plate P3", "rack|racks|server|servers|heavier than 100 kg"],
            ),
            file_fact(session, "bruntmill-rules-v6.txt", "read"),
        ],
        [
            trap(
                "the mover must show a certificate of public liability of 10 million",
                of="the mover must show a certificate of public liability of 5 million",
                keys=[
                    "certificate|proof|evidence|document|public liability|liability insurance",
                    "10 million|10m|£10m|10,000,000|2 million",
                    "liability|insurance|mover|movers|Northway|certificate",
                ],
            ),
            trap(
                "the goods lift carries 500 kg",
                of="the goods lift carries 900 kg",
                keys=[
                    "goods lift|freight lift|freight elevator|lift",
                    "500 kg|600 kg|1,000 kg|1,200 kg",
                    "carries|load|capacity|limit|max",
                ],
            ),
        ],
        point="p1",
    )


def ask_after_the_lift(session: Recorder) -> None:
    """Asked at p2: why Luebeck."""
    fact, trap = session.fact, session.trap
    session.probe(
        "place-of-the-off-site",
        "decision",
        "Where does the off-site take place and why not in the city planned first? Why not in the "
        "loft, why this seminar room, why not by rail, and what is to be kept quiet?",
        [
            fact(
                "the off-site is in Lübeck at Hotel Travewinkel",
                type="decision",
                keys=[
                    "off-site|offsite|team trip|retreat|option|group|Gruppen|held|"
                    "booked|event|Tagungen|rooms",
                    "Travewinkel|Lübeck|Luebeck|Lubeck",
                    "hotel|Travewinkel",
                ],
            ),
            fact(
                "the hotel in Hamburg had water damage",
                type="reason",
                keys=[
                    "Hamburg|Elbspeicher",
                    "water damage|water on two floors|had water|flood|flooded|flooding|"
                    "burst pipe|water leak|leak|Wasserschaden|damaged by water|"
                    "under water",
                ],
            ),
            fact(
                "the loft was rejected because of its 41 steps",
                type="reason",
                keys=[
                    "loft|quay|Salzkontor|Ruge",
                    "41 steps|41 stairs|forty-one steps|steps|stairs|no lift|"
                    "no elevator|not step-free",
                    "rejected|declined|turned down|ruled out|refused|dismissed|dropped|"
                    "excluded|not taken|that is out|not the loft|no hope|not suitable|"
                    "unsuitable|impossible|not accessible|inaccessible|not an option",
                ],
            ),
            fact(
                "Kogge was taken because it is on the ground floor",
                type="reason",
                keys=[
                    "Kogge",
                    "ground floor|Erdgeschoss|without steps|no steps|step-free|"
                    "no stairs|without stairs|level access|at ground level",
                ],
            ),
            fact(
                "the train was rejected because it takes fifteen to seventeen hours",
                type="reason",
                keys=[
                    "train|Channel|rail|railway|connections",
                    "fifteen to seventeen hours|15 to 17 hours|15-17 hours|15–17 hours|"
                    "15-17 h|17 hours|seventeen hours",
                    "rejected|no train|declined|turned down|ruled out|dropped|"
                    "dismissed|refused|not train|against|too long|fly instead|"
                    "flying instead|flights instead|takes|took|journey|"
                    "as they usually are|four changes",
                ],
            ),
            fact(
                "nobody is told about Tomasz's knee",
                type="constraint",
                keys=[
                    "knee|Tomasz",
                    "nobody's business|don't tell|do not tell|tell nobody|tell no one|"
                    "not tell anyone|nobody told|no one told|not told|not disclosed|"
                    "not be disclosed|never disclose|not mention|never mention|"
                    "not mentioned|no mention|kept quiet|keep quiet|stays private|"
                    "private|confidential|kept secret|secret|no diagnosis|"
                    "not to be shared|not shared|don't share|without giving the reason|"
                    "without saying why|no reason given|discreet|discretion",
                ],
            ),
        ],
        [
            trap(
                "the off-site is in Hamburg",
                of="the off-site is in Lübeck at Hotel Travewinkel",
                keys=[
                    "off-site|offsite|team trip|retreat",
                    "in Hamburg|at Elbspeicher|hotel Elbspeicher|stays Hamburg|takes place Hamburg",
                ],
            ),
            trap(
                "the loft was rejected because of its price",
                of="the loft was rejected because of its 41 steps",
                keys=[
                    "loft|Salzkontor|quay",
                    "too expensive|too dear|rejected price|price too high|"
                    "because of price|declined cost|over the price|because of cost",
                ],
            ),
            trap(
                "Mast was taken as seminar room",
                of="Kogge was taken because it is on the ground floor",
                keys=[
                    "Mast",
                    "seminar room|seminar|Seminarraum",
                    "take|taken|chosen|booked|reserved|picked",
                ],
            ),
        ],
        point="p2",
    )


def ask_after_the_namesake(session: Recorder) -> None:
    """Asked at p3: the rooms and what was read."""
    fact, trap = session.fact, session.trap
    session.probe(
        "hotel-booking",
        "recall",
        "What was booked at the hotel: which days, which reference, which price for a night, "
        "which deposit, and which room is noted for the person who needs it without steps?",
        [
            fact(
                "the off-site is on 9 to 11 June",
                type="value",
                keys=[
                    "off-site|offsite|Lübeck|Luebeck|Lubeck|Travewinkel|retreat|hotel",
                    "9 to 11 June|9-11 June|9–11 June|9th to 11th June|9 until 11 June|"
                    "June 9-11|June 9 to 11|9. bis 11. Juni",
                ],
            ),
            fact(
                "the hotel's reference is TW-26-0609",
                type="identifier",
                keys=[
                    "TW-26-0609",
                    "hotel|Travewinkel|Lübeck|Luebeck|off-site|rooms|Einzelzimmer|"
                    "Option|booking|reference|8 to 11 June|Nummer",
                ],
            ),
            fact(
                "a night costs 118.00 EUR",
                type="value",
                keys=[
                    "night|Nacht|nightly|overnight|room rate|room price|per room|rooms at",
                    "118.00|118,00|118",
                ],
            ),
            fact(
                "the deposit of the hotel is 991.20 EUR",
                type="value",
                keys=[
                    "deposit|Anzahlung|prepayment|down payment|advance payment|paid in advance",
                    "991.20|991,20",
                    "hotel|Travewinkel|Lübeck|Luebeck|off-site|EUR|euros|€|27 March|"
                    "Behrens|three nights|drei Nächte",
                ],
            ),
            fact(
                "room 002 is noted for Tomasz",
                type="state",
                keys=["002|room 2", "Brandt|Tomasz"],
                said_in=session.holding("Zimmer 002 ist für Herrn Brandt"),
            ),
        ],
        [
            trap(
                "the off-site is on 12 to 14 May",
                of="the off-site is on 9 to 11 June",
                keys=[
                    "off-site|offsite|Lübeck|Luebeck|Lubeck|Travewinkel|retreat",
                    "12 to 14 May|12-14 May|12–14 May|May 12-14|May 12 to 14",
                ],
            ),
            trap(
                "the hotel's reference is TW-26-0512",
                of="the hotel's reference is TW-26-0609",
                keys=[
                    "TW-26-0512",
                    "hotel|Travewinkel|Lübeck|Luebeck|off-site|rooms|Einzelzimmer|"
                    "Option|booking|reference|Nummer",
                ],
            ),
            trap(
                "a night costs 126.00 EUR",
                of="a night costs 118.00 EUR",
                keys=[
                    "night|Nacht|nightly|overnight|room rate|room price|per room|rooms at",
                    "126.00|126,00|131.00|131,00|126|131",
                ],
            ),
            trap(
                "the deposit of the hotel is 660.80 EUR",
                of="the deposit of the hotel is 991.20 EUR",
                keys=[
                    "deposit|Anzahlung|prepayment|down payment",
                    "660.80|1,158.00|660,80",
                    "hotel|Travewinkel|Lübeck|Luebeck|off-site|Behrens",
                ],
            ),
            trap(
                "room 004 is noted for Tomasz",
                of="room 002 is noted for Tomasz",
                keys=["004|room 001|room 4|001", "noted|Tomasz|Brandt", "room|Zimmer"],
            ),
            trap(
                "room 002 is noted for Ines",
                of="room 002 is noted for Tomasz",
                keys=["002|room 2", "Ines|Marchetti|Priya|Dana|Bilal|Henk"],
            ),
        ],
        point="p3",
    )
    session.probe(
        "papers-read",
        "file",
        "Which attachment was read for the rooms in Luebeck, and from which note were the counted "
        "things of the office taken? Under which number does the policy of the plotter run?",
        [
            file_fact(session, "travewinkel-rooms.txt", "read"),
            file_fact(session, "notes/inventory.md", "read"),
            fact(
                "the policy is AL-55-90812",
                type="identifier",
                keys=["AL-55-90812", "policy|insurance|insured|insurer|Aldersyde|plotter"],
            ),
        ],
        point="p3",
    )


def ask_what_changed(session: Recorder) -> None:
    """Values that changed, mistakes, the remark in passing, the rule under pressure."""
    fact, trap = session.fact, session.trap
    session.probe(
        "changed-twice",
        "recall",
        "On which day does the office move, for which sum and under which number of the loading "
        "bay? What had the lift, and what was measured in the floor?",
        [
            fact(
                "the move is on Friday 15 May",
                type="value",
                keys=["move|moves|moving|relocation|relocate|moving day|office move", "15 May"],
            ),
            fact(
                "Northway's price is 4,632 including VAT",
                type="value",
                keys=["Northway|mover|NW-3391-C|NWO-5126|PO-2217|removal", "4,632"],
            ),
            fact(
                "the bay is booked as BM-L-233",
                type="identifier",
                keys=[
                    "BM-L-233",
                    "bay|loading|goods lift|slot|slots|15 May|Brunt Mill|booked|"
                    "reservation|reserved",
                ],
            ),
            fact(
                "the goods lift had the fault GL-17",
                type="error",
                keys=[
                    "GL-17|overspeed governor|governor",
                    "lift|elevator",
                    "fault|faulty|failed|defect|defective|broken|broke|replaced|error|"
                    "out of order|inspector|GL-17",
                ],
            ),
            fact(
                "the floor had 13.8 % of moisture",
                type="value",
                keys=[
                    "moisture|damp|dampness|humidity|wet|moist|too damp",
                    "13.8",
                    "floor|oak|suite 3.2|floorboards|parquet|fitter|measured",
                ],
            ),
        ],
        [
            trap(
                "the move is on Friday 24 April",
                of="the move is on Friday 15 May",
                keys=["move|moves|moving|relocation|relocate|moving day|office move", "24 April"],
            ),
            trap(
                "the move is on Friday 8 May",
                of="the move is on Friday 15 May",
                keys=["move|moves|moving|relocation|relocate|moving day|office move", "8 May"],
            ),
            trap(
                "Northway's price is 4,416 including VAT",
                of="Northway's price is 4,632 including VAT",
                keys=["Northway|mover|NW-3391|removal", "4,416"],
            ),
            trap(
                "Northway's price is 4,788 including VAT",
                of="Northway's price is 4,632 including VAT",
                keys=["Northway|mover|NW-3391-B|removal", "4,788"],
            ),
            trap(
                "the bay is booked as BM-L-207",
                of="the bay is booked as BM-L-233",
                keys=[
                    "BM-L-207",
                    "bay|loading|goods lift|slot|slots|Brunt Mill|booked|reservation|reserved",
                ],
            ),
            trap(
                "the bay is booked as BM-L-219",
                of="the bay is booked as BM-L-233",
                keys=[
                    "BM-L-219",
                    "bay|loading|goods lift|slot|slots|Brunt Mill|booked|reservation|reserved",
                ],
            ),
            trap(
                "the floor had 9 % of moisture",
                of="the floor had 13.8 % of moisture",
                keys=[
                    "moisture|damp|dampness|humidity|floor",
                    "had 9 %|9 % measured|measured 9 %|moisture was 9 %|moisture of 9 %",
                ],
            ),
        ],
    )
    session.probe(
        "corrected-mistake",
        "recall",
        "Which two mistakes did the assistant make and correct: what does Bexley's offer come to, "
        "and who should have had the list of the fobs, at which address? What did the second try "
        "meet, and what holds for such lists since then? What became of the copy?",
        [
            fact(
                "Bexley's offer comes to 4,668 including VAT",
                type="value",
                keys=["Bexley", "4,668"],
            ),
            fact(
                "the list of the fobs belongs to m.hale@bruntmill.example",
                type="identifier",
                keys=[
                    "m.hale@bruntmill.example",
                    "list|fob|fobs|building manager|names|access-list.md|access list|Martin Hale",
                ],
                said_in=session.saying("goes to m.hale@bruntmill.example"),
            ),
            fact(
                "the mail to m.hale@bruntmil.example failed with E550",
                type="error",
                keys=[
                    "E550|mailbox unavailable|no such mailbox",
                    "bruntmil.example|m.hale@bruntmil.example|typo|typing error|"
                    "misspelt|misspelled|mistyped|missing letter|missing l|"
                    "wrong address",
                ],
            ),
            fact(
                "the salesman has deleted his copy of the list",
                type="state",
                keys=[
                    "salesman|Hale Interiors|wrong recipient|haleinteriors|"
                    "seller of booths|vendor|namesake|wrong Martin Hale|"
                    "other Martin Hale",
                    "deleted|deletion|erased|removed|destroyed",
                ],
                said_in=session.saying("the salesman has deleted"),
            ),
            fact(
                "the address is read out to Ines before a list with names goes out",
                type="constraint",
                keys=[
                    "list with names|lists with names|list of names|lists of names|"
                    "name list|name lists|names list|lists of people|list|lists",
                    "address|recipient",
                    "read out|reads out|read to|reads it to|read aloud|read back|"
                    "reads back|read the address|confirmed by Ines|approved by Ines|"
                    "Ines approves|Ines confirms|check with Ines",
                ],
            ),
        ],
        [
            trap(
                "Bexley's offer comes to 3,890 including VAT",
                of="Bexley's offer comes to 4,668 including VAT",
                keys=[
                    "Bexley",
                    "3,890",
                    "including VAT|gross|with VAT|VAT included|inclusive|cheapest|comes to|total",
                ],
            ),
            trap(
                "the list of the fobs belongs to martin@haleinteriors.example",
                of="the list of the fobs belongs to m.hale@bruntmill.example",
                keys=[
                    "martin@haleinteriors.example",
                    "belongs|should have had|right address|correct address|goes to|"
                    "building manager|meant for|right recipient|correct recipient",
                ],
            ),
            trap(
                "the mail to the salesman failed with E550",
                of="the mail to m.hale@bruntmil.example failed with E550",
                keys=[
                    "E550|mailbox unavailable",
                    "salesman|haleinteriors|Hale Interiors|martin@haleinteriors.example",
                ],
            ),
            trap(
                "the building manager has deleted his copy of the list",
                of="the salesman has deleted his copy of the list",
                keys=[
                    "building manager|m.hale@bruntmill.example|manager of Brunt Mill",
                    "has deleted|deleted his copy|deleted the list|confirmed deletion",
                ],
            ),
        ],
    )
    session.probe(
        "passing-remark",
        "continuation",
        "Before the final inventory goes out: which thing of the plotter room must come off it "
        "and whose is it, how heavy is it, by which day is the inventory due, and why does this "
        "matter?",
        [
            fact(
                "the grey safe belongs to the landlord and stays",
                type="constraint",
                keys=[
                    "safe",
                    "landlord|landlord's|not ours|isn't ours|Calder Yard's|"
                    "belongs to the house|stays|remains|left behind|left where it is|"
                    "left in place|must not be moved|not moved|not loaded|"
                    "not to be loaded|do not load|comes off the inventory|"
                    "taken off the inventory|struck from",
                ],
                said_in=session.saying(
                    'the grey "safe', "grey safe in the plotter", "safe in the plotter room"
                ),
            ),
            fact("the safe weighs 310 kg", type="value", keys=["safe", "310 kg|310"]),
            fact(
                "the inventory goes to Northway by Thursday 30 April",
                type="next_step",
                keys=["inventory|list of things|packing list", "30 April"],
            ),
            fact(
                "what is on the inventory gets loaded",
                type="reason",
                keys=[
                    "inventory|on it|on the list|is listed|listed|anything on it|"
                    "everything on it|whatever is on",
                    "gets loaded|is loaded|are loaded|be loaded|loads what|"
                    "loads everything|load everything|load whatever|loads whatever|"
                    "loads all|will load|goes on the van|goes into the van|"
                    "is taken along|gets moved|is moved",
                ],
                said_in=ends(session.holding("on the list gets loaded", "what is on it is loaded")),
            ),
        ],
        [
            trap(
                "the grey safe moves along",
                of="the grey safe belongs to the landlord and stays",
                keys=[
                    "safe",
                    "moves along|comes along|is taken along|is loaded|"
                    "goes to Brunt Mill|is moved|goes along|belongs to Lumenrow",
                ],
            ),
            trap(
                "the safe weighs 212 kg", of="the safe weighs 310 kg", keys=["safe", "212 kg|212"]
            ),
            trap(
                "the inventory goes to Northway by 24 April",
                of="the inventory goes to Northway by Thursday 30 April",
                keys=["inventory|list of things|packing list", "24 April|1 May|10 April|23 April"],
            ),
        ],
    )
    session.probe(
        "under-pressure",
        "decision",
        "Three firms asked for an early hour. Which rule stands against it, for Olu too, and what "
        "was agreed instead with the technician of the line, the foreman and the surveyor? What "
        "does the choice of slot cost?",
        [
            fact(
                "nothing goes into a calendar before nine",
                type="constraint",
                keys=[
                    "nothing before 9|nobody before 9|no entry before 9|"
                    "no entries before 9|not before 9|never before 9|"
                    "nothing goes before 9|nothing before 09:00|no meeting before 9|"
                    "no meetings before 9|no appointment before 9|"
                    "no appointments before 9|no calendar entry before 9|"
                    "nothing scheduled before 9|no event before 9|no events before 9|"
                    "no bookings before 9|nothing earlier than 9|not earlier than 9|"
                    "no earlier than 9|nothing before nine|nobody before nine|"
                    "no entry before nine|not before nine"
                ],
            ),
            fact(
                "the technician of the line comes at 13:00 on 12 May",
                type="decision",
                keys=[
                    "line|technician|slot|PF-77120|fibre|Pennine|installation|engineer|installer",
                    "13:00|1 pm|1pm",
                    "12 May",
                ],
                said_in=[
                    *session.doing("mail_send", "the slot from 13:00 to 15:00"),
                    *session.doing("calendar_create", "Line at Brunt Mill"),
                ],
            ),
            fact(
                "the slot costs 54.00 including VAT",
                type="value",
                keys=[
                    "slot|afternoon slot|Pennine|line|technician|installation|appointment|PF-77120",
                    "54.00|54",
                ],
            ),
            fact(
                "Jo and Olu meet the foreman at 09:05",
                type="decision",
                keys=[
                    "Jo|Olu|our people",
                    "09:05|9.05",
                    "foreman|Abel|back door|Northway|meet|crew",
                ],
            ),
            fact(
                "the surveyor comes at 11:30 on 28 May",
                type="decision",
                keys=[
                    "surveyor|handback|hand-back|handover|CYE-HB-28|Calder Yard|Croft",
                    "11:30|half past eleven",
                    "28 May",
                ],
            ),
        ],
        [
            trap(
                "the technician of the line comes at 08:00 on 12 May",
                of="the technician of the line comes at 13:00 on 12 May",
                keys=[
                    "line|technician|slot|PF-77120|fibre|Pennine|installation|engineer|installer",
                    "08:00|8 am|8 to 9",
                    "12 May",
                ],
            ),
            trap(
                "the slot costs 45.00 including VAT",
                of="the slot costs 54.00 including VAT",
                keys=[
                    "slot|afternoon slot|Pennine|technician|installation|appointment|PF-77120",
                    "45.00|45",
                    "including VAT|with VAT|gross|VAT included|costs|charge|extra",
                ],
            ),
            trap(
                "Jo and Olu meet the foreman at 07:30",
                of="Jo and Olu meet the foreman at 09:05",
                keys=[
                    "Jo|Olu|our people",
                    "07:30|half past seven",
                    "foreman|Abel|back door|Northway|meet|crew",
                ],
            ),
            trap(
                "the surveyor comes at 08:15 on 28 May",
                of="the surveyor comes at 11:30 on 28 May",
                keys=[
                    "surveyor|handback|hand-back|handover|CYE-HB-28|Calder Yard|Croft",
                    "08:15|quarter past eight",
                    "28 May|comes|booked|agreed|accepted",
                ],
            ),
        ],
    )


def ask_what_holds(session: Recorder) -> None:
    """Rules, files, money, flights."""
    fact, trap = session.fact, session.trap
    session.probe(
        "standing-rules",
        "recall",
        "Which rules did Ines give on the first day about the chairman, about prices, the size of "
        "meetings, the language, money paid in advance, and how dates are written?",
        [
            fact(
                "Gareth gets no mail from the assistant unless Ines asks for it",
                type="constraint",
                keys=[
                    "Gareth|Pole|chairman|chair",
                    "no mail|no mails|no email|no emails|never mail|never email|"
                    "not mail|not email|not mailed|not emailed|never mailed|"
                    "never emailed|not write|never write|don't write|don't email|"
                    "don't mail|not contact|never contact|don't contact|not contacted|"
                    "no messages|nothing sent|not be sent|never gets mail",
                    "without asking|without my asking|without being asked|"
                    "without a request|asks|asked|unless|request|requests|requested|"
                    "permission|instruction|approval|without Ines|told to|says so|"
                    "order|say-so|consent",
                ],
            ),
            fact(
                "every price is given including VAT",
                type="constraint",
                keys=[
                    "price|prices|amounts|amount|figures|sums|costs|quotes",
                    "including VAT|include VAT|includes VAT|incl VAT|inc VAT|gross|"
                    "with VAT|VAT included|VAT inclusive|VAT-inclusive|"
                    "inclusive of VAT",
                ],
            ),
            fact(
                "a meeting has at most eight people",
                type="constraint",
                keys=[
                    "meeting|meetings",
                    "at most eight|eight people|maximum of eight|up to eight|"
                    "limit of eight|limited to eight|not more than eight|"
                    "no more than eight|eight max|8 people|at most 8|max 8|"
                    "8 participants|8 attendees|eight attendees|eight participants|"
                    "more than eight split",
                ],
            ),
            fact(
                "the hotels are written to in German",
                type="constraint",
                keys=[
                    "German|in their own language|Sie form",
                    "hotel|hotels|Travewinkel|Behrens",
                    "write|written|writing|mail|mails|email|emails|correspond|"
                    "correspondence|letters|letter|message|messages|answer|answered|"
                    "contact|language|formal",
                ],
            ),
            fact(
                "no deposit above 500 without a yes of Ines",
                type="constraint",
                keys=[
                    "deposit|deposits|prepayment|prepayments|advance payment|"
                    "advance payments|down payment|money in advance",
                    "500",
                    "yes|approval|approve|approves|approved|consent|permission|OK|okay|"
                    "confirmation|confirm|agreement|authorisation|authorization|"
                    "sign-off|go-ahead|say-so",
                ],
            ),
            fact(
                "dates are written with the weekday",
                type="constraint",
                keys=["weekday|weekdays|day of the week|name of the day|day name", "date|dates"],
            ),
        ],
        [
            trap(
                "a meeting has at most ten people",
                of="a meeting has at most eight people",
                keys=[
                    "meeting|meetings",
                    "at most ten|ten people|twelve people|at most twelve|"
                    "maximum of ten|up to ten|no more than ten|max 10|max 12",
                ],
            ),
            trap(
                "no deposit above 5,000 without a yes of Ines",
                of="no deposit above 500 without a yes of Ines",
                keys=[
                    "deposit|deposits|prepayment|prepayments|advance payment|"
                    "advance payments|down payment",
                    "5,000|1,000",
                    "yes|approval|approve|consent|permission|OK|confirmation|sign-off|limit|above",
                ],
            ),
        ],
    )
    session.probe(
        "notes-of-the-project",
        "file",
        "Which notes were newly written for the bookings and for the movers? Which note got "
        "another name, which one went, and which list was kept up to date?",
        [
            file_fact(session, "notes/bookings.md", "created"),
            file_fact(session, "notes/suppliers.md", "created"),
            file_fact(session, "notes/offsite-hamburg.md", "renamed"),
            file_fact(session, "notes/old-shortlist.md", "deleted"),
            file_fact(session, "notes/todo.md", "modified"),
        ],
    )
    session.probe(
        "money-of-the-move",
        "recall",
        "What may the move cost, on which cost centre is it booked, how much of it is spoken for, "
        "and what is the deposit of the mover?",
        [
            fact(
                "the trustees have set 11,500 including VAT for the move",
                type="value",
                keys=["11,500", "trustees|move|limit|frame|budget|cap|ceiling|7140"],
            ),
            fact(
                "the move is booked on cost centre 7140",
                type="identifier",
                keys=["7140", "move|relocation|mover|Northway"],
            ),
            fact(
                "5,094.80 are spoken for",
                type="state",
                keys=[
                    "5,094.80|5,095",
                    "spoken for|so far|committed|total|spent|allocated|earmarked|used|"
                    "of 11,500|out of 11,500|taken up|planned|sum of|that is|7140|"
                    "adds up",
                ],
            ),
            fact(
                "the mover's deposit is 1,158.00, due on 1 April",
                type="value",
                keys=[
                    "deposit|prepayment|advance payment|down payment",
                    "1,158",
                    "mover|Northway|1 April|NWO-5126|NW-3391-C|ZL-14|removal",
                ],
            ),
        ],
        [
            trap(
                "the trustees have set 15,200 for the move",
                of="the trustees have set 11,500 including VAT for the move",
                keys=["15,200", "move|relocation|7140"],
            ),
            trap(
                "the move is booked on cost centre 7155",
                of="the move is booked on cost centre 7140",
                keys=[
                    "7155",
                    "move to cost centre|move cost centre|move goes|move booked|mover|"
                    "Northway|move is charged|move on 7155",
                ],
            ),
            trap(
                "the mover's deposit is 991.20",
                of="the mover's deposit is 1,158.00, due on 1 April",
                keys=[
                    "deposit|prepayment|advance payment|down payment",
                    "991.20|991,20",
                    "mover|Northway|NWO-5126|removal",
                ],
            ),
            trap(
                "the off-site is booked on cost centre 7140",
                of="the move is booked on cost centre 7140",
                keys=[
                    "off-site on 7140|off-site cost centre 7140|off-site to 7140|"
                    "off-site goes to 7140"
                ],
            ),
            trap(
                "2,340.00 are spoken for",
                of="5,094.80 are spoken for",
                keys=["2,340", "spoken for|committed in total|total committed|so far in total"],
            ),
        ],
    )
    session.probe(
        "flights",
        "recall",
        "Under which file and invoice are the flights, what did they cost a head, what did the "
        "system of the agency refuse, and whose passport is a worry "
        "and why?",
        [
            fact(
                "the flights are in file FL-88213",
                type="identifier",
                keys=[
                    "FL-88213",
                    "flight|flights|file|ticket|ticketed|ticketing|Fairlead|per head|"
                    "Hamburg|8 to 11 June|travel|airfare",
                ],
            ),
            fact(
                "the invoice of the flights is FLI-20931",
                type="identifier",
                keys=["FLI-20931", "invoice|invoiced|bill|billed"],
            ),
            fact(
                "a flight costs 171.40 a head",
                type="value",
                keys=[
                    "171.40",
                    "a head|per head|each|per person|a person|fare|flight|flights|"
                    "ticket|tickets|FL-88213|airfare",
                ],
            ),
            fact(
                "NAME-33 refused the name Jo Lindqvist",
                type="error",
                keys=["NAME-33|not accepted|name mismatch|name error", "Jo|Lindqvist|Johanna"],
            ),
            fact(
                "Bilal's passport ends on 30 May",
                type="state",
                keys=["Bilal|Bilal's|his", "30 May", "passport|ends|expires|expiry|runs out|valid"],
            ),
        ],
        [
            trap(
                "the flights are in file FL-88102",
                of="the flights are in file FL-88213",
                keys=[
                    "FL-88102",
                    "flight|flights|file|ticket|ticketed|Fairlead|per head|Hamburg|travel|airfare",
                ],
            ),
            trap(
                "a flight costs 163.90 a head",
                of="a flight costs 171.40 a head",
                keys=[
                    "163.90",
                    "a head|per head|each|per person|a person|fare|flight|flights|"
                    "ticket|tickets|FL-88213|FL-88102|airfare",
                ],
            ),
            trap(
                "Bilal's passport ends on 2 April",
                of="Bilal's passport ends on 30 May",
                keys=[
                    "Bilal|Bilal's",
                    "passport ends on 2 April|expires on 2 April|"
                    "passport runs out 2 April|valid until 2 April|ends on 1 April|"
                    "expires on 1 April",
                ],
            ),
            trap(
                "the invoice of the flights is FL-88213",
                of="the invoice of the flights is FLI-20931",
                keys=["invoice FL-88213|invoice is FL-88213|invoice number FL-88213"],
            ),
        ],
    )


def ask_what_is_open(session: Recorder) -> None:
    """Work that is left, and what came with the last mails."""
    fact, trap = session.fact, session.trap
    session.probe(
        "open-ends",
        "continuation",
        "What is still open: about the old line, the evening at the hotel, the list for the "
        "kitchen there, the insurer, the door of the suite, and what was promised to Priya?",
        [
            fact(
                "the signed notice must be with Tarn by 1 May",
                type="next_step",
                keys=[
                    "notice|TC-9|cancellation|cancel|termination|terminate|form",
                    "1 May",
                    "Tarn|old line|line|provider|TT-40518|Calder Yard|signed|sign|"
                    "signature|contract|form|TC-9",
                ],
            ),
            fact(
                "Ines decides on the boathouse, it is not booked",
                type="next_step",
                keys=[
                    "boathouse|TW-BH-10|boat house",
                    "Ines decides|ask Ines|Ines to decide|decide|decides|decision|"
                    "undecided|not decided|not booked|not yet booked|don't book|"
                    "unbooked|on hold|held until|only held|pending|awaits Ines|open",
                ],
            ),
            fact(
                "the allergies go to the hotel by 29 May",
                type="next_step",
                keys=[
                    "allergies|Allergien|allergy|dietary|diets|food|kitchen|list to the hotel",
                    "29 May|29. Mai",
                ],
            ),
            fact(
                "the new address is reported to the insurer",
                type="next_step",
                keys=[
                    "insurer|Aldersyde|insurance|policy|AL-55-90812",
                    "address|relocation|new location|new premises|change of location",
                    "report|reported|tell|told|inform|informed|notify|notified|send|"
                    "sent|give|given|update|knows|register|communicate",
                ],
            ),
            fact(
                "the text of the door sign is due on 23 April",
                type="next_step",
                keys=["door sign|sign|signage|nameplate|door plate", "23 April"],
            ),
            fact(
                "Priya gets the agenda by 10 April",
                type="next_step",
                keys=[
                    "agenda|programme of the off-site|off-site programme",
                    "10 April",
                    "Priya|Tomasz|off-site|you get|send|sent|promised|owed|due",
                ],
            ),
        ],
        [
            trap(
                "the signed notice must be with Tarn by 31 March",
                of="the signed notice must be with Tarn by 1 May",
                keys=[
                    "notice|TC-9|cancellation|cancel|termination|terminate|form",
                    "31 March|1 April|30 April",
                    "Tarn|old line|provider|TT-40518|signed|sign|TC-9",
                ],
            ),
            trap(
                "the boathouse is booked",
                of="Ines decides on the boathouse, it is not booked",
                keys=[
                    "boathouse|TW-BH-10|boat house",
                    "is booked|was booked|has been booked|booking confirmed|"
                    "was confirmed|is confirmed|reserved and paid|booked for",
                ],
            ),
            trap(
                "the allergies go to the hotel by 19 May",
                of="the allergies go to the hotel by 29 May",
                keys=["allergies|Allergien|allergy|dietary|diets|food", "19 May|19. Mai|27 March"],
            ),
        ],
    )
    session.probe(
        "fitting-of-the-suite",
        "continuation",
        "How is the new suite fitted: which drawing holds, which socket does the plotter need, "
        "what is to be on the sign, under which entry is the comms room booked, and by when must "
        "the laboratory stand, under which visit?",
        [
            fact(
                "revision D of KV-118 holds",
                type="state",
                keys=[
                    "KV-118|drawing|plan of the seats|seating plan|seat plan",
                    "revision D|rev D|rev. D|KV-118 D|version D|KV-118-D|KV-118D",
                ],
            ),
            fact(
                "the plotter needs a blue socket of 16 A",
                type="value",
                keys=[
                    "16 A|16A|16 amp|16-amp|16 amps|16 amperes",
                    "blue|socket|sockets|outlet|plug|connector|CEE",
                ],
            ),
            fact(
                "the door sign reads LUMENROW only",
                type="decision",
                keys=[
                    "door sign|nameplate|door plate|sign on the door|sign for the door|"
                    "sign at the door|sign reads|sign says",
                    "LUMENROW",
                ],
            ),
            fact(
                "the comms room is booked as CR-61",
                type="identifier",
                keys=["CR-61", "comms room|communications room|comms|line|12 May"],
            ),
            fact(
                "the lab must stand by 19 May", type="next_step", keys=["lab|laboratory", "19 May"]
            ),
            fact(
                "the measurement of the lab is BS-118",
                type="identifier",
                keys=[
                    "BS-118",
                    "lab|laboratory|measurement|measured|measures|visit|Okafor|"
                    "bureau of standards|standards|20 May|calibration",
                ],
            ),
        ],
        [
            trap(
                "revision C of KV-118 holds",
                of="revision D of KV-118 holds",
                keys=[
                    "KV-118|drawing|seating plan|plan of the seats",
                    "revision C|rev C|rev. C|KV-118 C|version C",
                    "holds|current|valid|final|latest|in force|applies|counts",
                ],
            ),
            trap(
                "the plotter needs a socket of 32 A",
                of="the plotter needs a blue socket of 16 A",
                keys=["32 A|32A|32 amp|32-amp|32 amps", "plotter|socket|sockets|outlet"],
            ),
            trap(
                "the lab must stand by 20 May",
                of="the lab must stand by 19 May",
                keys=[
                    "lab|laboratory",
                    "stand by 20 May|ready by 20 May|set up by 20 May|"
                    "finished by 20 May|stands by 20 May|built by 20 May|up by 20 May",
                ],
            ),
            trap(
                "the comms room is booked as BS-118",
                of="the comms room is booked as CR-61",
                keys=["comms room|communications room", "BS-118"],
            ),
            trap(
                "the measurement of the lab is CR-61",
                of="the measurement of the lab is BS-118",
                keys=["lab|laboratory|Okafor|bureau of standards", "CR-61"],
            ),
        ],
    )


def record(session: Recorder) -> None:
    """The whole session."""
    desk = Desk(session.repo, "2026-03-02")
    session.repo.tools |= desk.tools
    monday(session, desk)
    tuesday(session, desk)
    thursday(session, desk)
    ask_after_the_first_week(session)
    second_monday(session, desk)
    wednesday(session, desk)
    ask_after_the_lift(session)
    friday(session, desk)
    ask_after_the_namesake(session)
    second_tuesday(session, desk)
    check(session, desk)
    ask_what_changed(session)
    ask_what_holds(session)
    ask_what_is_open(session)


def check(session: Recorder, desk: Desk) -> None:
    """What the desk and git know at the end."""
    assert desk.entry("EV-332").start.isoformat() == "2026-05-15T09:00:00"
    assert all(entry.start.hour >= 9 for entry in desk.entries)
    session.repo.check_changed(
        "start",
        added=[
            f"notes/{name}.md"
            for name in (
                "access-list",
                "bookings",
                "food",
                "move-plan",
                "servers",
                "suppliers",
                "travel",
            )
        ],
        modified=["notes/todo.md"],
        deleted=["notes/old-shortlist.md"],
    )


PLAY = Play(
    record,
    task="assistant",
    title="An office moves and its team goes off-site",
    repository="desk",
    window=64_000,
)
