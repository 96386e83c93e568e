"""Models of PRISM-games: what is read, what it is worth, and what is refused with its line and column."""

from math import inf

import pytest

from checkout import EXAMPLES
from kibitz.core.errors import BadGame
from kibitz_solve.prism.checking import Answer, Checker, read_constants
from kibitz_solve.prism.properties import read_questions
from kibitz_solve.prism.reading import read_model

MODELS = EXAMPLES / "prism"


def answers(model: str, properties: str, constants: str = "") -> list[Answer]:
    """The answers about one of the models beside this file, or about a text."""
    text = (MODELS / model).read_text() if model.endswith(".prism") else model
    questions = read_questions(properties, "asked.props")
    checker = Checker(read_model(text, "model.prism"), questions, read_constants(constants))
    return [checker.answer(question) for question in questions.questions]


def interval(model: str, asked: str, constants: str = "") -> tuple[float, float]:
    return answers(model, asked, constants)[0].interval


@pytest.mark.long
@pytest.mark.parametrize(
    ("model", "constants", "asked", "value"),
    [
        ("rps.prism", "", '<<one>>Pmax=? [ F "won" ]', 1.0),
        ("rps.prism", "", '<<one>>Pmax=? [ F<=2 "won" ]', 5 / 9),
        ("rps.prism", "", '<<one>>R{"utility"}max=? [ C<=6 ]', 0.0),
        ("rounds.prism", "k=1", "<<one>>Pmax=? [ F wins ]", 1 / 3),
        ("rounds.prism", "k=2", "<<one>>Pmax=? [ F wins ]", 5 / 9),
        ("intrusion.prism", "level=2,rounds=1", '<<policy>>R{"damage"}min=? [ C<=rounds ]', 1 / 3),
        ("intrusion.prism", "level=2,rounds=5", '<<policy>>R{"damage"}min=? [ C<=rounds ]', 3.7619047619),
        ("intrusion.prism", "level=2,rounds=10", '<<policy>>R{"damage"}min=? [ C<=rounds ]', 8.0476190476),
        ("intrusion.prism", "level=3,rounds=5", '<<policy>>R{"damage"}min=? [ F round=rounds ]', 2.3795749827),
        ("intrusion.prism", "level=3,rounds=10", '<<policy>>R{"damage"}min=? [ F round=rounds ]', 5.3585308050),
        ("intrusion.prism", "level=3,rounds=25", '<<policy>>R{"damage"}min=? [ F round=rounds ]', 14.5821789124),
        ("intrusion.prism", "level=3,rounds=10,K=10", '<<policy>>R{"last"}min=? [ C<=10 ]', 0.5878837762),
        ("jamming.prism", "slots=5", "<<user>>Pmax=? [ F slot=slots & sent>=slots/2 ]", 0.632270470262),
        ("jamming.prism", "slots=5", '<<user>>R{"messages"}max=? [ F slot=slots+1 ]', 2.726039886476),
        ("aloha.prism", "D=8,q=0.9", "<<usr1>>Pmax=? [ F<=D s1=3 ]", 0.9809447097),
        ("robots.prism", "l=5,q=0.1", '<<robot1>>Pmax=? [ !crash U "goal1" ]', 0.95777631842),
        ("robots.prism", "l=5,q=0.1", '<<robot1>>Pmax=? [ !crash U<=5 "goal1" ]', 0.767081748283),
        ("robots.prism", "l=5,q=0.1", '<<robot1>>R{"time"}min=? [ F "goal1" ]', 5.684077966),
        ("three.prism", "", '<<one>>R{"utility"}max=? [ C<=10 ]', 0.0),
        ("three.prism", "", '<<one,two,three>>R{"utility"}max=? [ C<=10 ]', 20.0),
    ],
)
def test_published_values_are_found(model: str, constants: str, asked: str, value: float) -> None:
    low, high = interval(model, asked, constants)
    assert low - 1e-9 <= value <= high + 1e-9
    assert high - low <= 1e-6


GUAN = """csg
player runner r endplayer
player thrower t endplayer
module r
  home : bool;
  wet : bool;
  [hide] !home & !wet -> true;
  [run,wait] !home & !wet -> (home'=true);
  [run,throw] !home & !wet -> (wet'=true);
  [hide,throw] !home & !wet -> (home'=true);
endmodule
module t
  [wait] !home & !wet -> true;
  [throw] !home & !wet -> true;
endmodule
rewards
  true : 1;
endrewards
"""


