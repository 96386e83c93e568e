"""Studies: experiments as declared data, with parts that resume and a report. To add one, add a line here.

>>> from kibitz.core.seeds import stream
>>> from kibitz_lab.studies.claims import Claim
>>> from kibitz_lab.studies.measures import Column, Measure
>>> from kibitz_lab.studies.report import report_of
>>> from kibitz_lab.studies.study import Study, Work, cross_factors
>>> def toss(case):
...     return {"heads": stream(case["seed"], "toss").random() < case["chance"]}
>>> def parts(settings, seed):
...     cases = cross_factors({"chance": [0.5, 0.9]}, repeats=settings["tosses"], seed=seed)
...     return [Work(name="tosses", work=toss, cases=cases)]
>>> heads = Column(name="heads", bounds=(0.0, 1.0))
>>> study = Study(
...     name="coins",
...     title="Coins",
...     asks="How often do coins fall on heads?",
...     settings={"tosses": 400},
...     quick={"tosses": 20},
...     parts=parts,
...     measures=(Measure(name="Heads", part="tosses", by=("chance",), columns=(heads,)),),
...     claims=(
...         Claim(what="fair", source="Example", there=0.5, within=0.1, measure="Heads", cell={"chance": 0.5}),
...         Claim(what="bent", source="Example", there=0.6, relation=">", measure="Heads", cell={"chance": 0.9}),
...     ),
... )
>>> for line in report_of(study).comparison.rows:
...     print(*line, sep="; ")
fair; Example; 0.5; 0.485 (0.436 to 0.534); agrees
bent; Example; > 0.6; 0.892 (0.858 to 0.919); agrees
"""

STUDIES = {
    "arena-axelrod": "kibitz_lab.studies.arenas.axelrod:STUDY",
    "arena-poker": "kibitz_lab.studies.arenas.poker:STUDY",
    "arena-rps": "kibitz_lab.studies.arenas.rps:STUDY",
    "awareness": "kibitz_lab.studies.awareness.matrix:STUDY",
    "pawns": "kibitz_lab.studies.pawns.study:STUDY",
}
