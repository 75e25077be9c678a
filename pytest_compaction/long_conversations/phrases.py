"""Phrases of talk about nothing that is asked for: no numbers, dates, sums or whole names.

Slots: ``{it}`` is a name of the undertaking, and never a subject, since some are plural; ``{part}``
is what the turn is about and ``{other}`` another part; ``{is}``, ``{was}``, ``{has}``, ``{does}``,
``{s}``, ``{them}`` and ``{they}`` agree with ``{part}``; ``{friend}`` is somebody of the
undertaking, and ``{who}`` anybody.
"""

from __future__ import annotations

from typing import Final

TIMES: Final = (
    *("this morning", "after breakfast", "before lunch", "at the weekend", "yesterday"),
    *("on the way home", "during the break", "late last night", "when the rain stopped"),
    *("after work", "while the kettle boiled", "the other day", "on my day off", "at last"),
)
WHO: Final = (
    *("my sister", "the neighbour", "a colleague", "my uncle", "the postman", "an old friend"),
    *("the woman next door", "my cousin", "the caretaker", "a student", "the teacher", "my aunt"),
)
DID: Final = (
    *("looked over", "talked about", "argued about", "made a sketch for", "cleared a corner for"),
    *("read about", "took stock of", "wrote a list for", "made a start on", "tidied up around"),
    *("asked around about", "sat down with", "worried about", "thought about", "went back to"),
)
RESULTS: Final = (
    *("and it took longer than it should", "but we got no further than that", "which was fun"),
    *("and it went better than last time", "and then it was dark", "though nobody had asked"),
    *("and now I know where we stand", "and the afternoon was gone", "without much to show for it"),
    *("and I learned a good deal", "and my back still hurts", "and the dog watched us"),
    *("and for once nobody was in a hurry", "and we were both too tired to go on"),
    *("and I am glad that it is behind us", "and I would do it again", "but the light was poor"),
    *("and we laughed more than we worked", "and there is more to it than I had thought"),
)
USER: Final = (
    "{When} {friend} and I {did} the {part} for {it}, {result}.",
    "{When} I {did} the {part}, {result}.",
    "{When} I {did} the {part} of {it}, {result}.",
    "{Who} came by {when} and {did} the {part} with me, {result}.",
    "{Friend} {did} the {part} {when}, {result}.",
    "What would you look at first with {it}, the {part} or the {other}?",
    "How do I know that the {part} {is} good enough for {it}?",
    "{Who} thinks that the {part} of {it} should be simpler.",
    "With {it} I am at the point where the {part} and the {other} do not go together.",
    "{Friend} wants to begin with the {part}, and I am not sure that it is wise.",
    "Is there a trick to getting the {part} right for {it}?",
    "I am a bit tired of {it}, the {part} keep{s} me up at night.",
    "Could you write me a list of what to check on the {part} of {it}?",
    "{Friend} and I do not agree about the {part}, so I would like to hear what you think.",
    "Do other people also have trouble with the {part} at a thing like {it}?",
    "I still have no clear picture of the {part}, although I {did} the {other} {when}.",
    "Should the {part} or the {other} come first, if we only get one of them done this week?",
    "{Who} has done something like {it} before and swears by careful work on the {part}.",
    "How would you explain to {who} what the {part} {is} for?",
    "The {part} {was} not where {they} should be {when}, so I lost time on {it} again.",
    "I dreamt of {it} again, and all of the {part} {was} gone.",
    "What goes wrong most often with the {part}, in your experience?",
    "Can the {part} stay as {they} {is}, or is that asking for trouble?",
    "I had a long talk about {it} with {friend}, mostly about the {part} and the {other}.",
    "I keep putting the {part} off, which does not make {it} any easier.",
    "Give me one good reason to spend another week on the {part} of {it}.",
    "If you had only one afternoon for {it}, would you give it to the {part}?",
    "{Friend} says that the {part} matter{s} less than the {other}; is that so?",
)
EARLY: Final = (
    "We are only at the beginning with {it}, and I lie awake over the {part}.",
    "Nobody has a plan yet for the {part}, and {it} should get going.",
    "I am still collecting ideas for the {part} of {it}.",
    "{Friend} has just heard of {it} and is full of ideas for the {part}.",
    "It is early days for {it}, but I would like to get the {part} right.",
)
MIDWAY: Final = (
    "We are in the middle of {it} now, and the {part} {is} what we talk about most.",
    "Half of the work on {it} is behind us, and the {part} still {does} not please me.",
    "By now I know the {part} of {it} better than I wanted to.",
    "{Friend} has become quite good with the {part}, I must say.",
    "The first rush is over, and with {it} it is all about the {part} now.",
)
LATE: Final = (
    "We are getting near the end of {it}, and only the {part} still worr{ies} me.",
    "When I think how we began with {it}, the {part} look{s} almost easy now.",
    "I will miss {it} when it is over, even the trouble with the {part}.",
    "{Friend} says that the {part} turned out well, after all these weeks on {it}.",
    "There is not much left to do for {it} except for the {part}.",
)
ASIDE: Final = (
    "{Who} came by {when} with a cake and stayed for hours.",
    "It was a long week, and the kitchen looks like it.",
    "I found my old umbrella {when}, which I had been missing since spring.",
    "The tram was late again, so I sat there and watched the pigeons.",
    "{Who} asked whether I could look after the cat.",
    "My head is full, I even forgot the laundry {when}.",
    "The weather was dreadful, I stayed in and sorted the cellar.",
    "There is a strange smell in the hall, perhaps from the drain.",
    "I cleaned the windows {when}, it took ages.",
    "Somebody left a bag of apples on my stairs.",
    "I slept badly, {who} had visitors until late.",
    "I went for a swim {when} and feel much better.",
    "{Who} has a cold and sends greetings.",
    "The bicycle has a flat tyre, so I walked.",
    "I finished a novel {when} and do not know what to do with myself.",
    "We had soup again, {who} cannot cook anything else.",
    "The heating is making noises, like every autumn.",
    "I ran into {who} {when}, we had not spoken for ages.",
    "My glasses broke {when}, so forgive me the typing.",
    "I baked a loaf {when} that came out flat as a plate.",
    "The garden looks sad, but {who} says that it will recover.",
    "I am on the balcony with a cup of tea, finally some sun.",
)
ADVICE: Final = (
    "Begin with the {part}, because everything else rests on {them}.",
    "I would look at the {part} again {soon}, when nobody is in a hurry.",
    "People often rush the {part}, and then everything has to be done twice.",
    "Put the {part} next to the {other} for a moment, and you will see what is missing.",
    "{Friend} may be right about the {part}, but ask again {soon}.",
    "It is worth a try with a small piece of the {part} first.",
    "Keep the {part} apart from the {other} until both are finished.",
    "There is no need to do everything at once; the {part} come{s} first.",
    "For {it} I would keep the {part} plain; nobody misses what is fancy.",
    "The {other} can wait; nothing happens to that before the {part} {is} done.",
    "Do not worry about how the {part} look{s}, as long as {they} work{s}.",
    "Ask {who} to look at the {part} with fresh eyes.",
    "What matters is that the {part} and the {other} go together.",
    "I think that this makes {it} easier in the long run.",
    "Once the {part} {is} settled, the rest of the work on {it} follows.",
    "Try it in a corner {soon} and tell me how it went.",
    "Write down what you did with the {part}, so that you can do it again.",
    "If the {part} give{s} you trouble, stop for a day and come back.",
    "Talk it over with {friend} before you change anything about the {part}.",
    "Simple solutions last longest, and that goes for the {part}, too.",
    "When you are tired, leave the {part} alone; mistakes made late take a whole day to mend.",
    "I would not compare {it} with what others do.",
    "A drawing of the {part} on plain paper often settles a quarrel.",
    "Take what is there of the {part} as a pattern.",
    "Work from the inside to the outside, and let the {other} be the last thing.",
    "It sounds as if the {part} {is} nearly there.",
    "Look for the weakest spot in the {part} and begin there.",
    "With the {part} it is like with bread: time does most of the work.",
    "Let {friend} do the {part} alone for once, and see what comes of it.",
    "You could split the work: you take the {part}, {friend} takes the {other}.",
    "The first attempt at the {part} is allowed to be ugly.",
    "I would ask {who} for an honest opinion {soon}.",
    "You will notice {soon} whether the {part} {does} what you want.",
    "Clean up around the {part} first; that alone makes things clearer.",
    "Some do it the other way round and start with the {other}, which also works.",
    "Think of who will look after the {part} later, and make it easy for them.",
    "A short list for the {part} is better than a long one that nobody reads.",
    "Nothing about {it} has to be perfect; the {part} least of all.",
    "Leave some room around the {part}, you will be glad of it {soon}.",
    "Check the {part} in daylight, not under a lamp.",
)
SOON: Final = (
    *("tomorrow", "at the weekend", "next week", "after a night's sleep", "in a quiet hour"),
    *("before the next step", "once the weather is better", "when you are rested"),
)
HEARD: Final = (
    *("Thank you for telling me.", "Noted, I will bear it in mind.", "Understood."),
    *("That is good to know.", "I have put that with the rest.", "Very well.", "I see."),
    *("All right, I take that down.", "That makes it easier to follow.", "Fine, thanks."),
)
OF_ONESELF: Final = (
    "One learns something new about you every week.",
    "I will think of that when it comes up.",
    "Everybody has a story like that.",
    "That says more about you than you may think.",
    "It is good that you say so openly.",
    "I would not have guessed it.",
    "Tell me more about it some time, if you feel like it.",
    "People are different in such things, and that is fine.",
    "You need not explain yourself to me.",
    "Your friends will know that already, I suppose.",
)
NO_ANSWER: Final = (
    "I cannot say it here and now, so let us go on with what is on the table.",
    "We can come back to that whenever you want.",
    "Let us keep that in mind for later.",
    "That will sort itself out, I am sure.",
    "Take your time with that.",
)
BEGUN: Final = (
    "Most of my free time goes into {a} these days; at home we say {b}, and {friend} says {c}.",
    "There is also {a}, which I do with {friend}; some call the same thing {b}, others {c}.",
    "You will hear a lot about {a} from me. {Friend} calls it {b}, and in letters it is {c}.",
    "Let me tell you about {a}: {b}, as {friend} puts it, or {c}, as the papers have it.",
    "{Friend} has talked me into {a}. When I say {b} or {c}, I mean the same.",
    "I am part of {a}, with {friend} and a few others; {b} and {c} are other names for it.",
)