def test_what_no_strategy_attains_is_found_by_the_graph() -> None:
    assert interval(GUAN, "<<runner>>Pmax=? [ F home ]") == (1.0, 1.0)
    assert interval(GUAN, "<<thrower>>Pmin=? [ F home ]") == (1.0, 1.0)
    assert interval(GUAN, "<<runner>>Rmin=? [ F home ]") == (inf, inf)


ERRAND = """// everything in one: a walker goes to and fro, a blocker bars one of two doors
const int far = 2*floor(3.7) - 4; // 2
const double slip;
const bool quick = far>1;
csg
formula at_end = x=far;
player walker
  walk
endplayer
player blocker module block
  shut : [1..2] init 1;
  [shut1] !at_end -> (shut'=1);
  [shut2] !at_end -> (shut'=2);
endmodule
endplayer
global bumps : [0..3];
module walk
  x : [0..far];
  [left] !at_end & x<far -> 1-slip : (x'=min(x+1, far)) + slip : true;
  [right] !at_end -> 1-slip : (x'=x+1) + slip : (x'=max(0,x-1));
  [left,shut1] !at_end -> true;
  [right,shut2] !at_end -> true;
endmodule
module bump
  [left,shut1] true -> (bumps'=min(3, bumps+1));
  [right,shut2] true -> (bumps'=min(3, bumps+1));
endmodule
label "there" = at_end;
label "bruised" = bumps=3 & !"never";
label "never" = func(mod, bumps, 2)=7;
rewards "rounds"
  [] true : 1;
endrewards
rewards "bumps"
  [left,shut1] bumps<3 : pow(2, 0);
  [right,shut2] bumps<3 : round(0.6) + log(8, 2) - 3;
endrewards
"""


def walk(asked: str, slip: float = 0.0) -> tuple[float, float]:
    return interval(ERRAND, asked, f"slip={slip}")


def test_the_whole_language_is_read() -> None:
    # every step passes with probability 1/2: two steps take 4 rounds, with 2 bumps on the way
    for asked, value in (
        ('<<walker>>Pmax=? [ F "there" ]', 1.0),
        ('<<walker>>Pmax=? [ F<=2 "there" ]', 1 / 4),
        ('<<1>>Pmax=? [ F<3 "there" ]', 1 / 4),
        ('<<walker>>Pmax=? [ F=3 "there" ]', 0.5),
        ('<<walker>>Pmax=? [ F[3,3] "there" ]', 0.5),
        ("<<walker>>Pmax=? [ X x=1 ]", 0.5),
        ('<<walker>>Pmax=? [ bumps=0 U<=2 "there" ]', 1 / 4),
        ('<<walker>>Pmax=? [ bumps=0 U "there" ]', 1 / 4),
        ('<<blocker>>Pmax=? [ G<=2 !"there" ]', 3 / 4),
        ('<<blocker>>Pmax=? [ G !"there" ]', 0.0),
        ('1 - <<blocker>>Pmax=? [ G<=2 !"there" ]', 1 / 4),
        ("2 * <<walker>>Pmax=? [ X x=1 ] - 0.5", 0.5),
        ('<<walker>>R{"rounds"}min=? [ F "there" ]', 4.0),
        ('<<walker>>R{1}min=? [ F "there" ]', 4.0),
        ('<<blocker>>R{"rounds"}max=? [ F "there" ]', 4.0),
        ('<<walker>>R{"rounds"}min=? [ C<=3 ]', 3.0),
        ("<<walker,blocker>>Rmin=? [ F x=far ]", 2.0),
        ('<<>>Pmax=? [ F<=2 "there" ]', 0.0),
        ('<<*>>Pmax=? [ F<=2 "there" ]', 1.0),
        ('<<walker>>Pmax=? [ F<=2 <<walker>>P>=0.4 [ F<=1 "there" ] ]', 3 / 4),
        ('<<walker>>Pmax=? [ F "deadlock" ]', 1.0),
        ('<<walker>>Pmax=? [ X "init" ]', 0.0),
        ("<<blocker>>Pmax=? [ false R (x=0) ]", 0.0),
        ("<<blocker>>Pmax=? [ (x=0) W bumps=1 ]", 1 / 2),
    ):
        low, high = walk(asked)
        assert low - 1e-9 <= value <= high + 1e-9, asked
        assert high - low <= 1e-6, asked


def test_bounds_are_compared_and_near_ones_left_undecided() -> None:
    found = answers(
        ERRAND,
        '"a": <<walker>>P>=0.2 [ F<=2 x=2 ]\n<<walker>>P>0.3 [ F<=2 x=2 ];<<walker>>P<=0.3 [ F<=2 x=2 ]\n'
        '<<walker>>R{"rounds"}<4.1 [ F x=2 ]\n<<walker>>R{"rounds"}<=4 [ F x=2 ]',
        "slip=0",
    )
    assert [each.verdict for each in found] == [True, False, True, True, None]
    assert found[0].question.name == "a"


