"""Studies: experiments as declared data, run in parts that resume, and told in a report. A new one is one line here."""

STUDIES = {
    "axis": "kibitz.studies.axis:STUDY",
    "ipd": "kibitz.studies.ipd:STUDY",
    "pawns": "kibitz.studies.pawns:STUDY",
    "recursive": "kibitz.studies.recursive:STUDY",
    "risk": "kibitz.studies.risk:STUDY",
    "trails": "kibitz.studies.trails:STUDY",
}
