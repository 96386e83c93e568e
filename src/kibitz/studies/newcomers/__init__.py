"""The study of newcomers in Colored Trails: negotiators that no belief holds. To add a subject, add its module here."""

from kibitz.studies.newcomers import attacks, fitting, forecasts, likeness, patience, strength, tempering
from kibitz.studies.study import Study

STUDY = Study.of(
    fitting,
    tempering,
    likeness,
    forecasts,
    strength,
    patience,
    attacks,
    name="newcomers",
    title="Colored Trails: can an agent deal with negotiators of a kind that it has never met?",
    asks=(
        "`trails.types` takes a stranger for a negotiator by numbers: how they concede, how far they trust, whether "
        "they keep their promises. `trails.kibitzer` waits, builds trust and probes against what it believes of these "
        "numbers. Here it meets negotiators of another family, generated from a seed that was fixed before. Does it "
        "earn more than PERB with deception, and than a plan that robs everybody? Are its forecasts calibrated? How "
        "much can be taken from it?"
    ),
    sources=(
        "K. Pozin (2010). Improving agent performance in an alternating offers negotiation game. Harvard College.",
    ),
)