@pytest.mark.parametrize(
    ("asked", "value"),
    [
        ('<<investor1,investor2>>R{"account"}max=? [ I=months ]', 10.0),
        ('<<market>>R{"account"}min=? [ I=months ]', 10.0),
        ('<<investor1>>R{"account"}max=? [ I=months ]', 5.0),  # the other does not buy
        ('<<*>>R{"account"}max=? [ I=2 ]', 10.0),
        ('<<market>>R{"bars"}max=? [ C<=3 ]', 1.0),
        ('<<market>>R{"bars"}max=? [ C ]', 1.0),
        ('<<market>>R{"bars"}max=? [ F "done" ]', 1.0),
        ('<<market>>R{"bars"}max=? [ Fc has1=1 ]', 1.0),
        ('<<market>>R{"bars"}min=? [ F has1=1 ]', inf),  # who never buys makes it last for ever
        ('<<investor1,market>>Pmax=? [ F has2=0 & "done" ]', 0.0),
    ],
)
def test_two_investors_are_modules_renamed_and_act_together(asked: str, value: float) -> None:
    low, high = interval("investors.prism", asked, "months=2")
    assert low - 1e-9 <= value <= high + 1e-9
    assert low == high or high - low <= 1e-6


def test_slips_count_and_rewards_have_bounds() -> None:
    low, high = walk('<<walker>>R{"rounds"}min=? [ F "there" ]', 0.3)
    assert high - low <= 1e-6
    assert low > 4.5
    low, high = walk('<<walker>>R{"bumps"}min=? [ Fc "there" ]')
    assert high <= 2.0 + 1e-6


WAITING = """csg
player one m endplayer
player two n endplayer
module m
  s : [0..2];
  [wait] s<2 -> true;
  [pay] s=0 -> 0.5 : (s'=1) + 0.5 : (s'=2);
  [back] s=1 -> (s'=0);
  [pay] s=1 -> (s'=2);
endmodule
module n
  [watch] true -> true;
endmodule
rewards
  [pay] s=0 : 1;
  [pay] s=1 : 0.25;
endrewards
"""


def test_waiting_that_costs_nothing_does_not_hide_what_must_be_paid() -> None:
    low, high = interval(WAITING, "<<one>>Rmin=? [ F s=2 ]")
    assert low == pytest.approx(1.125, abs=1e-9)
    assert high == pytest.approx(1.125, abs=1e-6)


def test_several_initial_states_are_told_together() -> None:
    model = GUAN.replace("home : bool;", "home : bool;\n  n : [0..1];") + "init !home & !wet endinit"
    assert interval(model, "<<runner>>Pmax=? [ F home & n=1 ]") == (0.0, 1.0)


@pytest.mark.parametrize(
    ("change", "where", "why"),
    [
        (("csg\n", "smg\n"), "5:1", "only concurrent stochastic games (`csg`) are read, not `smg` models"),
        (("shut'=1", "shutt'=1"), "12:23", "there is no variable 'shutt' to assign"),
        (("x=far;", "y=far;"), "6:18", "nothing is called 'y'"),
        (("[left] !at", "[ahead,left] !at"), "19:3", "a command can name one action of each player at most"),
        (("1-slip : (x'=min", "0.9-slip : (x'=min"), "19:3", "the probabilities add up to 0.9, not 1"),
        (("floor(3.7)", "flor(3.7)"), "2:19", "no function 'flor'; did you mean 'floor'?"),
        (("endrewards\nrewards", "rewards"), "33:1", "expected an expression or '[' or 'endrewards', not 'rewards'"),
        (("global bumps : [0..3]", "global bumps : int"), "16:16", "variables are `bool` or have bounds"),
        (('label "there" = at_end', 'label "there" = at_end +'), "28:25", "expected an expression, not ';'"),
        (("  walk\nendplayer", "  walker\nendplayer"), "8:3", "no module 'walker'"),
        (
            ("module bump\n", "module bump\n  [] true -> true;\n  [] x=0 -> true;\n"),
            "26:3",
            "two commands of 'bump' fit",
        ),
        (("  x : [0..far];", "  slip : [0..far];"), "18:3", "'slip' is a constant already"),
        (("  [right,shut2] !at_end", "  [right,shut3] !at_end"), "22:3", "the action 'shut3' is no player's"),
        (("const double slip", "const double slip = slip"), "3:14", "'slip' is defined by itself"),
        (("!at_end -> (shut'=1)", "x'=0 -> (shut'=1)"), "12:11", "x' is read in updates only"),
        (("func(mod, bumps, 2)=7", '"there" & "never"'), "30:27", 'the label "never" contains itself'),
    ],
)
def test_mistakes_are_told_with_line_and_column(change: tuple[str, str], where: str, why: str) -> None:
    assert change[0] in ERRAND
    with pytest.raises(BadGame) as error:
        answers(
            ERRAND.replace(*change, 1),
            '<<walker>>Pmax=? [ F "there" & !"never" ]',
            "" if "slip =" in change[1] else "slip=0",
        )
    assert str(error.value).startswith(f"model.prism:{where}: ")
    assert why in str(error.value)


