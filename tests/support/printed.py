"""Whether a program prints what a page shows: the last digit of a figure may differ between processors."""

import doctest
import re

FIGURE = re.compile(
    r"(?P<decimal>\d[\d,]*\.\d+(?:e[+-]?\d+)?)|(?P<percent>\d+)(?= ?%)|(?P<bar>[▏▎▍▌▋▊▉█]+)|(?P<gap> {2,})"
)


def pattern(expected: str) -> str:
    """A regular expression for *expected*, where `...` stands for anything.

    A decimal number or percentage may differ by one unit of its last digit, and a bar by one character. The width
    of gaps is free, as a sign may come or go.
    """
    found, end = [], 0
    for figure in FIGURE.finditer(expected):
        found += [escaped(expected[end : figure.start()]), near(figure)]
        end = figure.end()
    return "".join([*found, escaped(expected[end:])])


def escaped(words: str) -> str:
    return ".*".join(map(re.escape, words.split("...")))


def near(figure: re.Match[str]) -> str:
    """What may be printed in place of a figure."""
    text = figure.group()
    if figure["gap"]:
        return " +"
    if figure["bar"]:
        return f"[▏▎▍▌▋▊▉█]{{{len(text) - 1},{len(text) + 1}}}"
    mantissa, _, power = text.partition("e")
    digits = mantissa.replace(",", "")
    places = len(digits.partition(".")[2])
    values = {f"{abs(int(digits.replace('.', '')) + step) / 10**places:.{places}f}" for step in (-1, 0, 1)}
    grouped = {f"{float(value):,.{places}f}" for value in values}
    choices = "|".join(re.escape(value) for value in sorted(values | grouped))
    return f"(?:{choices})" + (re.escape(f"e{power}") if power else "")


class FigureChecker(doctest.OutputChecker):
    """Compares the output of examples in docstrings, up to the last digit of figures."""

    def check_output(self, want: str, got: str, optionflags: int) -> bool:
        return super().check_output(want, got, optionflags) or bool(re.fullmatch(pattern(want), got, re.DOTALL))
