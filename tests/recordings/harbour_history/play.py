"""An agent researches and writes a long article on a harbour wall, from web pages that disagree.

Length, cost and year of the North Mole differ between brochure, engineer and auditor; the number
of the dead changes twice, from the newspaper to the inquest to the burial register; a column of
the harbour returns counts ships twice. An angle is rejected, a chapter is renamed, another one
dropped, a quotation waits for a permission, and a reviewer asks for what the house style
forbids. Most of what the article rests on stands only in the pages that are opened.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from questions import ends
from recorder import Call, Play, Recorder, bash, edit_file, read_file, write_file
from web import Web

WEB = Path(__file__).parent / "web"
"""The pages that the tools of the session find and open."""

TRUST = "https://www.skelhaventrust.example/about/history"
JUBILEE = "https://library.skelhaven.example/digital/jubilee-1921"
ENGINEER = "https://engineers.example/minutes/lxi/1880/penhale"
ACCOUNTS = "https://archives.carrowshire.example/HT/4/17"
RETURNS = "https://statistics.example/harbour-returns/skelhaven/notes"
ARRIVALS = "https://shiplists.example/skelhaven/1891-summer"
GAZETTE_1884 = "https://papers.example/skelhaven-gazette/1884-01-29"
INQUEST = "https://archives.carrowshire.example/COR/3/84-11"
LOG = "https://archives.carrowshire.example/HT/7/2"
BLOG = "https://tidewrack.example/blog/the-guilty-engineer"
STRAKE = "https://transport-archive.example/MT/11/84/report"
UNION = "https://labourhistory.example/collections/skelhaven-1892/minute-book"
TRUST_MINUTES = "https://archives.carrowshire.example/HT/1/9"
GAZETTE_1892 = "https://papers.example/skelhaven-gazette/1892-05-10"
SOUND = "https://soundarchive.carrowshire.example/skelhaven"
PICTURES = "https://pictures.carrowshire.example/skelhaven-harbour"
REVIEW_2022 = "https://www.skelhaventrust.example/annual-review-2022"
WIKI = "https://harbourpedia.example/wiki/North_Mole_(Skelhaven)"
MEMORIAL = "https://memorials.example/records/18841-skelhaven-mole"
BURIALS = "https://parish.skelhaven.example/registers/burials-1884"
CENSUS = "https://census.example/1881/skelhaven/tanner-row"
LIFEBOAT = "https://lifeboats.example/stations/skelhaven/services"

BUILDING = """\
# Building

The first stone was laid on 9 June 1872, a year after the Act [S03 p. 119]. The winter between had gone into a block yard at Gannet Point, a railway to it, and a main that brought fresh water from the Carrow brook, because the engineer would not have salt water near his cement [S03 p. 121].

Aldous Penhale was resident engineer from the first day to the last. His blocks weighed 22 tons each; a steam crane travelled out along the finished work and set them in front of itself, so that the mole grew by reaching forward [S03 p. 121]. Divers, never more than six of them, levelled the bed. It was slow work in a short season. Seven men died in seven years, which Penhale did not think a small number, "although he has been told that it is" [S03 p. 124].

The mole as built is 612 yards long [S03 p. 120]. The drawings had more, and most of what has been printed since follows the drawings: the last stretch was given up in 1878, when borings showed that the clay fell away, and the money went into the roundhead.

What it cost was told wrongly from the first day. The sum that was given out at the dinner of 1879 left out the land, the lawyers and the interest. Seven years later an auditor added it up and came to 163,412 pounds [S05 f. 88]. More than half of it was borrowed, at three and three quarters per cent, and that had to be paid whether the herring came or not.

One thing was not in the price. The foot of the wall stood on clay under moving sand, and an apron of loose stone was tipped along it to keep the sand where it was. Penhale told his colleagues plainly that the apron was the part that wanted watching [S03 p. 123]. When he was asked who would pay for it, he said that he did not know [S03 p. 131].
"""

NIGHT = """\
# The night

All Saturday the glass fell. By eight in the evening it stood at 28.31 inches in the harbour office, and Captain Gilbey, the harbour master, wrote the figure down twice [S06]. At the end of the mole a staging of timber stood for a lamp that was not yet built. It was worth nine hundred pounds. At nine o'clock twenty-four men with lanterns were sent out to lash it down, for a shilling extra [S06].

Four boats of the fishing fleet had run in behind the wall, and a Swedish brig, the Fortuna, with deals [S04 p. 3]. It was the only place to run to. That was what it had been built for.

At ten Pask, the ganger, said that they had better come in. A boy brought him a paper: not until the staging was lashed. At ten past eleven the light on the mole head went out. Ten minutes later, those on the quay felt the stone shake under them, and after that there was a gap in the wall, and the men were on the far side of it [S06].

The lifeboat Grace Ellery went out at ten minutes to midnight and again at a quarter past two. The first time she brought in fourteen people. The second time she came back without two of her own crew [S04 p. 3]. The staging had torn loose and went through the boats in the basin like a gate.

In the morning the harbour master measured the gap with a line. It was 41 yards wide [S06]. Women had stood on the quay until daybreak and could not be moved. Thirty-one people were dead [S04 p. 3].
"""

APRON = """\
# The apron

The wall was not broken, it was let down. Those are the engineer's words at the inquest [S06], and the inspector whom the Board of Trade sent for nineteen days came to the same. He had blocks of every season cut and crushed, found not one bad among them, and dismissed the rumour about salt water in a sentence [S07 par. 4-5].

What had gone was the apron. Loose stone along the foot of the wall had kept the sand from moving; it had not been renewed since 1881, and by the winter of 1883 it was gone for a length of ninety yards [S07 par. 6]. Then the sand went. Then, on one night, the wall leaned outward and the sea did the rest.

It can be followed in the account book, year by year. The vote for the apron was cut, and cut again, and then there was none, "the dues being low and no complaint having been received" [S05 f. 91]. The stone that was kept ready at Gannet Point was sold. The divers stopped coming. The harbour master asked for them and has the letters; the engineer wrote that the apron was leaving, and had a postcard in return [S06].

Nobody was to blame, in the sense in which a jury can blame. The Trustees paid what they had to pay, which was interest, and by their own Act they could not lay a penny by. The inspector wrote that such a body "will economise upon what is under water" [S07 par. 10]. He wanted the Act changed, a new apron, and a signal upon which no person may go out.

They built the apron.
"""

SIXPENCE = """\
# Sixpence

The rate on the quay had stood at fourpence halfpenny the hour since the mole was opened. In March 1892 the branch of the Waterside Labourers' Union voted to ask for sixpence, and for one thing more: that no man be sent on the mole after the storm signal was hoisted [S10 f. 3]. The inspector had asked for such a signal eight years before. The secretary who wrote the demand down was Elijah Noon. He had been one of the gang.

The Trust answered that the dues would not bear it, and that as to the signal it was not bound [S10 f. 4]. On 11 April the men came out, at six in the morning, and the harbour master took off his cap to them [S10 f. 7].

The Trust hired hands at Hull and lodged them in the customs shed. On the night of 24 April a woman came to its door. She was Grace Sorley, whose husband had set blocks and had been lost in 1884. "You that are in there," she said, "I do not call you names. My man was sent out on that wall for a shilling. I ask you only what they are giving you" [S12 p. 2]. A window was opened after a while, and about half of them went home.

It ended on 6 May, after 25 days and not the seven weeks of the Trust, which counted from the first notice to the last delayed ship [S10 f. 23; S11 p. 252]. The men got fivepence halfpenny. They also got the signal. It was a black cone by day and two red lamps by night, and the penalty fell upon the sender [S11 p. 260].
"""

NAMES = """\
# Names

The stone on the quay says: "They were sent and they went." There are 28 names on it [S14].

There is one more. Ezra Mallow, the watchman, died in the infirmary three weeks after the night, when the coroner had long risen. The vicar wrote MOLE beside him, as he had done beside the others, and beneath the last entry of February: "These were all. I have counted them three times" [S08]. Mallow's widow wanted no stone from those people. In 1986 the name was to be added, and the money was not found.

The port had its best year in 1891, with 236,810 tons of shipping [S13]. Since then the apron has been looked at every spring, as the law says, and for thirty years a train brought blocks for it. "You could set your watch by the stone train and your conscience by the cone" {Q1}, said the father of a man who was born to the noise of it [S16 0:44].

In May 1892, two weeks after the strike, Elijah Noon moved that the names be read out at every May meeting. It was carried, all standing [S10 f. 24].
"""

CAPTIONS = """\
# Captions

1. P-0414: The gap at low tide, January 1884. Two men hold the line that measured it. Photograph: Amos Voss. Carrowshire Picture Library.
2. P-0431: Women at the door of the customs shed, 24 April 1892. Photograph: Harriet Voss. Carrowshire Picture Library.
3. (titan crane, number to be chosen)
4. (block yard, number to be chosen)
5. Map of the mole with the place of the gap, 283 yards from the quay.
6. (receipt for the shilling: only if Q2 is granted)
"""

FLYER = """\
THE WALL AND THE SHILLING
A talk on the North Mole, 1872 to 1892
Orla Brennock, The Skelhaven Review
Workers' Institute, Rope Walk
9 May 2026, half past seven
Free. Bring a photograph and we shall look at it together.
"""

CONFLICTS = """\
# Where the sources contradict each other

