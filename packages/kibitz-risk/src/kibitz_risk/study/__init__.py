"""The study of Risk: the experiments of Khan (2013). To add a subject, add a module and its line."""

from kibitz_lab.studies.study import Study
from kibitz_risk.study import corpora, own_agents

STUDY = Study.of(
    corpora,
    own_agents,
    name="risk",
    title="Risk: which mission does each player hold?",
    asks=(
        "Khan (2013) watches games of Risk and weighs twelve explanations of what each player does, to say which "
        "mission card they hold: the result is better than chance, but rarely right in normal play. How much does a "
        "model that learns how players choose orders infer from the same games, how early, and how sure can it be?\n\n"
        "The games of people and programs are logs of Domination: `--corpus DIR` reads them from the folders of DIR. "
        "Moments are fractions of a game's turn ends; half of these are placements of the setup, so at half-time no "
        "player has attacked. As in the files of the thesis the last one is before the winning turn."
    ),
    sources=("J. Khan (2013). Plan recognition in RISK. University of Edinburgh.",),
)
