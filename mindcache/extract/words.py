"""The English words that the rules of extraction know. Data, and why each list is."""

from __future__ import annotations

__all__ = [
    "DOING",
    "FEELINGS",
    "MOODS",
    "NAMES_NOT",
    "NO_DEED",
    "PAST",
    "SMALL",
    "STARTS_PAST",
    "THIRD",
    "WHOLE",
]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Past forms of what people do. Left out are feeling, knowing, wanting and saying: when
# somebody thought something is seldom worth a note, and what was said is another's.
PAST = _words(
    """
    ate attended became began bought broke brought built called came caught celebrated
    chose cooked did drew drove fell finished flew found fought gave got graduated grew
    had held helped hired hit hosted joined launched led left lost made met moved opened
    organized ordered painted paid passed performed planted played put quit ran read
    received released rode sang sent set shipped signed sold spent spoke started stayed
    stole stood swam took taught threw tried visited volunteered was watched went were
    won wore worked wrote
    """
)
# Regular past forms that say no deed, or are no past form at all.
NO_DEED = _words(
    """
    agreed amazed assumed believed bleed breed decided discussed embed enjoyed excited
    expected exceed feared feed figured guessed hated heed hoped imagined indeed
    inspired intended learned liked loved mentioned missed naked need needed noticed
    planned preferred proceed promised realised realized reed remembered sacred scared
    seed seemed shed speed succeed supposed suspected tired used wanted weed wicked
    wished wondered talked asked claimed told reminded looked blessed overwhelmed
    """
)
# "was …ed" that says how somebody felt.
FEELINGS = _words(
    """
    amazed annoyed astonished bored bothered concerned confused delighted depressed
    devastated disappointed embarrassed exhausted fascinated frustrated honored hooked
    interested intrigued mesmerized motivated nervous occupied overjoyed packed pleased
    puzzled relaxed relieved shocked stoked stressed stunned surprised terrified
    thrilled touched upset worried pumped moved supposed
    """
)
# Deeds that need no object to be told.
WHOLE = frozenset({"graduated", "married", "met", "retired", "resigned"})
# A sentence that begins with one of these leaves out "I": -ed could be a feeling.
STARTS_PAST = _words(
    """
    ate attended became began bought broke brought built came celebrated did drove
    finished flew found gave got graduated had hosted joined lost made met moved painted
    performed played ran read received sang saw sent signed sold spent started stayed
    swam took tried visited volunteered was watched went won wrote
    """
)
# "I'm …ing next week" is settled for these as for deeds; these are moods.
MOODS = _words(
    """
    thinking hoping looking considering wondering feeling trying getting dreaming loving
    being guessing wishing wanting needing planning aiming debating leaning dying
    itching counting kidding joking saying wanna
    """
)
# What a person does when a conversation ends, or means to keep in mind: no plan.
SMALL = _words(
    """
    see talk chat catch hear let keep remember cherish think know try check be do love
    stay miss hope want wait look make never always admit say tell show share need
    cheer support believe feel enjoy give forget
    """
)
# Verbs that a plan may have although they are small, by the words that follow.
DOING = frozenset({"in", "at", "on", "away", "out", "back", "visiting", "speaking"})

# "I" becomes a name; the verb behind it then ends otherwise.
THIRD = {
    "am": "is", "have": "has", "do": "does", "prefer": "prefers", "love": "loves",
    "like": "likes", "enjoy": "enjoys", "hate": "hates", "dislike": "dislikes",
    "adore": "adores", "live": "lives", "work": "works", "need": "needs",
    "plan": "plans", "promise": "promises", "intend": "intends", "agree": "agrees",
    "own": "owns", "want": "wants", "choose": "chooses", "were": "was",
    "haven't": "hasn't", "don't": "doesn't", "aren't": "isn't", "use": "uses",
    "know": "knows", "think": "thinks", "feel": "feels", "get": "gets", "make": "makes",
    "go": "goes", "see": "sees", "take": "takes", "hope": "hopes", "run": "runs",
    "teach": "teaches", "play": "plays", "mean": "means", "keep": "keeps",
}  # fmt: skip

# Capitalised words that name nobody and nothing in particular.
NAMES_NOT = _words(
    """
    i monday tuesday wednesday thursday friday saturday sunday january february march
    april may june july august september october november december mom dad mum ok tv
    god congrats thanks wow hey hi yes no the a an my our his her we you they it this
    that these those
    """
)