@pytest.mark.parametrize(
    ("asked", "where", "why"),
    [
        ("<<walker:blocker>>max=? (P[F x=1] + P[F x=0])", "1:9", "Nash"),
        ("<<walker>>Pmax=? [ G F x=1 ]", "1:22", "paths within paths"),
        ("<<walker>>Pmax=? [ F<=k x=1 ]", "1:23", "nothing is called 'k'"),
        ("const int k;\n<<walker>>Pmax=? [ F<=k x=1 ]", "2:23", "the constant 'k' has no value; give it with --const"),
        ("<<walker>>P=? [ F x=1 ]", "1:11", "must say Pmax=? or Pmin=?"),
        ("<<nobody>>Pmax=? [ F x=1 ]", "1:1", "no player 'nobody'"),
        ('<<walker>>R{"time"}max=? [ C<=1 ]', "1:1", 'no rewards "time"'),
        ('<<walker>>Pmax=? [ F "thee" ]', "1:22", "did you mean 'there'?"),
        ("Pmax=? [ F x=1 ]", "1:1", "begins with its coalition"),
        ("<<walker>>Pmax=? [ F x=1 ] x", "1:28", "expected the end of the property"),
        ("<<walker>>Pmax=? [ F x/0=1 ]", "1:22", "it divides by 0"),
        ("max(<<walker>>Pmax=? [ F x=1 ], 1)", "1:1", "is not read; + - * / are"),
    ],
)
def test_properties_that_are_not_read_say_so(asked: str, where: str, why: str) -> None:
    try:
        told = answers(ERRAND, asked, "slip=0")[0].question.not_read
    except BadGame as error:
        told = error
    assert str(told).startswith(f"asked.props:{where}: ")
    assert why in str(told)


def test_choices_that_no_command_fits_are_refused() -> None:
    model = GUAN.replace("[hide] !home & !wet", "[hide,throw] false").replace("[wait] !home", "[wait] home")
    model = model.replace("[run,throw] !home", "[run,throw] home").replace(
        "[hide,throw] !home & !wet", "[hide,wait] true"
    )
    with pytest.raises(BadGame, match="no command fits any choice of the players in state"):
        answers(model, "<<runner>>Pmax=? [ F home ]")


def test_constants_are_checked() -> None:
    for constants, why in (
        ("slip", "expected name=value"),
        ("slip=x", "must be a number"),
        ("slop=1", "has no constant 'slop'; did you mean 'slip'?"),
        ("slip=true", "is of type double, but is True"),
        ("far=1", "has a value already"),
        ("slip=2", "a probability is -1"),
    ):
        with pytest.raises(BadGame, match=why):
            answers(ERRAND, "<<walker>>Pmax=? [ F x=1 ]", constants)


def test_other_properties_of_a_file_are_answered() -> None:
    found = answers(ERRAND, "<<walker:blocker>>max=? (P[F x=1]\n + P[F x=0])\n<<walker>>Pmax=? [ X x=1 ]", "slip=0")
    assert [each.question.not_read is None for each in found] == [False, True]


@pytest.mark.long
def test_deep_nesting_is_refused() -> None:
    with pytest.raises(BadGame, match="nested too deeply"):
        answers(ERRAND, f"<<walker>>Pmax=? [ F {'!' * 5000}true ]", "slip=0")
    assert walk(f"<<walker>>Pmax=? [ X {'(' * 5000}x=1{')' * 5000} ]") == walk("<<walker>>Pmax=? [ X x=1 ]")


def test_long_sums_are_read() -> None:
    low, high = walk(f"<<walker>>Pmax=? [ X {' + '.join(['x'] * 150)}=150 ]")
    assert low <= 0.5 <= high
