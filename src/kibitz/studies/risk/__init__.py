"""Risk: the experiments of Khan (2013) and further ones. A new subject is one module and its line here."""

from kibitz.studies.risk import awareness, corpora, deception, fitness, own_agents
from kibitz.studies.study import Study

STUDY = Study.of(
    corpora,
    own_agents,
    fitness,
    deception,
    awareness,
    name="risk",
    title="Risk: which mission does each player hold?",
    asks=(
        "Khan (2013) watches games of Risk and weighs twelve explanations of what each player does, to say which "
        "mission card he holds: better than chance, he finds, but rarely right in normal play. How much can be read "
        "from the same games by a model that learns how orders are chosen, how early, and how sure may it be? Does it "
        "see through those who pretend? Does it pay to know?"
    ),
    sources=("J. Khan (2013). Plan recognition in RISK. University of Edinburgh.",),
)
