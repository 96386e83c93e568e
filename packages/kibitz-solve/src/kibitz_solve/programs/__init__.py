"""Readable programs for solved games: they are learned, written to files, checked, certified, and played."""

from kibitz_solve.programs.certificates import Certificate, Violation, certify_program
from kibitz_solve.programs.learning import LEARNERS, learn_program
from kibitz_solve.programs.lessons import Lesson, lesson_of
from kibitz_solve.programs.reader import read_program
from kibitz_solve.programs.shortening import ShorteningStep, shorten_program
from kibitz_solve.programs.source import pseudo_code, python_source, write_program
from kibitz_solve.programs.written_program import WrittenProgram

__all__ = [
    "LEARNERS",
    "Certificate",
    "Lesson",
    "ShorteningStep",
    "Violation",
    "WrittenProgram",
    "certify_program",
    "learn_program",
    "lesson_of",
    "pseudo_code",
    "python_source",
    "read_program",
    "shorten_program",
    "write_program",
]
