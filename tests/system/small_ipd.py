"""The study of the prisoner's dilemma with fewer matches and cases, for tests that run it more than once."""

import msgspec

from kibitz.studies import ipd

STUDY = msgspec.structs.replace(ipd.STUDY, quick={**ipd.STUDY.quick, "repeats": 1, "watches": 2})
