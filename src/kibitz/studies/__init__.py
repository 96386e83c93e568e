"""Studies: experiments as declared data, with parts that resume and a report. To add one, add a line here."""

STUDIES = {
    "arena-axelrod": "kibitz.studies.arenas.axelrod:STUDY",
    "arena-poker": "kibitz.studies.arenas.poker:STUDY",
    "arena-rps": "kibitz.studies.arenas.rps:STUDY",
    "awareness": "kibitz.studies.awareness:STUDY",
    "axis": "kibitz.studies.axis:STUDY",
    "axis-full": "kibitz.studies.axis_full:STUDY",
    "pawns": "kibitz.studies.pawns:STUDY",
    "recursive": "kibitz.studies.recursive:STUDY",
    "risk": "kibitz.studies.risk:STUDY",
    "trails": "kibitz.studies.trails:STUDY",
}