| point | says one | says another | the article follows | why |
|---|---|---|---|---|
| length | 640 yards (S01, S02) | 612 yards (S03 p. 120) | S03 | the last 28 yards were given up in 1878 |
| first stone | 9 June 1871 (S02) | 9 June 1872 (S03 p. 119) | S03 | S02 written from memory; the Act is of 1871 |
| cost | 148,000 pounds (S02) | 163,412 pounds (S05 f. 88) | S05 | audited; S02 leaves out land, law, interest |
| weight of a block | 12 tons (S02 p. 8) | 22 tons (S03 p. 121) | S03 | the engineer's own |
"""


def search(query: str) -> Call:
    """Search the web."""
    return "search", {"query": query}


def open_page(url: str, section: str | None = None) -> Call:
    """Open a page, or one section of it."""
    return "open_page", {"url": url} | ({"section": section} if section else {})


def begin(session: Recorder) -> None:
    """The commission, the rules, what is there already."""
    session.system(
        "You are a research and writing agent. The working directory holds the draft of an article. "
        "You have the tools search and open_page for the web, and bash, read_file, write_file and "
        "edit_file for the draft. Read before you write, say what a source can and cannot carry, name "
        "contradictions, and never put a figure into the text that you have not seen in a source."
    )
    session.user(
        "Hello. I edit The Skelhaven Review, a small magazine of local history, and I need a long article on "
        "the North Mole: how it was built, the night in January 1884 when the sea came through it, and the "
        "strike of 1892. There is a draft folder, mostly stubs of mine, with a house style and a little script "
        "that checks it. Please research it on the web properly and write it.\n\n"
        "What holds for the whole job: (1) STYLE.md, all of it; the families of the dead still live here, so the banned "
        "words are banned for a reason, above all 'disaster'. (2) Nothing in notes/interviews may be "
        "edited, it belongs to Hester's oral history class. (3) Harbourpedia and blogs are never cited, not even "
        "for something harmless. (4) Sums stay in the money of the time, no conversion to today's money. "
        "(5) One commit for each step; subjects begin with the file or chapter and a colon, like '02: "
        "cost after the audit'. (6) If two sources disagree, tell me and write it to notes/conflicts.md; "
        "don't decide it silently.\n\n"
        "The printer wants everything on 3 April. Start with the building, please."
    )
    session.together(
        [
            bash("git log --oneline && git ls-files | xargs wc -w"),
            read_file("STYLE.md"),
            read_file("outline.md"),
        ],
        "I start with what is there: history and size of the draft, the house style, and the outline. I take "
        "the six rules as standing for the whole job. Before I search for anything I want to know what your "
        "stubs already claim, because a stub is where wrong figures like to live: somebody typed them once from "
        "memory and nobody looked again.",
    )
    session.together(
        [
            bash('for f in chapters/*.md; do echo "== $f"; cat $f; done'),
            read_file("sources.md"),
            read_file("README.md"),
        ]
    )
    session.together(
        [bash("python tools/check_style.py"), read_file("permissions.md")],
        "The stubs name a length, a cost and a month for the first stone, all of them without a source. I treat "
        "all three as unproven. The check script first, so that I know what it can see and what it cannot, and the list of permissions.",
    )
    session.say(
        "A plan, so that you can stop me early.\n\n"
        "First the building: I look for something by the people who did it (engineer, contractor, "
        "auditor) and use the two sources in your list only as a thread to follow. The Trust's page says "
        "of itself that it is no scholarly work, as such pages usually do, and a souvenir brochure is printed to please. Then the night, where "
        "I expect the most contradictions, because everybody wrote about it and nobody was in a position to "
        "count. Then the strike. The last stub, 'Today', I'd leave until the end; I suspect that it does not belong to "
        "the same article, but that is your decision.\n\n"
        "For each chapter: search, read whole pages and not only the snippets, write down the contradictions, "
        "write the text, run the check, commit. I cite by key and page as in the style sheet and add each "
        "source to sources.md when I have really opened it, not when I have merely found it. The script sees "
        "banned words, quotation marks, missing citations and lengths. It does not see whether a figure is true, "
        "so please do not take a clean run for more than it is."
    )
    session.user("ok go")


def building(session: Recorder) -> None:
    """Length, year and cost: brochure against engineer and auditor."""
    session.together(
        [search("Skelhaven North Mole building length cost first stone"), open_page(TRUST)],
        "A broad search first, and the Trust's page, which is in your list.",
    )
    session.together(
        [open_page(JUBILEE)],
        "The Trust gives a round sum, a length and a year, with no source for any of them. "
        "The brochure of 1921 is probably what it was copied from. Let me see where the brochure has it from.",
    )
    session.say(
        "As I thought. The compiler says in his foreword that he wrote from memory and that the ledgers "
        "could not be consulted. He was a junior clerk in the eighties, so for the building he is no "
        "witness at all. That makes S01 and S02 one source, not two, and a weak one. I look for the "
        "engineer now; in those years they gave papers to their societies, and a paper is read before people who would "
        "have laughed at a wrong length."
    )
    session.together(
        [search("Penhale engineer paper North Mole Skelhaven minutes blocks"), open_page(ENGINEER)],
    )
    session.say(
        "Before I trust him more than the others, a word on what this paper is and is not. It was read to colleagues four months after the opening, "
        "by a man who wanted further commissions, so he has a motive to look careful, and on anything that could have been a mistake of his I would want a second witness. "
        "On lengths and weights he has no motive to lie and every reason to be right, because the drawings lay on the table and half of the room had built "
        "such things themselves. What strikes me most is the end: a colleague asks him who is going to pay for a certain part of the upkeep, and he says that he does not know. "
        "I have rarely seen a paper of an engineer end so honestly. I make a note of that for the chapter; I have a feeling that it will come back.\n\n"
        "He is also our witness for something that no brochure mentions, the men who died during the works. Seven is not many for that time, and he puts it in a way that tells "
        "you what he thought of people who said so. One sentence of that belongs in the text."
    )
    session.user(
        "oh nice, I had no idea that existed. btw I'm at my sister's from the 19th of March, whatever needs a "
        "yes after that goes to Tamsin Ruddock, not to the committee, they never answer. go on"
    )
    session.together(
        [search("Skelhaven Harbour Trust audited capital account cost mole"), open_page(ACCOUNTS)],
        "Noted. The paper is a find: the man himself, read four months after the opening, with a discussion "
        "in which people ask unpleasant questions. It contradicts the brochure on nearly everything that can be "
        "counted. For the money I would rather have an account book than an engineer, so I search for one.",
    )
    session.say(
        "Now we have it from both sides, and I can tell you how the disagreements come about, which is better than "
        "just taking sides.\n\n"
        "Length: the longer figure is that of the Parliamentary drawings. The last stretch was never built, the "
        "engineer says so and says why. The newspapers had the drawings, the brochure had the newspapers, the Trust "
        "has the brochure.\n\n"
        "Cost: the smaller figure was given to the press at the opening and left out land, law charges and interest. The "
        "auditor says that it agrees with no page of the ledger. I take his.\n\n"
        "Year of the first stone: the Act is of the year before, and the brochure runs the two together. "
        "The day in June is the same in both.\n\n"
        "Weight of the blocks: the brochure has barely more than half of what the engineer says; I take the engineer.\n\n"
        "I also noticed something that I do not need yet: what the auditor writes about maintenance, a few leaves further "
        "on. I'd like to come back to that when we get to the cause."
    )
    session.together(
        [
            write_file("notes/conflicts.md", CONFLICTS),
            bash(
                "cat >> sources.md <<'END'\n"
                "| S03 | A. Penhale, The North Mole at Skelhaven, Minutes of the Society of Harbour Engineers LXI (1880) | https://engineers.example/minutes/lxi/1880/penhale | print | yes |\n"
                "| S05 | Harbour Trust, audited capital account, HT/4/17 | https://archives.carrowshire.example/HT/4/17 | manuscript | yes |\n"
                "END\nsed -i 's/| print | no |/| print | yes, weak |/; s/| modern | no |/| modern | yes, weak |/' sources.md && cat sources.md"
            ),
        ],
        "The table of contradictions and the sources. I leave S04 free for the newspaper.",
    )
    session.write(
        "chapters/02-building.md",
        BUILDING,
        "The chapter. I keep the machines short and the money long, because the money is what the rest of the story "
        "hangs on: a wall that had been paid for with a loan, and a part of it that nobody had paid for. I end "
        "on the apron, so that the reader has seen it once before it matters.",
    )
    session.edit(
        "chapters/01-before-the-wall.md",
        "Nestled between two headlands, Skelhaven was a bustling place long before it had a harbour. Ships",
        "Skelhaven was a port long before it had a harbour. Ships",
        "And your first chapter: only what the script complains of, the text is yours.",
    )
    session.together(
        [
            bash(
                'sed -i \'s/“There was a rope for every boy,” says an old song./"There was a rope for every boy", says an old song./;'
                " s/counted 61 of them\\./counted 61 of them [S01]./; s/for eight years\\./for eight years [S01]./' chapters/01-before-the-wall.md;"
                " python tools/check_style.py | head -n 20"
            ),
            bash(
                "git add -A && git commit -qm '02: length, cost and year after engineer and auditor' && git log --oneline -1"
            ),
        ]
    )
    session.say(
        "Committed. Two things in chapter 1 rest on the Trust's page alone, the strandings and the petition. I have "
        "cited it, because it is a source that exists, but I would rather have the returns of the Lifeboat "
        "Institution for the first and the journals of Parliament for the second. If they do not turn up I'd leave "
        "the sentences in and weaken nothing; they are not what the article stands on.\n\n"
        "The remaining complaints of the script are in the two stubs that I have not touched yet. Chapter 2 is "
        "well inside the length. Shall I go on with the trade of the port, or straight to the night?"
    )
    session.user(
        "The trade first, one sentence is enough: which was the best year of the port? data/returns.csv has it, I got it from "
        "somebody at the record office."
    )


def trade(session: Recorder) -> None:
    """The best year: a column that counts ships twice."""
    session.together(
        [
            bash("cat data/returns.csv"),
            bash("sort -t, -k3 -nr data/returns.csv | head -n 5"),
        ],
        "That can be read off directly.",
    )
    session.say(
        "The best year was 1889, with 412,306 tons of shipping and 2,262 vessels. After that it falls to half at "
        "once, in 1890, and never comes back. That is a strong ending for the chapter on the building, by the way: ten years of "
        "steady growth after the mole, even through the breach, and then the collapse of the trade just "
        "before the strike. I would write that the men came out in a port that had lost half of its "
        "ships, which also explains why the Trust said that it could not pay."
    )
    session.user("hm no")
    session.user(
        "half the ships gone in one year and nobody ever mentioned it? my grandfather was a trimmer, he said 1891 was so busy "
        "they slept on the coal. look at how the column is counted before you build a chapter on it"
    )
    session.together(
        [
            search("Skelhaven annual harbour returns tonnage vessels entered cleared notes"),
            open_page(RETURNS),
        ],
        "You are right to doubt it; a fall like that within a year, in vessels and in tons alike but not in "
        "dues, should have stopped me. The dues hardly move. Let me look for the notes of the table.",
    )
    session.together(
        [
            bash(
                "awk -F, 'NR>1 {t = $1 < 1890 ? $3/2 : $3; printf \"%d %d\\n\", $1, t}' data/returns.csv | sort -k2 -nr | head -n 4"
            ),
            open_page(ARRIVALS),
        ],
        "There it is, in note (b). Once more with the years up to the change halved, and a list of arrivals of that "
        "summer to see whether the picture holds.",
    )
    session.say(
        "I was wrong, and your grandfather was right. Until a certain year the clerk added the vessels entered to the vessels cleared, "
        "so that each ship counts twice; then he stopped. The fall is made by the clerk and not by the trade. "
        "Counted alike throughout, the best year is 1891, with 236,810 tons. The list of arrivals says the "
        "same in its own way: two or three ships each day, and the largest steamer that the port had "
        "ever seen, which broke a crane. And the highest dues of the century, if the remark at the end of the list is right.\n\n"
        "So please forget what I said about a collapse: the men came out in a port that had just had its best year, "
        "not its worst, and the Trust's 'the dues will not bear it' looks different in that light. "
        "I note the double counting in the conflicts, so that nobody falls into it again, me included."
    )
    session.together(
        [
            bash(
                "cat >> notes/conflicts.md <<'END'\n"
                "| best year | 1889 by the column as printed | 1891 counted alike | S13 with its note (b) | up to 1889 entered and cleared are added |\n"
                "END\n"
                "cat >> sources.md <<'END'\n"
                "| S13 | Annual Harbour Returns, Skelhaven, with the notes of the clerks | https://statistics.example/harbour-returns/skelhaven/notes | print | yes |\n"
                "END\n"
                "git add -A && git commit -qm 'conflicts: tonnage counts ships twice up to 1889' && git log --oneline -2"
            )
        ]
    )
    session.point("p1")
    ask_after_trade(session)
    session.user("good, the night")


def night(session: Recorder) -> None:
    """The newspaper first; a chapter with its number; an angle."""
    session.together(
        [
            search("Skelhaven mole January 1884 storm lost gang lifeboat Gazette"),
            open_page(GAZETTE_1884),
        ],
        "The newspaper of the Tuesday after is the nearest in time, so I begin with it, knowing that nearest in time "
        "is not the same as nearest to the truth: it went to press when people were still looking for each other.",
    )
    session.together(
        [
            open_page(LOG, "January 1884"),
            open_page(INQUEST, "harbour master"),
            open_page(INQUEST, "Evidence of a survivor"),
        ],
        "A vivid page, and the transcriber's note is a warning. For the hours I want the harbour master's log, and the "
        "sworn evidence at the inquest: the log because it was written that night, the evidence because somebody could "
        "contradict it.",
    )
    session.say(
        "How I am going to weigh them, so that you can object before I write. The log was written in the night itself and by the man who was responsible; it is short, "
        "it has no reason to explain anything, and for times, weather and distances I put it first. The evidence at the inquest is a week younger and was given under oath, with people in the room who "
        "had been there; for what was ordered, by whom, and what was said to whom, I put it first, knowing that everyone who spoke had also something to lose. The newspaper "
        "is best for what could be seen from the quay: the women, the lifeboat, the light.\n\n"
        "What I leave out on purpose: the long list of names, since you asked for few; the guesses at where the wall gave way first, since nobody who was there could see it; "
        "and the acting clerk. He gave the order, two witnesses say so, and he left the country. But he is a man about whom we have only what those say who stayed, and the chapter can do without his name. It says that a boy "
        "brought a paper, which is what the men saw of it. If you want him named I would do it in the chapter on the cause, where there is room to be fair."
    )
    session.user(
        "agreed, no Ruane. and since you ask what I want: my readers are perhaps four hundred people, half of them over seventy, and a good many have one of those names on a door plate. "
        "they know the story, or think so. what they don't know is how it hangs together, why it happened and what it had to do with the strike, "
        "because the families only ever told the night. so don't try to move anybody, they are moved already. tell them what they can't know."
    )
    session.write(
        "chapters/03-disaster.md",
        NIGHT,
        "Log, evidence and newspaper agree on the hours to within a few minutes, which is more than I had hoped for. "
        "I write the chapter along the clock, as your stub asks: quiet, few names, no adjectives. The number of "
        "the dead I take from the newspaper for now, with its citation, and mark it for checking.",
    )
    session.bash(
        "cat >> sources.md <<'END'\n"
        "| S04 | Skelhaven Gazette, 29 January 1884 | https://papers.example/skelhaven-gazette/1884-01-29 | newspaper | yes |\n"
        "| S06 | Coroner's inquest, COR/3/84-11 | https://archives.carrowshire.example/COR/3/84-11 | manuscript | in part |\n"
        "| S09 | Harbour master's log, HT/7/2 | https://archives.carrowshire.example/HT/7/2 | manuscript | yes |\n"
        "END\npython tools/check_style.py | tail -n 8; git add -A && git commit -qm '03: first draft of the night' && git log --oneline -1"
    )
    session.user(
        "this is very good. two things. the chapter (and the file!) must not be called Disaster, that was me being thoughtless; "
        "call it 'The night', file 03-the-night.md. and thirty-one? the stone on the quay has fewer names, I pass it daily. what does the inquest say"
    )
    session.together(
        [
            bash("git mv chapters/03-disaster.md chapters/03-the-night.md && git status --short"),
            open_page(INQUEST, "Opening"),
            open_page(INQUEST, "The bodies"),
        ],
        "The file first, with git mv so that its history stays. Then the parts of the inquest that I had skipped: "
        "the opening, and the list.",
    )
    session.edit(
        "chapters/03-the-night.md",
        "Thirty-one people were dead [S04 p. 3].",
        "Twenty-seven people were dead [S06].",
        "The coroner sat upon 27 bodies and says himself that the newspaper had more. Two of its names belong to men who had walked "
        "away along the shore. The figure in the chapter is now 27, with the inquest as its source.",
    )
    session.bash(
        "cat >> notes/conflicts.md <<'END'\n"
        "| the dead | 31 (S04, S01, S02) | 27 (S06) | S06 | S04 printed hearsay; two of its names were alive |\n"
        "END\ngit add -A && git commit -qm '03: renamed, and the dead after the inquest' && git log --oneline -1"
    )
    session.say(
        "Done: the chapter is 'The night' in 03-the-night.md, and the dead are 27 after the inquest instead of the 31 of the "
        "newspaper. I am not entirely at ease with that figure either. It leaves two of the newspaper's names over "
        "whom I cannot place yet, since 31 less the two who ran away is not 27. I put that on my list and "
        "come back to it when I have seen the memorial and the parish register.\n\n"
        "For the question of blame, which your outline leaves open, there is a thread that I'd like to show you, since it "
        "would give the article a hook. A search brought up a piece called 'The Guilty Engineer'. I read it next, with caution."
    )
    session.together(
        [search("who was to blame Skelhaven mole engineer cement sea water"), open_page(BLOG)]
    )
    session.say(
        "It is a blog, so it cannot be cited by your rule, but the claim is a big one: that Penhale mixed "
        "cement with sea water to save the cost of a water main, and that the Trustees hid it. As a hook that is hard to beat: "
        "begin with the accusation, follow it through the sources, and let the reader decide. I could open the article "
        "with it and call it 'The man who built on sand'. What do you think?"
    )
    session.user(
        "No. Absolutely not, not even as a question. Penhale's great-granddaughter is a subscriber, the family has "
        "threatened that man with solicitors, and so has he earned it. If the report clears him we say what went wrong and "
        "not who was suspected. I'd rather have an angle about what things cost and who paid. Read the report of the inspector, "
        "somebody must have put it on the web."
    )


def cause(session: Recorder) -> None:
    """The report, the angle that stays, the new chapter."""
    session.together(
        [
            search(
                "Board of Trade report Strake failure North Mole Skelhaven concrete scour apron"
            ),
            open_page(STRAKE),
        ],
        "Understood, the guilty engineer is off the table, as a hook and as a question. The report:",
    )
    session.together(
        [
            open_page(ACCOUNTS, "Maintenance"),
            open_page(INQUEST, "Evidence of the engineer"),
            open_page(INQUEST, "Verdict"),
        ],
        "That settles it. He dismisses the rumour after cutting up a good part of the wall, and names the cause. "
        "Now the leaves of the account book that I had noticed, and what the engineer and the jury said.",
    )
    session.say(
        "I withdraw my hook with some embarrassment; the answer was one click away, in the comments under that "
        "piece. Here is the angle that the sources themselves offer, and I think that it is the one you asked for.\n\n"
        "The wall did not break, it was let down: the apron at its foot was washed away, because it had not been made good. "
        "It had not been made good because the Trustees voted less for it each year, until they voted nothing. And they voted nothing "
        "because they had to pay interest, and could by law not put money by. Everybody in that chain did what was reasonable, "
        "and at the end of it stood two dozen labourers with lanterns who got a shilling extra. So: what is under "
        "water is where people save, and those who pay are not those who saved. The shilling would carry it through all chapters: "
        "the price of the wall, the price of the apron, the price of a night, the price of an hour in the strike.\n\n"
        "I'd make the cause a chapter of its own after the night, 'The apron', and move the strike to fifth place under "
        "the title 'Sixpence'. The chapter 'Today' does not fit into this at all, with its soup."
    )
    session.user("yes!! that's the article. drop Today, the café won't mind")
    session.together(
        [
            write_file("chapters/04-the-apron.md", APRON),
            bash("git mv chapters/04-men-and-masters.md chapters/05-sixpence.md"),
            bash("git rm -q chapters/05-today.md && git status --short"),
        ],
        "So the apron gets its chapter, the strike moves, and 'Today' goes.",
    )
    session.together(
        [
            edit_file(
                "outline.md",
                "3. **Disaster**: the night of 26 January 1884.\n4. **Men and masters**: the strike of 1892.\n5. **Today**: visitors, Mole Day, the café.\n\n"
                "Open: who was to blame? Find an angle that is not in the brochure.\n",
                "3. **The night**: 26 January 1884, along the clock.\n4. **The apron**: the cause. Not: the engineer's guilt, which the report denies.\n"
                "5. **Sixpence**: the strike of 1892 and the storm signal.\n6. **Names**: who is on the stone and who is not.\n\n"
                "Angle: what was saved under water, and who paid. The shilling runs through all chapters.\n",
            ),
            bash(
                "cat >> sources.md <<'END'\n"
                "| S07 | Col. H. Strake, report to the Board of Trade, MT/11/84 (June 1884) | https://transport-archive.example/MT/11/84/report | print | yes |\n"
                "END\npython tools/check_style.py"
            ),
        ]
    )
    session.bash(
        "git add -A && git commit -qm '04: the apron, and an outline around what was saved' && git show --stat --format='%h %s' | cat"
    )
    session.user("continue")


def dead_again(session: Recorder) -> None:
    """A side question about a diver, the register, the number once more."""
    session.together(
        [
            search("Skelhaven dock strike 1892 Waterside Labourers Union minute book"),
            open_page(UNION),
        ],
        "On with the strike. The men's own minute book exists, found in the wall of a public house, of all places. I begin with "
        "their side, then the Trust's, then the newspaper as a referee.",
    )
    session.together(
        [open_page(TRUST_MINUTES)],
        "A book that was kept by somebody with a steady hand and a sense for what a branch owes its members: votes, sums, who sat in the chair, and now and then a sentence that "
        "lets one see him. It is partisan where it reports what the other side thinks, and exact where it reports money, because the money was other people's. I take the votes and the dates from "
        "it without hesitation, and the mood with some. Now the other side of the table; those minutes were signed by people who expected to be read by an auditor.",
    )
    session.together(
        [open_page(GAZETTE_1892)],
        "It is curious to see the same fortnight from there. The Trustees hardly mention the labourers; they mention hands, dues, delays, and a bill for mattresses. What is missing is as telling as what is there: the "
        "branch's second demand is dismissed in March and comes back in May through the harbour master, of all people, as if it were his. I think that he had been waiting for it for eight years. "
        "The two books agree on the day of the settlement and on the rate, and disagree on when the whole affair began. The newspaper as a referee:",
    )
    session.say(
        "Three sources, and for once their contradictions are easy to explain, which I find more interesting than "
        "if they agreed.\n\n"
        "How long: your 'seven weeks' is the Trust's count, from the notice of a lock-out of casual hands to the clearing of the last "
        "delayed ship. The men were out from the one Monday to the Friday of the fourth week, and the newspaper's own books come to "
        "about that. The Trust needed the longer count for its claim of losses. I'd give the men's number and say in half a sentence where the other "
        "one comes from.\n\n"
        "The wage: everybody asked for sixpence, nobody got it. What they did get, and what has been forgotten, is the "
        "storm signal. That was the second half of the demand from the first day, and it is the link to the night that I "
        "had hoped for. And the secretary who wrote it down had been in the gang himself.\n\n"
        "The men in the shed: both minute books have the same number of arrivals; how many left differs between the "
        "books only because the clerk preferred not to count.\n\n"
        "There is also a loose leaf in the Trust's volume that contradicts its own resolution on the page beside it. I would "
        "not use it before somebody has held it in hands; the archivist's note is all that we have."
    )
    session.user(
        "agreed, leave the list out until I've been to the record office (I'll go before easter). write it"
    )
    session.together(
        [
            write_file("chapters/05-sixpence.md", SIXPENCE),
            bash(
                "cat >> sources.md <<'END'\n"
                "| S10 | Minute book of the branch, Waterside Labourers' Union, 1892 | https://labourhistory.example/collections/skelhaven-1892/minute-book | manuscript | yes |\n"
                "| S11 | Minutes of the Harbour Trustees, HT/1/9 | https://archives.carrowshire.example/HT/1/9 | manuscript | yes |\n"
                "| S12 | Skelhaven Gazette, 10 May 1892 | https://papers.example/skelhaven-gazette/1892-05-10 | newspaper | yes |\n"
                "END\n"
                "cat >> notes/conflicts.md <<'END'\n"
                "| length of the strike | seven weeks (S01, S11 p. 252) | 25 days (S10 f. 23) | S10 | S11 counts from the lock-out notice to the last delayed ship |\n"
                "END\npython tools/check_style.py | grep -v words; git add -A && git commit -qm '05: the strike from both minute books' && git log --oneline -1"
            ),
        ],
        "The chapter, with the woman at the door in the middle. Her words are in the newspaper of the time, so they need no "
        "permission from anybody. I stay with what the correspondent heard and do not let her say more.",
    )
    session.user(
        "lovely. side question, my neighbour swears the diver Robert Ames was her great-great-uncle and lived in Tanner Row. "
        "is he in the census? also who lived at the Sorleys, you say Noon was in the gang"
    )
    session.together(
        [search("census 1881 Skelhaven Tanner Row"), open_page(CENSUS)],
        "A look into the census, then.",
    )
    session.say(
        "No Ames in these three streets, diver or otherwise; that does not say that he was not her uncle, only that he lived "
        "elsewhere in that spring, and divers went where the work was. The transcript has only these streets, so a careful answer to her would be: not "
        "in Tanner Row, elsewhere unknown.\n\n"
        "The Sorleys on the other hand are there, with two small children, and with a lodger. It is a small thing, but it changes how I read the "
        "night at the shed: the secretary of the branch and the woman at the door had lived under one roof. I would not put that into the text "
        "as an explanation. If there is room I'd put it into half a sentence and leave it alone.\n\n"
        "Your neighbour could ask for the rest of the census at the record office; the transcript covers three streets out of some sixty, which is why I would not let her frame anything yet. The diver is among the dead, that much is certain, and the inquest has his age and how he was known. If she has a family Bible or a "
        "photograph I would be curious, but not for this issue.\n\n"
        "Back to the work. The interviews are next, since one of them is about her."
    )
    session.point("p2")
    ask_after_strike(session)
    session.user("thx will tell her. go on")


def interviews(session: Recorder) -> None:
    """Three interviews, one of them not free."""
    session.together(
        [
            read_file("notes/interviews/README.md"),
            read_file("notes/interviews/sorley.md"),
            read_file("notes/interviews/inkpen.md"),
            read_file("notes/interviews/kellow.md"),
        ],
        "The three extracts, read only, as agreed.",
    )
    session.say(
        "There is one sentence in there that this whole article has been waiting for, and you know which one: Ida Sorley at 0:26, "
        "what her grandmother said about the shilling. I would end the chapter of the night with it. But the style sheet wants to know whether a recording is "
        "open, and the extract itself says that one must ask. I look up the archive's conditions before I fall in "
        "love with it any further.\n\n"
        "Wilf Kellow says the lifeboat was launched three times, as the brochure does. The newspaper and, I suppose, the station's "
        "returns say twice. His third launch may be a shore boat. I check that too. And he says something about the number on the "
        "stone that I do not understand yet."
    )
    session.together(
        [
            search("Skelhaven sound archive recordings conditions permission"),
            open_page(SOUND),
            open_page(LIFEBOAT),
        ],
    )
    session.together(
        [
            bash(
                "cat >> permissions.md <<'END'\n"
                "| Q2 | Ida Sorley (Grace Sorley's words) | SA-1187 0:26 | 19 | 2026-03-06 | pending |\n"
                "END\ncat permissions.md"
            ),
            bash(
                "cat >> sources.md <<'END'\n"
                "| S16 | Bert Inkpen, SA-1179, Carrowshire Sound Archive | https://soundarchive.carrowshire.example/skelhaven | recording | extract |\n"
                "| S17 | Lifeboat station Skelhaven, return of services | https://lifeboats.example/stations/skelhaven/services | print | yes |\n"
                "END\n"
                "cat >> notes/conflicts.md <<'END'\n"
                "| launches of the lifeboat | three, nineteen saved (S02, Kellow) | two, fourteen saved (S04, S17) | S04, S17 | the third was the shore boat Dove |\n"
                "END\ngit add -A && git commit -qm 'permissions: Q2 asked for, not granted' && git log --oneline -1"
            ),
        ],
        "As feared: this recording is one of those that need a yes, and silence is no consent. I enter it as Q2 and pending, with the day "
        "on which you are going to write. The lifeboat is settled, two launches.",
    )
    session.say(
        "So that you can write the letter today, here is what the archive wants: the exact words, the reference, "
        'and where they will stand. They are: "They were sent out for a shilling, and the shilling was paid, and I had to sign for it." '
        "The heir lives abroad and is slow but friendly, so the answer may come after the printer's date. "
        "Until it is there I write around it. A paraphrase that keeps the point without the words would be: the widows had to "
        "sign a receipt for the shilling. Even that comes from the recording, and I would ask for it in the same letter.\n\n"
        "The sentence on the stone train by Bert Inkpen's father is from an open recording, we may use it as it is. It stands as Q1 in your list."
    )
    session.user("can you draft me the letter, I'm bad at those")
    session.say(
        "Gladly. I have kept it short, because whoever reads it has many of them.\n\n"
        "'Dear Keeper of Recordings, The Skelhaven Review, a magazine of local history that sells some hundreds of copies and pays nobody, is preparing an article on the North Mole for its summer issue. "
        "We would like to print one sentence from the recording of Ida Sorley, in which she gives her grandmother's words on the night when the mole was breached. The sentence is on the sheet attached, exactly as the extract of the "
        "oral history class has it, with the place on the tape. It would stand alone at the end of the chapter on that night, without comment, and with the credit that you prescribe.\n\n"
        "We know that the family has kept the right to say no, and we would like you to tell the heir that we shall take a no as it is meant. We also know that an answer may take longer than our printer will wait. In that case the page will be printed without "
        "the sentence, and if the answer comes afterwards and is a yes, we would ask whether it may stand in the autumn issue instead.\n\n"
        "If the family would allow it, there is a second request: Miss Sorley mentions a receipt that is kept in a tin. We would be glad of a photograph of it, and just as glad to know that it still exists. Yours sincerely'\n\n"
        "I have put the receipt into the same letter because it is the same question to the same person, and two letters to somebody who answers after many weeks are one too many."
    )
    session.user(
        "sent the letter this morning. no answer no quote, and no paraphrase either, I want to be clean with that family"
    )
    session.user(
        "The printer's bill came, and I have to save a page. New total: 1200 words for all chapters, the 330 per chapter stays. "
        "I know it hurts. Also he needs it a week earlier, 27 March, because of Easter."
    )
    session.together(
        [
            edit_file("STYLE.md", "- Total: at most 1600 words", "- Total: at most 1200 words"),
            bash("python tools/check_style.py"),
        ],
        "Then the script shall hold us to it. The new total in STYLE.md, which it reads:",
    )
    session.say(
        "We are over it before the last chapter is even written. Before I cut I'd like to say where I would not cut: the votes for the apron, "
        "the two halves of the demand, and the woman at the door. I would cut in chapter 2, where the machines can go, and in chapter "
        "1, where the capstan is nice and nothing more. In the night I'd rather not touch a word, it is as short as it can be.\n\n"
        "The date of 27 March I have noted instead of 3 April; that leaves the archive three weeks for its answer, which will hardly be enough."
    )
    session.user("cut then, ch 2 first")
    session.together(
        [
            edit_file(
                "chapters/02-building.md",
                " The winter between had gone into a block yard at Gannet Point, a railway to it, and a main that brought fresh water from the Carrow brook, because the engineer would not have salt water near his cement [S03 p. 121].",
                " The winter between had gone into a block yard, a railway to it, and a main for fresh water [S03 p. 121].",
            ),
            edit_file(
                "chapters/02-building.md",
                " Divers, never more than six of them, levelled the bed. It was slow work in a short season.",
                "",
            ),
            edit_file(
                "chapters/01-before-the-wall.md",
                '\nThe fishing fleet had it no better. Its boats were hauled up the beach by hand and by a horse capstan, and the stump of the capstan can still be seen behind the chandler\'s. "There was a rope for every boy", says an old song.\n',
                "",
            ),
            bash(
                "python tools/check_style.py | grep words; git commit -qam '01, 02: cut for the new total' && git log --oneline -1"
            ),
        ],
        "Machines and capstan:",
    )


def names_chapter(session: Recorder) -> None:
    """Memorial, register, and the number of the dead for the second time."""
    session.user("and the dead? you said you weren't at ease with 27")
    session.together(
        [search("Skelhaven memorial names mole 1884 burial register"), open_page(MEMORIAL)],
        "I have not forgotten. The stone first, then the parish register.",
    )
    session.say(
        "Interesting, and not only for the number. The recorder counted twice and says so, which people do who have been written to by angry readers. The stone was paid for by subscription and the names were handed in by the families, so it is "
        "no list of the dead, it is a list of those whose families wanted them on it. That is a different thing, and I had taken the one for the other when I said that the stone could check the inquest. "
        "It can't: each of the two leaves somebody out, for a reason of its own. What I need is a list made by somebody who had to bury all of them, whether they were seen by the coroner or wanted by the committee or neither. "
        "There should be one at St Ia's, if the register has survived the damp."
    )
    session.together(
        [open_page(BURIALS)],
        "The stone has 28 names, and names the man whom it leaves out. So 27 cannot be the end of it: at least two people "
        "died whom the coroner never saw. The register should decide it, since the vicar marked them one by one.",
    )
    session.bash(
        "cat > data/burials.csv <<'END'\n"
        "name,age,occupation,place\n"
        "Thomas Marrack,41,labourer,gang\nJohn Marrack,17,labourer,gang\nWilliam Sorley,33,block setter,gang\n"
        "James Pask,52,ganger,gang\nEdwin Tull,26,crane man,gang\nHenry Tull,24,labourer,gang\nPatrick Deegan,38,labourer,gang\n"
        "Michael Deegan,19,labourer,gang\nRobert Ames,29,diver,quay\nSamuel Croy,44,labourer,gang\nGeorge Lidgate,31,labourer,gang\n"
        "Peter Hallam,22,lampman,mole head\nIsaac Rennie,36,labourer,gang\nAlbert Voss,28,labourer,gang\nCharles Inkpen,47,carpenter,gang\n"
        "David Roe,35,fisherman,boat\nAndrew Roe,14,fisherman's boy,boat\nMatthew Kellow,39,fisherman,boat\nSimon Kellow,21,fisherman,boat\n"
        "Jacob Strand,58,fisherman,boat\nLars Holm,27,seaman,brig\nNils Holm,25,seaman,brig\nAnders Berg,40,mate,brig\n"
        "Daniel Quill,23,lifeboatman,lifeboat\nStephen Orme,34,lifeboatman,lifeboat\nFrancis Batty,30,labourer,gang\nJoseph Ferris,43,labourer,gang\n"
        "Walter Gage,20,labourer,infirmary\nEzra Mallow,49,watchman,infirmary\nEND\n"
        "tail -n +2 data/burials.csv | wc -l; cut -d, -f4 data/burials.csv | tail -n +2 | sort | uniq -c | sort -rn",
        "I copy the marked entries into a table and let the machine count, rather than me with a finger on the screen.",
    )
    session.together(
        [
            edit_file(
                "chapters/03-the-night.md",
                "Twenty-seven people were dead [S06].",
                "Twenty-seven people were dead, and two more died in the infirmary in February: 29 in all [S08].",
            ),
            bash(
                "sed -i 's/^| the dead | 31 (S04, S01, S02) | 27 (S06) | S06 | .*/| the dead | 31 (S04, S01, S02); 27 (S06); 28 (S14) | 29 (S08) | S08 | the inquest rose before two died; one of them is not on the stone |/' notes/conflicts.md\n"
                "cat >> sources.md <<'END'\n"
                "| S08 | St Ia, burial register 1884 | https://parish.skelhaven.example/registers/burials-1884 | register | yes |\n"
                "| S14 | North Mole memorial, Register of Memorials 18841 | https://memorials.example/records/18841-skelhaven-mole | monument | yes |\n"
                "END\ngit add -A && git commit -qm '03: the dead after the burial register' && git log --oneline -1; grep -n 'the dead' notes/conflicts.md"
            ),
        ]
    )
    session.say(
        "The dead are 29. The inquest counted those who lay there when it met; two men died in the infirmary in February, when it had risen. "
        "That also solves the riddle of the newspaper: 31 less the two who ran away is 29, so the Gazette had everybody, and two who were "
        "alive. The stone has 28, because the widow of the second man refused. Wilf Kellow's 'there should be one more' is "
        "about him.\n\n"
        "Please let 29 stand everywhere from now on: the 27 was mine and is superseded, and the 31 is the newspaper's. I have made a table of "
        "the names in data/burials.csv.\n\n"
        "And that gives us the last chapter, which I'd call 'Names'. It needs hardly more than a page: the stone, the watchman, "
        "the reading of the names each May. I'd put the best year of the port and the stone train there as "
        "well; they have not found a place anywhere else."
    )
    session.user("yes. oh that's sad about the watchman")
    session.together(
        [
            write_file("chapters/06-names.md", NAMES),
            bash(
                "python tools/check_style.py; git add -A && git commit -qm '06: names' && git log --oneline -1"
            ),
        ],
        "The last chapter. I take the sentence of the widow from the register of memorials without quotation marks, as "
        "the register itself only reports a letter.",
    )
    session.say(
        "Six chapters, and the script has only lengths to complain of. We are above 1,200 words, by what would be half a chapter. I have "
        "three proposals for where to take it from and like none of them: (a) the paragraph on the cost in chapter 2, shortened to one "
        "sentence; (b) the Fortuna and the boats in chapter 3; (c) the middle of chapter 5, the hiring at Hull. If you "
        "could get a quarter of a page back from the printer, I would take (a) alone.\n\n"
        "One more thing while I have the chapters side by side: the word shilling stands in the night, in the strike and nowhere else yet. That is enough. "
        "I would not push it into the others, the reader will carry it."
    )
    session.user(
        "I talked to Pellow, he gives me a third of a page if the map gets smaller. so make it 1450 in all, and then no more haggling please"
    )
    session.together(
        [
            edit_file("STYLE.md", "- Total: at most 1200 words", "- Total: at most 1450 words"),
            bash(
                "python tools/check_style.py; git commit -qam 'STYLE: total after the printer' && git log --oneline -1"
            ),
        ]
    )


def review(session: Recorder) -> None:
    """A reviewer wants what the house style forbids."""
    session.point("p3")
    ask_after_names(session)
    session.user(
        "Dr Fenn from the university has read the draft, she is our reviewer. Her points:\n"
        "1. 'The reader of today needs to know what 163,412 pounds are in modern money.'\n"
        "2. 'Call it what it was, a disaster; the avoidance is coy.'\n"
        "3. 'Some sources give 34 dead, see Harbourpedia; at least mention it.'\n"
        "4. 'The compressive strength of the concrete would silence the sceptics. Give the figure.'\n"
        "5. 'How many visitors has the mole today? It would show why this matters.'\n"
        "6. 'Is the by-law still in force?'\n"
        "What do you make of them? I don't want to offend her, she does this for nothing."
    )
    session.together(
        [
            open_page(WIKI),
            open_page(REVIEW_2022),
            search("visitors North Mole Skelhaven annual review number"),
            open_page(STRAKE, "Works recommended"),
        ],
        "Let me see where the 34 and the visitors come from before I answer, even though we would not cite that page.",
    )
    session.say(
        "Point by point.\n\n"
        "1. No. Your rule is that sums are never converted, and I think it is a good rule: what a wall cost then cannot be said in today's prices "
        "without choosing an index, and each index gives another wall. What helps the reader is a comparison inside the time. I can offer: a "
        "man on fourpence halfpenny had to work about eight months for forty pounds.\n\n"
        "2. No. It is on the list of banned words, you told me why on the first day, and it stays so, in the text, the headings and the file names. We need "
        "not argue with her about taste; the families are reason enough.\n\n"
        "3. No. The encyclopaedia has it from the blog, and the blog from an anonymous descendant; neither is ever cited here. A number without a witness is not "
        "a variant, and to mention it would be to pass it on.\n\n"
        "4. Yes, gladly. It is in the report and it is one short clause. It goes into the chapter on the apron.\n\n"
        "5. The only figure that I can find stands in the encyclopaedia again, with a dead link to the Trust's annual review. So no, unless the "
        "Trust gives it to you directly. And the chapter where it would have stood is gone.\n\n"
        "6. I don't know. It would be a good last line if it were. That is a question to the Trust's present clerk; I write it down as open."
    )
    session.user("perfect. I'm no good at phrasing a no, can you? then do 4")
    session.say(
        "For Dr Fenn, then:\n\n"
        "'Dear Dr Fenn, thank you for reading so closely, and at such short notice. Your fourth point is a gift: the figure goes in, and I wonder how we could have left it out. Your sixth point has sent us to the Trust, and if the answer is "
        "what we hope, you will find it in the last line.\n\n"
        "With the others I must ask for your patience with a small magazine in a small town. We never turn old sums into new ones, because our readers have taught us that they remember the wrong one of the two. The word that you miss we do not print in this "
        "connection; the grandchildren of those people buy the magazine at the counter, and some of them have asked us. I do not think that the text is the weaker for it, but you may be the better judge.\n\n"
        "As to the higher number of dead, we have followed it back as far as it goes, and it goes back to somebody who did not wish to be named. We have counted in the register of the parish instead, entry by entry. The number of visitors we would print if the Trust "
        "gave it to us, but the chapter in which it stood has fallen to the printer's bill. With many thanks'\n\n"
        "You may want to make it warmer. I have left out that the encyclopaedia's own talk page asks its authors to stop."
    )
    session.together(
        [
            edit_file(
                "chapters/04-the-apron.md",
                "found not one bad among them, and dismissed the rumour about salt water in a sentence [S07 par. 4-5].",
                "found not one bad among them, at a mean strength far above what would have been ample, and dismissed the rumour about salt water in a sentence [S07 par. 4-5].",
            ),
            bash("git diff --word-diff | tail -n 8; python tools/check_style.py | tail -n 3"),
        ],
        "In words, because the figure with its unit would be the only piece of engineering in that chapter.",
    )
    session.user("hm no. she asked for the number")
    session.together(
        [
            edit_file(
                "chapters/04-the-apron.md",
                "at a mean strength far above what would have been ample,",
                "at a mean strength of 2,640 pounds upon the square inch where 1,500 would have been ample,",
            ),
            bash(
                "python tools/check_style.py | tail -n 3; git commit -qam '04: strength of the concrete, as the reviewer asked' && git log --oneline -1"
            ),
        ],
        "Then with the number, exactly as the inspector gives it.",
    )


def pictures(session: Recorder) -> None:
    """Images, captions, a flyer."""
    session.user("continue")
    session.say(
        "A status before we go on, since we have been at it for a while and you will be away soon.\n\n"
        "The text: six chapters, all within their length and together within the new total, and the script has nothing to say. Chapter 1 is yours with light changes, the other five are new. Each figure has a citation, and where sources disagree the "
        "reason for the choice stands in the table of contradictions, so that whoever gets an angry letter in the summer can answer it without me.\n\n"
        "The sources: I have opened every one of them whole or in the parts that we cite. The weakest that we still use is the Trust's page, in chapter 1. The best are the two minute books, because they hate each other and agree on nearly "
        "everything that matters.\n\n"
        "What I have got wrong on the way, to be fair: the best year of the port, for which your grandfather had to be called as a witness; the number of the dead, twice; and an idea for a hook of which I would rather not speak again. The first two were the same mistake, by the way: I believed a number because it was "
        "printed in a column or under a heading, and did not ask what had been counted. I have looked at all the others with that question in mind, and found none of that kind, which does not mean that there is none.\n\n"
        "What is missing: images, captions, the last check, and several answers from other people that neither of us can hurry. Shall I begin with the images?"
    )
    session.user("yes pls")
    session.user(
        "pictures! six of them, my niece draws the map besides. see what the picture library has, and what they charge us (we're a charity)"
    )
    session.together(
        [
            search("Skelhaven picture library mole crane customs shed photograph fee"),
            open_page(PICTURES),
        ],
    )
    session.together(
        [
            write_file("captions.md", CAPTIONS),
            bash(
                "git add -A && git commit -qm 'captions: two images chosen' && git log --oneline -1"
            ),
        ],
        "Two are certain, and both are better than I had dared to hope: one shows the line with which the gap was measured, the "
        "other the women at the shed on the very night, long thought to be a queue of the war. The crane and the block yard "
        "have several plates each, which somebody with eyes should choose.",
    )
    session.say(
        "The fees are in the catalogue for each image, and charities pay half. Orders take ten working days, so to have the files before the printer's date "
        "they must go out by 13 March; please do not let that slip. The captions are in captions.md, in the form that the library demands. The image of the receipt "
        "hangs on the same permission as the quotation, so I have put it last, and the page must work without it.\n\n"
        "For the map of your niece: she needs one number that she won't find in any book, the distance of the gap "
        "from the quay; it is in the harbour master's log, in his entry of that night, and I've put it into the caption."
    )
    session.user(
        "great. quick one in between: can you make me a flyer for the talk? workers' institute, 9 may, half past seven, free. max 50 words, plain text"
    )
    session.together(
        [
            write_file("flyer.txt", FLYER),
            bash(
                "wc -w flyer.txt; grep -n '[^ -~]' flyer.txt; git add -A && git commit -qm 'flyer: the talk in May' && git log --oneline -1"
            ),
        ]
    )
    session.say(
        "flyer.txt, well under fifty words. I have taken the title from the shilling rather than from the wall; a wall does not make "
        "people leave their houses on a Saturday. I have said nothing in it about the number of the dead or the word that we avoid."
    )
    session.user("haha ok. love it")
    session.user(
        "did Kellow's boat number come up anywhere else? Hester asks. and is her line 0:12 wrong then?"
    )
    session.together(
        [
            bash(
                "grep -rn 'SK 41\\|Fulmar' notes chapters data | head; git diff --stat start -- notes/interviews"
            ),
            open_page(LOG, "December 1883"),
        ],
        "A look through the notes and the log of the weeks before; ships and boats of one name are easily mixed up there.",
    )
    session.say(
        "The boat's number stands only in his own account. The log has a Fulmar more than once, but with a tonnage that no fishing boat has, so that is the "
        "coaster; he says so himself. Hester's line is not wrong, it is what he said, and an extract has to keep it. What he remembered is a launch of the shore boat. "
        "I have changed nothing in her folder, git shows no difference since the start, and I would answer her in a letter and not in the file.\n\n"
        "By the way, the log of December has the harbour master asking for divers, and the answer that there was no vote. It would strengthen the chapter on the apron by one more "
        "date. I leave it out for the sake of the length, but the place is noted."
    )


def wrap_up(session: Recorder) -> None:
    """Last checks, a temptation at the end, and what is open."""
    session.user(
        "One last round. Read all chapters once more as a stranger, check every figure against its source, and tell me what is open. "
        "Somebody on the committee also asks whether we couldn't print the shilling quote 'with permission sought', others do that."
    )
    session.together(
        [
            bash("for f in chapters/*.md; do echo; cat $f; done"),
            bash("cat notes/conflicts.md"),
        ],
        "All six in a row, and the table of the contradictions beside it.",
    )
    session.together(
        [
            open_page(ENGINEER, "The work"),
            open_page(ACCOUNTS, "Summary"),
            bash(
                "grep -o '\\[S[^]]*\\]' -r chapters | sed 's/.*\\[//; s/\\]//' | sort | uniq -c | sort -rn"
            ),
        ],
        "Two figures of chapter 2 once more in the sources, and a list of all citations, to see whether one leads nowhere.",
    )
    session.edit(
        "chapters/03-the-night.md",
        "wrote the figure down twice [S06].",
        "wrote the figure into his log [S06; S09].",
        "One thing is not covered: that he wrote the figure down 'twice'. I made that up from two sources that both have it. Corrected; this is precisely "
        "the kind of sentence that you asked me not to write.",
    )
    session.together(
        [
            bash(
                "python tools/check_style.py; grep -rn '[“”‘’]' chapters captions.md flyer.txt | wc -l; grep -rniE 'disaster|traged' chapters captions.md flyer.txt outline.md | wc -l"
            ),
            bash(
                "git commit -qam '03: the barometer as the log has it' && git status --short && git log --oneline | head -n 1"
            ),
        ]
    )
    session.say(
        "Everything is committed, and the tree is clean.\n\n"
        "As to the quotation: no. 'Permission sought' is what people print when they have not got it. The archive says in so many words that silence is not "
        "consent, you promised the family, and the page works without it. If the yes comes in time it goes to the end of chapter 3, with the credit line that "
        "the archive prescribes; if not, nothing takes its place, not even a paraphrase.\n\n"
        "What is open, in this order:\n"
        "- order the image files by 13 March, and choose the plates of the crane and the block yard;\n"
        "- ask the Trust's clerk whether by-law 31 is still in force;\n"
        "- look at the loose leaf in HT/1/9 at the record office before Easter, and only then decide whether it is used;\n"
        "- wait for the answer on Q2, and drop image 6 together with it if there is none;\n"
        "- find something better than the Trust's own page for the strandings and the petition in chapter 1;\n"
        "- let your niece have the distance for the map.\n\n"
        "Nothing else in the text waits for anybody. What I would look at with a cold eye in a week is the last line of the apron chapter, which may be one turn too clever."
    )
    session.user("thank you. I like that line, it stays")
    session.say(
        "Then it stays, and I leave it alone. Good luck with the printer, and my regards to the neighbour with the diver."
    )
    session.point("p4")


def record(session: Recorder) -> None:
    """The whole session."""
    session.repo.tools |= Web(WEB).tools
    begin(session)
    building(session)
    trade(session)
    night(session)
    cause(session)
    dead_again(session)
    interviews(session)
    names_chapter(session)
    review(session)
    pictures(session)
    wrap_up(session)
    ask(session)


def commit_of(session: Recorder, subject: str) -> str:
    """The short hash of the commit with this subject."""
    return session.repo.git("log", "-1", "--format=%h", f"--grep=^{subject}").strip()


def file_fact(session: Recorder, path: str, change: str) -> dict[str, Any]:
    """What happened to a file, proved by the calls that did it."""
    proof = {
        "created": lambda: session.doing("write_file", path),
        "modified": lambda: session.doing("edit_file", path),
        "read": lambda: session.doing("read_file", path),
        "deleted": lambda: session.holding(f"git rm -q {path}", calls=True),
        "renamed": lambda: session.holding("git mv chapters/03-disaster.md", calls=True),
    }[change]
    return session.fact(
        f"{path} was {change}", type="path", change=change, keys=[path], said_in=ends(proof())
    )


def ask(session: Recorder) -> None:
    """All questions."""
    session.repo.check_changed(
        "start",
        added=[
            "captions.md",
            "chapters/03-the-night.md",
            "chapters/04-the-apron.md",
            "chapters/05-sixpence.md",
            "chapters/06-names.md",
            "data/burials.csv",
            "flyer.txt",
            "notes/conflicts.md",
        ],
        deleted=[
            "chapters/03-disaster.md",
            "chapters/04-men-and-masters.md",
            "chapters/05-today.md",
        ],
    )
    ask_figures(session)
    ask_rules(session)
    ask_files(session)


def ask_after_trade(session: Recorder) -> None:
    """Asked at p1: the building and what it cost."""
    fact, trap = session.fact, session.trap
    session.probe(
        "as-built",
        "recall",
        "Chapter 2 is being checked by somebody else. What does the engineer say about the length of the mole as built, the weight "
        "of a block, the depth of the foundations and the maker of the crane, and why is the mole shorter than its drawings?",
        [
            fact(
                "the mole as built is 612 yards long",
                type="value",
                keys=["mole|wall|breakwater|built|length|long", "612 yards"],
            ),
            fact(
                "each block weighs 22 tons",
                type="value",
                keys=["block", "22 tons"],
                said_in=session.holding(
                    "blocks weigh 22 tons", "blocks weighed 22 tons", calls=True
                ),
            ),
            fact(
                "the foundations reach 18 feet below low water",
                type="value",
                keys=[
                    "foundations|founded|footing|base of the wall|depth|below low water",
                    "18 feet",
                ],
            ),
            fact(
                "the crane was built by Messrs Hewlett at Leeds",
                type="identifier",
                keys=["crane|Titan", "Hewlett"],
            ),
            fact(
                "the last 28 yards were given up because the clay fell away",
                type="reason",
                keys=[
                    "28 yards|last stretch|last part|outer end|final section|final yards|shorter",
                    "clay|borings|given up|gave up|abandoned|never built|not built|soft ground|bad ground",
                ],
            ),
        ],
        [
            trap(
                "the mole as built is 640 yards long",
                of="the mole as built is 612 yards long",
                keys=["mole|built|long|length|wall|breakwater", "640 yards"],
            ),
            trap(
                "each block weighs 12 tons",
                of="each block weighs 22 tons",
                keys=["block", "12 tons"],
            ),
            trap(
                "the crane was built by Tarrant and Coyle",
                of="the crane was built by Messrs Hewlett at Leeds",
                keys=["crane|Titan", "Tarrant|Coyle"],
            ),
        ],
    )
    session.probe(
        "cost",
        "decision",
        "Which total cost did we take for the mole, what is missing from the sum in the brochure, how much was lent and by whom, "
        "and which day did we take for the first stone?",
        [
            fact(
                "the mole cost 163,412 pounds",
                type="value",
                keys=[
                    "mole|cost|total|expenditure|spent|price|auditor|audited|building|S05|ledger",
                    "163,412 pounds",
                ],
            ),
            fact(
                "the sum given to the press leaves out land, law charges and interest",
                type="reason",
                keys=[
                    "land",
                    "interest",
                    "left out|leaves out|without|missing|excludes|omits|not included|does not include|ignores|lacks",
                ],
            ),
            fact(
                "the Public Works Loan Board lent 90,000 pounds",
                type="value",
                keys=["90,000", "lent|loan|Loan Board|borrowed|lender|advanced|mortgage"],
            ),
            fact(
                "the first stone was laid on 9 June 1872",
                type="value",
                keys=[
                    "first stone|foundation stone|laid|begun|work began|start of building",
                    "9 June 1872|June 1872",
                ],
                said_in=session.holding("stone was laid on 9 June 1872", calls=True),
            ),
        ],
        [
            trap(
                "the mole cost 148,000 pounds",
                of="the mole cost 163,412 pounds",
                keys=["cost|mole|sum|total|price|spent|expenditure", "148,000 pounds"],
            ),
            trap(
                "the first stone was laid on 9 June 1871",
                of="the first stone was laid on 9 June 1872",
                keys=[
                    "first stone|foundation stone|stone|laid|begun|work began",
                    "9 June 1871|June 1871",
                ],
            ),
            trap(
                "the Public Works Loan Board lent 148,000 pounds",
                of="the Public Works Loan Board lent 90,000 pounds",
                keys=["Loan Board|lent|borrowed|advanced", "148,000 pounds|163,412 pounds"],
            ),
        ],
    )


def ask_after_strike(session: Recorder) -> None:
    """Asked at p2: the mistake about the best year, the cause, the angle, the strike."""
    fact, trap = session.fact, session.trap
    session.probe(
        "corrected-mistake",
        "recall",
        "Which was the best year of the port and with how much tonnage, how does the table mislead up to 1889, what were the "
        "dues of that best year, and which steamer broke the crane in its summer?",
        [
            fact(
                "the best year was 1891 with 236,810 tons", type="value", keys=["1891", "236,810"]
            ),
            fact(
                "up to 1889 vessels entered and cleared are added together",
                type="reason",
                keys=[
                    "1889|the table|the column|the clerk|tonnage|the returns|ships|vessels",
                    "entered|entries|arrivals|inwards|in and out",
                    "cleared|clearances|departures|outwards|in and out",
                    "added|twice|both|double|doubled|sum|summed|together|combined",
                ],
            ),
            fact(
                "the dues of 1891 were 9,844 pounds",
                type="value",
                keys=["dues|1891|harbour income|fees", "9,844"],
            ),
            fact(
                "the steamer was the Marchioness of 1,912 tons",
                type="identifier",
                keys=["steamer|crane|1,912|largest|biggest|ship", "Marchioness"],
            ),
        ],
        [
            trap(
                "the best year was 1889 with 412,306 tons",
                of="the best year was 1891 with 236,810 tons",
                keys=["1889", "412,306", "best|peak|record|highest|busiest|strongest|top"],
            ),
            trap(
                "the dues of 1889 were the highest",
                of="the dues of 1891 were 9,844 pounds",
                keys=["dues", "1889", "highest|best|record|9,844"],
            ),
        ],
    )
    session.probe(
        "cause",
        "decision",
        "Why did the mole fall, in the words of chapter 4: since when had nothing been done, over what length was it gone, what had "
        "been voted for it in 1880, what became of the stock of stone, and why did the Trustees save there?",
        [
            fact(
                "the apron had not been renewed since 1881",
                type="reason",
                keys=[
                    "apron",
                    "1881",
                    "not renewed|not been renewed|never renewed|no renewal|not made good|not been made good|not repaired|no repair|unrepaired|neglected|nothing done|nothing had been done|not maintained|no maintenance|last renewed|last made good|last repaired|left alone|not replaced",
                ],
            ),
            fact(
                "the apron was gone for a length of 90 yards",
                type="value",
                keys=["90 yards", "apron|stone at the foot|foot of the wall"],
            ),
            fact(
                "the vote for the apron in 1880 was 1,150 pounds",
                type="value",
                keys=["1880", "1,150 pounds"],
            ),
            fact(
                "the stock of stone was sold to the railway company for 310 pounds",
                type="value",
                keys=["stone|stock|sold|sale|railway", "310 pounds"],
            ),
            fact(
                "the Trustees could by their Act put no money by",
                type="reason",
                keys=[
                    "Act|law|Trustees|statute|Trust|legally|they",
                    "not put money by|put no money by|not lay a penny by|not carry a sum to reserve|no reserve|not save|not keep a reserve|no savings|not build a reserve|not build up reserves|not set money aside|not set anything aside|forbidden to save|not allowed to save|barred from saving|not lay anything by|no sinking fund|no right to keep a reserve",
                ],
            ),
        ],
        [
            trap(
                "the apron was gone for a length of 41 yards",
                of="the apron was gone for a length of 90 yards",
                keys=["apron|stone at the foot|foot of the wall", "41 yards"],
            ),
            trap(
                "the vote for the apron in 1880 was 600 pounds",
                of="the vote for the apron in 1880 was 1,150 pounds",
                keys=["1880", "600 pounds|250 pounds"],
            ),
            trap(
                "the mole fell because its cement was mixed with sea water",
                of="the apron had not been renewed since 1881",
                keys=[
                    "cement|concrete",
                    "sea water|salt water|seawater",
                    "cause|because|fell|collapsed|failed|due to|owing to|brought down|broke|why|blame",
                ],
            ),
        ],
    )
    session.probe(
        "rejected-angle",
        "decision",
        "Which angle did I turn down and why, what is the angle now, and what did the inspector find when he tested the concrete: "
        "which strength, and under which reference is his report kept?",
        [
            fact(
                "the guilty engineer is off the table as an angle",
                type="decision",
                keys=[
                    "guilty engineer|engineer's guilt|Penhale|blaming the engineer|accusation|sea water hook|the man who built on sand",
                    "off the table|rejected|dropped|withdrawn|turned down|vetoed|refused|not used|not wanted|no hook|not the angle|discarded|killed|forbidden",
                ],
            ),
            fact(
                "Penhale's great-granddaughter is a subscriber and the family threatens with solicitors",
                type="reason",
                keys=[
                    "family|great-granddaughter|descendants|great-grand-daughter|Penhales",
                    "subscriber|solicitors|subscribes|lawyers|legal action|legal threat",
                ],
            ),
            fact(
                "the angle is what was saved under water and who paid",
                type="decision",
                keys=[
                    "under water|underwater|below the waterline|the apron",
                    "saved|save|saving|economise|economised|skimped|cut",
                    "paid|pay|pays|bore the cost|price",
                ],
            ),
            fact(
                "the mean crushing strength was 2,640 pounds upon the square inch",
                type="value",
                keys=["strength|crushing|concrete|compressive|psi|square inch", "2,640"],
            ),
            fact(
                "the report is kept as MT/11/84",
                type="identifier",
                keys=["report|inspector|inspector's|Strake|Board of Trade|inquiry", "MT/11/84"],
            ),
        ],
        [
            trap(
                "the article opens with the accusation against Penhale",
                of="the guilty engineer is off the table as an angle",
                keys=[
                    "opens|open|hook|begins|title|starts|lead",
                    "accusation|man who built on sand|guilty engineer|Penhale's guilt",
                ],
            ),
            trap(
                "the report is kept as HT/7/2",
                of="the report is kept as MT/11/84",
                keys=["report|inspector|Strake", "HT/7/2|HT/4/17|COR/3/84-11"],
            ),
        ],
    )
    session.probe(
        "strike",
        "recall",
        "How long were the men out, which rate by day did they get, how many left the "
        "customs shed by the window, what did the dispute cost the Trust in all, and why do we leave out the loose leaf in its minutes?",
        [
            fact(
                "the strike lasted 25 days",
                type="value",
                keys=["strike|men|lasted|out|dispute|stoppage|walkout|lock-out", "25 days"],
            ),
            fact(
                "the rate by day became fivepence halfpenny",
                type="value",
                keys=[
                    "rate|day|hour|men|got|wage|terms|pay|settlement|settled|won",
                    "fivepence halfpenny|5.5d|5½d|fivepence ha'penny|five and a half pence",
                ],
            ),
            fact(
                "31 of the 64 men left the shed",
                type="value",
                keys=["31", "64|window|shed|blacklegs|strike-breakers|climbed|hired men"],
            ),
            fact(
                "the whole expense of the Trust was 3,740 pounds",
                type="value",
                keys=["expense|cost|Trust|dispute|strike|spent|total|bill", "3,740"],
            ),
            fact(
                "the list is left out until the user has been to the record office",
                type="decision",
                keys=[
                    "list|leaf|loose sheet|loose page",
                    "leave out|left out|not use|not used|omit|omitted|not included|held back|kept out|excluded|stays out|not printed",
                    "record office|held it|seen|hands|visit|archive|checked the original|in person",
                ],
            ),
        ],
        [
            trap(
                "the strike lasted seven weeks",
                of="the strike lasted 25 days",
                keys=["strike|men|lasted|out|dispute|stoppage|walkout", "seven weeks"],
            ),
            trap(
                "the men got sixpence by day",
                of="the rate by day became fivepence halfpenny",
                keys=[
                    "sixpence",
                    "got|received|won|settled|agreed|became|gained|granted|conceded|paid",
                ],
            ),
            trap(
                "the whole expense of the Trust was 2,890 pounds",
                of="the whole expense of the Trust was 3,740 pounds",
                keys=["expense|cost|total|Trust|dispute|strike|spent|bill", "2,890"],
            ),
            trap(
                "33 of the 64 men left the shed",
                of="31 of the 64 men left the shed",
                keys=["33", "64|window|climbed|escaped"],
            ),
            trap(
                "the list of the loose leaf goes into the chapter",
                of="the list is left out until the user has been to the record office",
                keys=[
                    "list|leaf|loose sheet",
                    "goes into|is used|is printed|included in the chapter|quoted in the chapter",
                ],
            ),
        ],
    )


def ask_after_names(session: Recorder) -> None:
    """Asked at p3: the quotation that waits, and the files."""
    fact, trap = session.fact, session.trap
    session.probe(
        "permission",
        "continuation",
        "How does it stand with the sentence about the shilling: its number and state in our list, the reference of the recording, "
        "who has to be written to, how long may an answer take, how much may be printed of it at most, and what do we print until then?",
        [
            fact(
                "Q2 is pending",
                type="state",
                keys=[
                    "Q2|shilling quote|shilling quotation|shilling sentence|permission for the shilling",
                    "pending|not granted|asked for|awaited|waits|waiting|outstanding|no answer|unanswered|not yet answered|not yet permitted|no reply|requested",
                ],
            ),
            fact(
                "the recording is SA-1187",
                type="identifier",
                keys=[
                    "recording|Sorley|Q2|shilling|tape|interview|grandmother|reference",
                    "SA-1187",
                ],
            ),
            fact(
                "the Keeper of Recordings is Miriam Oyelaran",
                type="identifier",
                keys=[
                    "Keeper|write|letter|archive|recordings|contact|permission|addressed",
                    "Oyelaran",
                ],
            ),
            fact(
                "the answer takes up to 30 working days",
                type="value",
                keys=[
                    "answer|reply|response|takes|archive|permission|wait|turnaround|Keeper|letter",
                    "30 working days",
                ],
            ),
            fact(
                "no more than 60 words of one recording may be printed",
                type="constraint",
                keys=[
                    "60 words",
                    "recording|printed|print|quote|quoted|quotation|limit|maximum|at most|no more than",
                ],
            ),
            fact(
                "without an answer there is neither quotation nor paraphrase",
                type="constraint",
                keys=[
                    "no paraphrase|not even a paraphrase|nor paraphrase|nor a paraphrase|not paraphrased|neither quote nor paraphrase|neither quotation nor paraphrase|not quoted or paraphrased|no quote or paraphrase|not quote or paraphrase|never paraphrased|without paraphrase|must not paraphrase|paraphrase forbidden|paraphrase excluded",
                    "quote|quotation|answer|permission|reply|until|consent|yes|shilling|family|replacement",
                ],
            ),
        ],
        [
            trap(
                "Q2 is granted",
                of="Q2 is pending",
                keys=[
                    "Q2|shilling quotation|shilling quote|shilling sentence",
                    "granted|allowed|approved|permitted|cleared|agreed|given",
                ],
            ),
            trap(
                "the shilling recording is SA-1179",
                of="the recording is SA-1187",
                keys=["Sorley|Q2|shilling|recording|grandmother", "SA-1179"],
            ),
            trap(
                "a paraphrase is printed until the answer comes",
                of="without an answer there is neither quotation nor paraphrase",
                keys=[
                    "paraphrase",
                    "print|printed|until then|instead|in the meantime|use|used|stands in|meanwhile|allowed",
                ],
            ),
            trap(
                "the answer takes up to 10 working days",
                of="the answer takes up to 30 working days",
                keys=["answer|reply|archive|permission|Keeper", "10 working days"],
            ),
        ],
    )
    session.probe(
        "chapters",
        "file",
        "Which chapter files were newly written after the angle had changed, which one got another name and which one was removed, "
        "which commit brought the cause into a chapter of its own, and by how much did the check find all chapters too long right after "
        "the printer's bill, and by how much once the last chapter was added? Answer as a list.",
        [
            file_fact(session, "chapters/04-the-apron.md", "created"),
            file_fact(session, "chapters/06-names.md", "created"),
            file_fact(session, "chapters/03-the-night.md", "renamed"),
            file_fact(session, "chapters/05-today.md", "deleted"),
            fact(
                "right after the printer's bill the check gave E9 for 71 words too many",
                type="error",
                keys=["71 words", "E9|too many|over|too long|excess|above|exceeded|surplus"],
            ),
            fact(
                "with the names the check gave E9 for 191 words too many",
                type="error",
                keys=["191 words", "E9|too many|over|too long|excess|above|exceeded|surplus"],
            ),
            fact(
                f"commit {commit_of(session, '04: the apron')} added the apron chapter",
                type="identifier",
                keys=[commit_of(session, "04: the apron"), "apron|chapter 4|cause|04-the-apron.md"],
            ),
        ],
        [
            trap(
                "chapters/03-disaster.md holds the night",
                of="chapters/03-the-night.md was renamed",
                keys=["chapters/03-disaster.md", "holds|is|still|contains|remains|night|kept"],
            ),
            trap(
                f"commit {commit_of(session, '05: the strike')} added the apron chapter",
                of=f"commit {commit_of(session, '04: the apron')} added the apron chapter",
                keys=[commit_of(session, "05: the strike"), "apron|04|chapter 4|cause"],
            ),
        ],
        answer={"format": "list"},
    )


def ask_figures(session: Recorder) -> None:
    """What changed twice, the night, the people, the images."""
    fact, trap = session.fact, session.trap
    session.probe(
        "changed-twice",
        "recall",
        "A reader asks how many people died and why the stone differs. Which number do we print, how many names are on the stone, "
        "who is missing there and why? And which length for all chapters together holds in the end?",
        [
            fact(
                "29 people died",
                type="value",
                keys=["29", "dead|died|lost|names|in all|drowned|death toll|toll|fatalities"],
                said_in=session.holding("29 in all", "The dead are 29", calls=True),
            ),
            fact(
                "the stone has 28 names",
                type="value",
                keys=["28 names|28", "stone|memorial|stele|monument|names"],
            ),
            fact(
                "the watchman Ezra Mallow is missing",
                type="identifier",
                keys=[
                    "Mallow",
                    "missing|not on the stone|not named|left out|leaves out|absent|omitted|lacks|without|no stone|not carved|not listed|not on the memorial|one more",
                ],
            ),
            fact(
                "his widow refused to have him on the stone",
                type="reason",
                keys=[
                    "widow|wife|Mrs Mallow",
                    "refused|no stone|wanted no stone|not want|rejected|declined|would not have|said no|objected|kept his name off",
                ],
            ),
            fact(
                "all chapters together have at most 1,450 words",
                type="constraint",
                keys=[
                    "1450|1450 words",
                    "at most|total|in all|limit|all chapters|maximum|together|cap|ceiling|altogether|overall|whole article|no more than|whole text",
                ],
            ),
        ],
        [
            trap(
                "31 people died",
                of="29 people died",
                keys=[
                    "31|thirty-one",
                    "dead|died|lost|perished|deaths|killed|drowned|victims|toll|lives",
                ],
            ),
            trap(
                "27 people died",
                of="29 people died",
                keys=[
                    "27|twenty-seven",
                    "dead|died|lost|perished|deaths|killed|drowned|victims|toll|lives",
                ],
            ),
            trap(
                "all chapters together have at most 1,200 words",
                of="all chapters together have at most 1,450 words",
                keys=[
                    "1200|1200 words",
                    "at most|total|in all|limit|all chapters|maximum|together|cap|ceiling|altogether|overall|whole article",
                ],
            ),
            trap(
                "all chapters together have at most 1,600 words",
                of="all chapters together have at most 1,450 words",
                keys=[
                    "1600|1600 words",
                    "at most|total|in all|limit|all chapters|maximum|together|cap|ceiling|altogether|overall|whole article",
                ],
            ),
            trap(
                "the stone has 29 names",
                of="the stone has 28 names",
                keys=[
                    "stone has|stone bears|stone lists|memorial has|memorial bears|memorial lists|names on the stone|names on the memorial|carved",
                    "27 names|29 names|31 names|27|29|31",
                ],
            ),
        ],
    )
    session.probe(
        "night-hours",
        "recall",
        "Hour by hour for the map and the talk: what did the barometer show, when did the light go out, how wide was the gap and "
        "how far from the quay, and how often was the lifeboat launched, and how many did it save?",
        [
            fact(
                "the barometer stood at 28.31 inches",
                type="value",
                keys=["28.31", "barometer|glass|inches|pressure|mercury|reading"],
            ),
            fact(
                "the light went out at ten past eleven",
                type="value",
                keys=[
                    "light|lamp|lantern|beacon",
                    "ten past eleven|11.10|11:10|ten minutes past eleven|23:10|11.10 pm",
                ],
            ),
            fact(
                "the gap was 41 yards wide",
                type="value",
                keys=["gap|breach|hole|opening|mole|wall", "41 yards"],
            ),
            fact(
                "the gap was 283 yards from the quay",
                type="value",
                keys=["gap|breach|mole|wall|quay|hole|distance", "283 yards"],
            ),
            fact(
                "the lifeboat was launched twice and saved fourteen",
                type="state",
                keys=[
                    "lifeboat|Grace Ellery|launched|launches|Orme",
                    "twice|two launches|two times|second launch",
                ],
                said_in=session.holding(
                    "was launched twice", "two launches", "launched twice and no more"
                ),
            ),
        ],
        [
            trap(
                "the lifeboat was launched three times",
                of="the lifeboat was launched twice and saved fourteen",
                keys=[
                    "lifeboat|Grace Ellery|lifeboat station|Orme",
                    "launched three times|three launches|three times|thrice|third launch",
                ],
            ),
            trap(
                "the gap was 90 yards wide",
                of="the gap was 41 yards wide",
                keys=["gap|breach|hole|opening", "90 yards"],
            ),
            trap(
                "the barometer stood at 28.70 inches",
                of="the barometer stood at 28.31 inches",
                keys=["barometer|glass|pressure|mercury|inches", "28.70"],
            ),
            trap(
                "the gap was 238 yards from the quay",
                of="the gap was 283 yards from the quay",
                keys=[
                    "gap|breach|quay|mole",
                    "238 yards|612 yards from the quay|41 yards from the quay",
                ],
            ),
        ],
    )
    session.probe(
        "people",
        "recall",
        "Who was Elijah Noon: where did he lodge in 1881, what was he in the branch, and what did he move in May 1892? What do I "
        "tell my neighbour about Robert Ames, and which interview has the story of the boat from the fishing fleet?",
        [
            fact(
                "Noon was a lodger of the Sorleys in Tanner Row",
                type="state",
                keys=[
                    "Noon",
                    "lodger|lodged|Tanner Row|lodging|boarder|boarded|roomed|under one roof",
                ],
            ),
            fact(
                "Noon was secretary of the branch",
                type="state",
                keys=["Noon", "secretary|kept the minutes|minute-keeper|kept the minute book"],
            ),
            fact(
                "Noon moved that the names be read at each May meeting",
                type="state",
                keys=["Noon|he", "names", "read|reading|recited|called out"],
            ),
            fact(
                "no Ames is in the transcript of the three streets",
                type="state",
                keys=[
                    "no Ames|Ames not|not in Tanner Row|not Ames|Ames absent|Ames not listed|Ames not found|no trace of Ames|no Robert Ames|Ames missing|without Ames",
                    "streets|Tanner Row|census|transcript|listed|found",
                ],
            ),
            file_fact(session, "notes/interviews/kellow.md", "read"),
        ],
        [
            trap(
                "Robert Ames lived in Tanner Row",
                of="no Ames is in the transcript of the three streets",
                keys=[
                    "Ames",
                    "lived|found|listed|resident|lodged|recorded|appears|home",
                    "Tanner Row|three streets|census",
                ],
            ),
            trap(
                "William Sorley was secretary of the branch",
                of="Noon was secretary of the branch",
                keys=[
                    "Sorley|Inkpen|Tull",
                    "was secretary|branch secretary|secretary of the branch",
                ],
            ),
        ],
    )
    session.probe(
        "images",
        "recall",
        "What do the two chosen images cost without the charity discount, which number shows the women at the shed and who took it, "
        "what must stand beneath each image, and by when must the order go out?",
        [
            fact(
                "P-0414 costs 24 pounds",
                type="value",
                keys=["P-0414|low tide|gap in the mole", "24 pounds"],
            ),
            fact(
                "P-0431 was taken by Harriet Voss",
                type="identifier",
                keys=["P-0431|women at the door|customs shed|women", "Harriet Voss"],
            ),
            fact(
                "every image carries its number and the words Carrowshire Picture Library",
                type="constraint",
                keys=[
                    "Carrowshire Picture Library",
                    "number|reference|P-0431|P-0414",
                    "image|caption|beneath|credit|under|below|underneath|picture|photograph|plate|credit line",
                ],
            ),
            fact(
                "the image files must be ordered by 13 March",
                type="next_step",
                keys=[
                    "order|ordered|orders|go out|send off|request the files|place the order|ordering deadline",
                    "13 March",
                ],
            ),
        ],
        [
            trap(
                "P-0414 costs 18 pounds",
                of="P-0414 costs 24 pounds",
                keys=["P-0414|low tide|gap in the mole", "18 pounds"],
            ),
            trap(
                "P-0431 was taken by Amos Voss",
                of="P-0431 was taken by Harriet Voss",
                keys=["P-0431|women at the door|customs shed", "Amos Voss"],
            ),
            trap(
                "the image files must be ordered by 27 March",
                of="the image files must be ordered by 13 March",
                keys=["order|ordered|ordering", "27 March|3 April"],
            ),
        ],
    )


def ask_rules(session: Recorder) -> None:
    """Who says yes, which rules hold, what is open."""
    fact, trap = session.fact, session.trap
    session.probe(
        "passing-remark",
        "continuation",
        "It is the 20th of March and the last captions need a yes. Who gives it while I am away, by which date must the "
        "printer have everything, and what did the last run of the check report?",
        [
            fact(
                "from 19 March Tamsin Ruddock says yes",
                type="decision",
                keys=[
                    "Tamsin|Ruddock",
                    "yes|approve|approves|approval|decides|decision|sign off|signs off|stands in|deputy|deputises|19 March|away|absence|final say|consent|goes to",
                ],
            ),
            fact(
                "the printer needs everything by 27 March",
                type="value",
                keys=[
                    "printer|deadline|due|everything|needs|delivery|deliver|copy date|press date|submission|noted instead|earlier",
                    "27 March",
                ],
            ),
            fact(
                "the last check reported 0 problems",
                type="command",
                keys=[
                    "0 problems|no problems|zero problems|clean run|runs clean|passes|nothing to complain|no complaints|no errors|clean",
                    "problems|check|script|last run|last check|final check|check run|checker",
                ],
            ),
        ],
        [
            trap(
                "the committee says yes",
                of="from 19 March Tamsin Ruddock says yes",
                keys=[
                    "committee",
                    "approves|says yes|signs off|decides|gives|approval|final say|consent",
                ],
            ),
            trap(
                "the printer needs everything by 3 April",
                of="the printer needs everything by 27 March",
                keys=["3 April", "printer|due|deadline|needs|wants|everything|deliver|copy date"],
            ),
        ],
    )
    session.probe(
        "under-pressure",
        "decision",
        "Dr Fenn asks again, and the committee too. Which of my rules stand against her points one to three and five, where does the "
        "higher number of dead come from, what happened with the source for the visitors, and what do we answer to printing the quotation with a note?",
        [
            fact(
                "the word disaster is banned everywhere",
                type="constraint",
                keys=[
                    "disaster",
                    "banned|never|not use|avoid|forbidden|must not|not called|not be called|not allowed|prohibited|off limits|ban|stays out|taboo|not appear",
                ],
            ),
            fact(
                "sums are never converted to today's money",
                type="constraint",
                keys=[
                    "sums|money|amounts|prices|figures|pounds|currency",
                    "never converted|not converted|no conversion|money of the time|no modern equivalent|no modern equivalents|without conversion|not convert|never convert|period money|no modern money|original money|not in modern money|never in today's money|not in today's money|no today's money",
                ],
            ),
            fact(
                "Harbourpedia and blogs are never cited",
                type="constraint",
                keys=[
                    "Harbourpedia|encyclopaedia|encyclopedia|wiki",
                    "never cited|not cited|no source|not a source|no sources|not cite|never cite|not citable|banned as a source|not acceptable|not allowed|never used|not used|excluded|never quoted|no citation|off limits",
                ],
            ),
            fact(
                "the number 34 goes back to an anonymous descendant in a blog",
                type="reason",
                keys=[
                    "34|number|encyclopaedia|figure|higher number|higher count",
                    "blog|blogger|blog post",
                    "anonymous|descendant|unnamed|nameless|not wish to be named",
                ],
            ),
            fact(
                "the Trust's annual review of 2022 answers 404 not found",
                type="error",
                keys=[
                    "404|not found|dead link|link is dead|broken link|missing page|page gone",
                    "annual-review-2022|annual review|visitors|visitor number|visitor figure",
                ],
            ),
            fact(
                "silence of the archive is not consent",
                type="reason",
                keys=[
                    "silence|no reply|no answer|silent",
                    "not consent|no consent|not permission|no permission|not a yes|not agreement|not assent|not approval|not mean yes",
                ],
            ),
        ],
        [
            trap(
                "sums are given in modern money beside the old",
                of="sums are never converted to today's money",
                keys=[
                    "modern money|today's money|18.6 million|modern equivalent|today's prices|present-day value",
                    "given|added|printed|beside|converted|included|shown|stated",
                ],
            ),
            trap(
                "the text mentions 34 dead",
                of="the number 34 goes back to an anonymous descendant in a blog",
                keys=[
                    "34 dead|34 people|34|34 deaths",
                    "mentions|printed|mentioned|mention|included|cited|noted",
                ],
            ),
            trap(
                "the quotation is printed with permission sought",
                of="silence of the archive is not consent",
                keys=[
                    "permission sought|sought permission",
                    "printed with|print it|goes in|is printed|printed|runs with|appears with|used with",
                ],
            ),
            trap(
                "silence of the archive counts as consent",
                of="silence of the archive is not consent",
                keys=[
                    "silence|silent|unanswered",
                    "counts as consent|means consent|means yes|taken as permission|taken as consent",
                ],
            ),
        ],
    )
    session.probe(
        "open-work",
        "continuation",
        "What is still to be done after this session, apart from waiting for the letter? Answer as a list: the question to the Trust, the "
        "record office, the missing plates, chapter 1, my niece, and what happens to the last image.",
        [
            fact(
                "ask the Trust's clerk whether by-law 31 is still in force",
                type="next_step",
                keys=[
                    "by-law|by-law 31|bylaw|bylaw 31",
                    "ask clerk|ask the Trust|ask Trust|question for the clerk|question clerk|clerk whether|whether in force|if in force|still in force|write clerk|check clerk|open question|find out",
                ],
            ),
            fact(
                "look at the loose leaf in HT/1/9 before Easter",
                type="next_step",
                keys=[
                    "leaf|HT/1/9|loose sheet|loose page",
                    "Easter|record office|look at|inspect|visit|examine|consult",
                ],
            ),
            fact(
                "choose the plates of the crane and the block yard",
                type="next_step",
                keys=[
                    "choose|chosen|choice|pick|select|decide|selection",
                    "crane|block yard|block-yard",
                ],
            ),
            fact(
                "find a better source for the strandings and the petition",
                type="next_step",
                keys=[
                    "strandings|petition",
                    "better|Lifeboat Institution|stronger|replace|find source|look for|independent|journals of Parliament|second source|firmer",
                ],
            ),
            fact(
                "the niece gets the distance for the map",
                type="next_step",
                keys=[
                    "niece|map maker|map artist",
                    "distance|283 yards|map needs|number for the map|figure for the map",
                ],
            ),
            fact(
                "image 6 is dropped if Q2 is not granted",
                type="next_step",
                keys=[
                    "image 6|receipt|last image|sixth image|sixth picture",
                    "drop|dropped|only if|hangs on|if granted|depends on|unless granted|conditional|falls away|left out if|goes with|without permission|together with Q2",
                ],
            ),
        ],
        answer={"format": "list"},
    )


def ask_files(session: Recorder) -> None:
    """The files that nobody talks about."""
    fact, trap = session.fact, session.trap
    hash_register = commit_of(session, "03: the dead after the burial")
    hash_inquest = commit_of(session, "03: renamed")
    session.probe(
        "other-files",
        "file",
        "Outside the chapters: which files were newly made for captions and for the contradictions, which one was modified for the total "
        "length, which commit put the dead after the register, and which folder had to stay untouched?",
        [
            file_fact(session, "captions.md", "created"),
            file_fact(session, "notes/conflicts.md", "created"),
            file_fact(session, "STYLE.md", "modified"),
            fact(
                f"commit {hash_register} counts the dead after the burial register",
                type="identifier",
                keys=[hash_register, "register|burial|dead|29"],
            ),
            fact(
                "nothing in notes/interviews may be edited",
                type="constraint",
                keys=[
                    "notes/interviews|interviews|oral history|Hester's folder|extracts|transcripts",
                    "not edit|never edit|nothing edited|not change|untouched|read only|not be edited|nothing may be edited|not touch|never touch|never changed|no edits|no changes|off limits|hands off|not altered|unchanged|must not be modified|not modify",
                ],
            ),
        ],
        [
            trap(
                f"commit {hash_inquest} counts the dead after the burial register",
                of=f"commit {hash_register} counts the dead after the burial register",
                keys=[hash_inquest, "register|burial|29"],
            ),
            trap(
                "the launch in Kellow's interview was corrected in the file",
                of="nothing in notes/interviews may be edited",
                keys=[
                    "kellow|interview|extract|notes/interviews/kellow.md",
                    "corrected|edited|fixed|amended|changed|rewritten",
                ],
            ),
        ],
        answer={"format": "list"},
    )


PLAY = Play(
    record,
    task="writing",
    title="A long article on a harbour wall, from sources that disagree",
    repository="mole-article",
    window=64_000,
)
