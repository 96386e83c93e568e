"""What one installation of kibitz answers: matches, beliefs, perft, logs, odds, values, recognition, arenas.

Run by both sides of the differential check, so it uses only names that stay: `kibitz.play`, `make_game`, `read_record`,
the methods of states, and the command `kibitz`. Each answer is a line of JSON, `[name, value]`, on standard output.
An answer that cannot be had is `{"error": …}`, so that what is gone shows as a difference.
"""

import json
import os
import random
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

import kibitz

Answer = tuple[str, Any]
POINTS = 40
"""Moments of a match whose beliefs are kept."""
FILTER = ("strategy_filter",)


class Table(NamedTuple):
    """A game whose matches are compared: agents drawn by the seed for all seats, one of *every* seeds."""

    game: str
    agents: str
    players: int = 2
    models: tuple[str, ...] = ()
    every: int = 1
    plies: int = 20_000


SOLVED = ("s1", "s2", "s3")
FULL = "axis(scenario='revised', rules='full')"
REVISED = "axis(scenario='revised')"
MISSIONS = ("risk.choice", "risk.explanations", "plans", *FILTER)
DILEMMA = "tit_for_tat defector pavlov grim generous two_tats cooperator random"
NEGOTIATORS = "honest always_renege deceiver tit_for_tat greedy generous boulware random_legal talman perb mute"
PAWNS = "s1(depth=2) s2(depth=2) s3(depth=2) s4(depth=2) random"
TABLES = (
    *(Table(f"axis(scenario='{name}')", "greedy defender scripted random", 2, FILTER, 3) for name in SOLVED),
    Table("axis(scenario='front')", "greedy defender random", every=6),
    Table("axis(scenario='pocket')", "greedy defender random", 3, every=6),
    Table(REVISED, "greedy defender random", 5, every=15, plies=200),
    Table(FULL, "greedy_full sensible_full random", 5, every=6, plies=300),
    Table(FULL, "greedy_full sensible_full", 5, ("plans",), every=30, plies=200),
    Table("breakthrough", "runner(depth=2) hoarder(depth=2) wall(depth=2) random", 2, FILTER, 6),
    Table("breakthrough(rows=5, columns=5)", "runner(depth=2) wall(depth=2) random"),
    Table("cops", "random pursuit"),
    Table("dilemma", DILEMMA, 2, (*FILTER, "strategy_filter(drift=0.05)")),
    Table("dilemma(rounds=30, noise=0.05)", DILEMMA, 2, FILTER),
    Table("repeated", "random finite_state", 2, FILTER),
    Table("kuhn", "solid rock maniac bluffer random", 3, FILTER),
    Table("kuhn(players=2)", "solid rock maniac bluffer random", 2, (*FILTER, "strategy_filter@0")),
    Table("leduc", "solid rock caller maniac bluffer random", 2, (*FILTER, "strategy_filter@1")),
    Table("offers", "fair greedy generous random", 2, FILTER),
    Table("pawns", PAWNS, 2, (*FILTER, "dbn"), 2),
    Table("pawns(base='cells', adjacency='king')", PAWNS, 2, FILTER, 3),
    Table("pawns(size=6, base_size=1, pawns=3)", PAWNS),
    Table("pennies", "heads alternator copycat biased random", 2, FILTER),
    *(Table(game, "random", plies=300) for game in ("matrix", "macwiggins", "right-turn", "chauffeur", "purgatory")),
    *(Table(game, "random", plies=300) for game in ("big-match", "rps", "rps(goal=points, rounds=50)", "inspection")),
    *(Table(game, "random", plies=300) for game in ("oshi-zumo", "soccer", "duel", "robots", "jamming", "aloha")),
    *(Table(game, "random", plies=300) for game in ("intrusion", "investors")),
    Table("guan", "patient random", plies=300),
    Table("bear-brawl", "keffer corrected random", plies=300),
    Table("goofspiel", "matcher random"),
    Table("risk", "heuristic mission constrained campaigner", 3, MISSIONS, 6),
    Table("risk", "heuristic mission(w=100) constrained deceptive campaigner", 3, every=2),
    Table("risk(players=4, mode='domination', cards='fixed')", "heuristic passive random", 4, every=6, plies=2000),
    Table("risk(mode='capital', board='dom-luca82', setup='draft')", "heuristic random", 3, every=6, plies=2000),
    Table("trails", NEGOTIATORS, 2, ("trails.types", "trails.promises", "trails.predictors"), 3),
    Table("trails(board='di')", NEGOTIATORS, 2, FILTER, 6),
)
MATCHES = {  # agents that think, by game: who plays, and one of how many seeds
    "pawns": ("alphabeta(depth=4) s2 /10", "minimax(depth=2) expectimax(depth=2) /10",
        "asymmetric(model=dbn) s3 /20", "asymmetric(model=strategy_filter,depth=3) alphabeta(depth=3) /20",
        "prom(model=strategy_filter,depth=3) s1 /20", "mcts(simulations=200) s4 /10",
        "aware(simulations=100) s2 /20",),
    "breakthrough": ("alphabeta(depth=3) mcts(simulations=100) /20",
        "asymmetric(model=strategy_filter,depth=2) wall /30",),
    "guan": ("equilibrium thwart /10",),
    "right-turn": ("equilibrium thwart /20", "planner(nodes=200) lookahead /10",),
    "bear-brawl": ("equilibrium thwart /20",),
    "soccer": ("lookahead equilibrium /20",),
    "goofspiel": ("equilibrium random /20", "lookahead matcher /20",),
    "oshi-zumo": ("planner(nodes=100) random /20",),
    "kuhn(players=2)": ("cfr(iterations=100) solid /3", "aware maniac /3",),
    "leduc": ("aware caller /6", "cfr(iterations=50) rock /10",),
    "offers": ("aware greedy /10",),
    "pennies": ("aware copycat /5",),
    "dilemma": ("aware grim /3", "adapting pavlov /10", "mcts(simulations=50) tit_for_tat /20",),
    "rps(goal=points, rounds=100)": ("aware adapting /10",),
    "cops": ("alphabeta minimax /10",),
    "repeated": ("aware finite_state /10",),
    "trails": ("kibitzer perb /30", "kibitzer(depth=1,nodes=300) honest /20", "tree talman /10",
        "perb reliability /10", "perb(epsilon=0) parametric /10", "deception build_trust /10",),
    "risk": ("risk.aware(model=risk.choice,trials=1) mission heuristic /20",
        "risk.aware(trials=1) mission heuristic /20",),
    "axis(scenario='s1')": ("exact greedy /10", "mcts(simulations=200) greedy /10",),
    "axis(scenario='s3')": ("exact defender /10", "automata greedy /10",),
    "axis(scenario='front')": ("automata(rounds=[40,20]) greedy /10",),
    FULL: ("commander(rounds=20) sensible_full commander(rounds=20) sensible_full greedy_full /30",
        "commander(depth=1,rounds=0) greedy_full commander(rounds=0) random sensible_full /20",),
}  # fmt: skip
PERFT = {
    "axis(scenario='s1')": 5, "axis(scenario='s2')": 6, "axis(scenario='s3')": 6, "axis(scenario='front')": 4,
    REVISED: 3, FULL: 2, "breakthrough": 3, "breakthrough(rows=4, columns=3)": 6,
    "breakthrough(rows=6, columns=4)": 4, "cops": 4, "cops(graph=petersen, cops=2)": 4, "dilemma": 5, "repeated": 4,
    "kuhn": 9, "kuhn(players=2)": 5, "leduc": 8, "offers": 3, "offers(pool=[1, 1, 1], rounds=2)": 6, "pawns": 5,
    "pawns(base='cells')": 4, "pawns(base='cells', home='dies')": 4, "pawns(adjacency='king')": 4,
    "pawns(base='cells', adjacency='king')": 3, "pawns(base='cells', adjacency='king', home='dies')": 3, "pennies": 6,
    "matrix": 2, "macwiggins": 2, "guan": 5, "right-turn": 3, "chauffeur": 6, "bear-brawl": 3, "purgatory": 5,
    "big-match": 5, "rps": 4, "inspection": 6, "goofspiel": 4, "oshi-zumo": 2, "soccer": 2, "duel": 3, "robots": 2,
    "jamming": 2, "aloha": 4, "intrusion": 3, "investors": 3, "risk": 2, "risk(setup='draft')": 2,
    "risk(players=2, mode='domination')": 2, "trails": 1, "trails(board='di')": 1,
}  # fmt: skip
BATTLES = (
    "axis|2 inf 2 art 1 tank vs 3 inf 1 art", "axis|6 inf 4 tank 4 fighter 2 bomber vs 8 inf 2 art 2 tank 2 fighter",
    "axis|5 tanks vs 8 inf", "axis|1 inf 2 fighters vs 2 inf 1 aa", "axis|3 inf 1 bb vs 4 inf",
    "axis|1 bomber vs 1 aa", "axis|2 sub 1 dd vs 1 bb 1 trn",
    "axis(losses=land, worth=10)|1 inf 2 fighters vs 2 inf 1 aa", "axis(losses=pairs)|3 inf 2 art 1 tank vs 5 inf",
    "axis(low_luck=true)|5 inf 2 tank vs 5 inf 1 fighter", "axis(rounds=2)|5 inf 2 tank vs 5 inf",
    "axis(retreat=3)|5 inf 2 tank vs 5 inf", "axis(submerge=both)|3 sub 1 dd vs 2 sub 1 bb",
    "axis(losses='inf fighter tank')|4 inf 2 tank vs 5 inf 2 fighter",
    "axis(losses='inf fighter tank')|4 inf 2 tank vs 5 inf then 3 inf 2 fighter", "axis|raid 2 bombers vs Germany",
    "axis(losses=optimal)|3 inf 1 fighter 1 tank vs 4 inf 1 fighter", "axis|5 inf 2 tank|--least|0.9",
    "axis|Ukraine: all vs Caucasus|--scenario|revised", "axis|25 inf vs 25 inf",
    "axis|Eastern Europe: 1 fighter, Ukraine: 2 tanks vs Karelia|--scenario|revised",
    "axis|10 inf 3 tank vs 9 inf 4 art", "risk|8 vs 5", "risk|2 vs 1", "risk|20 vs 20", "risk(behind=0)|8 vs 5",
    "risk(stop=3)|12 vs 9", "risk(cards=italian)|8 vs 5",
)  # fmt: skip
VALUES = (
    "macwiggins", "matrix", "guan", "right-turn", "bear-brawl", "bear-brawl(hero_hp=3, bear_hp=1, radius=4)",
    "purgatory|--discount|0.99999999", "purgatory(levels=4)|--discount|0.99999999", "big-match", "rps",
    "rps(goal=ever)", "rps(goal=ever, wins=2)", "rps(goal=tie, rounds=1)", "inspection",
    "inspection(periods=8, inspections=3)", "goofspiel", "goofspiel(head_start=1)",
    "goofspiel(head_start=1, order=descending)", "oshi-zumo(coins=[5, 4], size=1)", "oshi-zumo(coins=[8, 7], size=3)",
    "soccer(ball=0)", "soccer", "duel", "chauffeur(turns='right')", "robots", "robots(deadline=5)", "jamming",
    "jamming(goal=messages)", "aloha", "intrusion", "intrusion(system=simple)", "investors", "pennies(lead=2)",
    "cops", "right-turn|--lowered", "kuhn(players=2)|--method|cfr|--iterations|300",
    "kuhn|--method|cfr|--iterations|50", "leduc|--method|cfr|--iterations|100",
    "leduc|--method|mccfr|--iterations|2000|--seed|1",
)  # fmt: skip
EXPLOITS = ("leduc solid rock caller maniac bluffer", "kuhn(players=2) solid rock maniac bluffer")
RECOGNISERS = ("risk.choice", "risk.explanations", "plans")
SETS = {"constrained": 1, "free": 1, "ai-w4": 6, "ai-w100": 6}
"""The sets of Khan's corpus, and one of how many of their logs is judged (all with FULL_SETS set)."""
SCORED = (
    ("dilemma", "strategy_filter|strategy_filter(drift=0.2)", 1), ("dilemma(noise=0.05)", "strategy_filter", 1),
    ("kuhn", "strategy_filter|strategy_filter@0", 1), ("leduc", "strategy_filter@0", 1),
    ("pawns", "strategy_filter|dbn", 3), ("pennies", "strategy_filter", 1),
    ("trails", "trails.types|trails.promises|trails.predictors", 3), ("risk", "risk.choice|risk.explanations", 20),
)  # fmt: skip
BOTS = """
    actr_lag2_decay adddriftbot2 addshiftbot3 antiflatbot antirotnbot biopic boom copybot debruijn81 driftbot flatbot3
    foxtrotbot freqbot2 granite greenberg halbot inocencio iocainebot marble markov5 markovbails mixed_strategy
    mod1bot multibot peterbot phasenbott pibot piedra predbot r226bot randbot robertot rockbot rotatebot russrocker4
    shofar sunCrazybot sunNervebot sweetrock switchalot switchbot textbot zq_move
"""
STRATEGIES = """
    TitForTat Grudger Cooperator Defector Random WinStayLoseShift TitFor2Tats Gradual GTFT Champion Downing Tester
    Tranquilizer Alternator Joss FirmButFair ZDExtort2 ZDGTFT2 AdaptiveTitForTat Retaliate Punisher Forgiver
    EvolvedFSM16 EvolvedLookerUp2_2_2 OmegaTFT
"""


def games(seeds: int) -> Iterator[Answer]:
    """Seeded matches of fast agents: moves, returns and beliefs."""
    for number, table in enumerate(TABLES):
        for seed in range(0, seeds, table.every):
            rng = random.Random(1000 * number + seed)
            agents = [rng.choice(table.agents.split()) for _ in range(table.players)]
            options = {"models": list(table.models), "max_plies": table.plies}
            yield f"{number:02} {table.game} {seed}", match(table.game, agents, seed, **options)


def agents(seeds: int) -> Iterator[Answer]:
    """Seeded matches of the agents that search, solve, learn or model."""
    for game, line in ((game, line) for game, lines in MATCHES.items() for line in lines):
        named, every = line.split(" /")
        for seed in range(max(1, seeds // int(every))):
            yield f"{game} {named} {seed}", match(game, named.split(), seed, max_plies=150 if game == FULL else 3000)


def match(game: str, agents: list[str], seed: int, **options: Any) -> Any:
    """The moves of a match, its returns, and fingerprints of what the models believed."""
    try:
        record = kibitz.play(game, agents, seed=seed, **options)
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}", "agents": agents}
    return {"agents": agents, **told(record)}


def told(record: Any) -> dict[str, Any]:
    """What is compared of a record."""
    entries, ending = record.entries, record.ending
    step = max(1, len(entries) // POINTS)
    beliefs: dict[str, list[float]] = defaultdict(list)
    for entry in [*entries[:-1:step], *entries[-1:]]:
        for model, players in entry.beliefs.items():
            for player in players:
                beliefs[model].append(fingerprint(player))
    return {
        "returns": list(ending.returns),
        "reason": ending.reason,
        "faults": len(ending.faults),
        "model_errors": dict(ending.model_errors),
        "beliefs": dict(beliefs),
        "moves": [f"{entry.player} {' '.join(entry.actions)}" for entry in entries],
    }


def fingerprint(belief: Any) -> float:
    """A number that changes when any of the probabilities or labels does."""
    return float(sum(crc32(str(label).encode()) / 2**32 * share for label, share in (belief or {}).items()))


def perft(seeds: int) -> Iterator[Answer]:
    """The number of action sequences of each length."""
    for game, depth in PERFT.items():
        counts = [0] * (depth + 1)
        try:
            count(kibitz.make_game(game).new_initial_state(), depth, counts, 0)
        except Exception as error:
            yield game, {"error": f"{type(error).__name__}: {error}"}
        else:
            yield game, counts


def count(state: Any, depth: int, counts: list[int], ply: int) -> None:
    counts[ply] += 1
    if ply == depth or state.is_terminal():
        return
    player = state.current_player()
    if player == -1:  # chance
        steps = [(action,) for action, _ in state.chance_outcomes()]
    elif player == -2:  # all at once
        steps = list(product(*(state.legal_actions(seat) for seat in range(len(state.returns())))))
    else:
        steps = [(action,) for action in state.legal_actions()]
    for actions in steps:
        child = state.clone()
        child.step(actions)
        count(child, depth, counts, ply + 1)


def logs(seeds: int) -> Iterator[Answer]:
    """Khan's logs of Domination, imported: commands rejected, moves, returns and last state."""
    for name in SETS:
        summary = imported(name)
        if "error" in summary:
            yield name, summary
        for file in summary.get("files", []):
            kept = ("matches", "copies", "cut", "skipped", "error")
            yield f"{name}/{Path(file['file']).name}", {each: file[each] for each in kept}
        for path in sorted(Path(name).glob("*.krec")):
            record = kibitz.read_record(path)
            found = told(record)
            found["moves"] = [len(found["moves"]), crc32("\n".join(found["moves"]).encode())]
            yield f"{name}/{path.name}", {**found, "hash": record.ending.hash}


@cache
def imported(name: str, every: int = 1) -> Any:
    """Import every so many logs of a set of the corpus into a folder of its name; what the command says."""
    files = sorted(Path(os.environ["KIBITZ_CORPUS"], "risk", name).glob("*.log.gz"))[::every]
    return command("import", "domination", *map(str, files), "--records", name, "--db", f"{name}.db", "--json")


def recognition(seeds: int) -> Iterator[Answer]:
    """How well models tell the missions in Khan's games, by set."""
    for name, every in SETS.items():
        imported(name, 1 if os.environ.get("FULL_SETS") else every * max(1, 60 // seeds))
        for model in RECOGNISERS:
            yield from ((f"{name} {key}", value) for key, value in scores("risk", [model], ["--records", name]))


def models(seeds: int) -> Iterator[Answer]:
    """How well models tell players apart and predict what they do, in new matches."""
    for game, named, every in SCORED:
        played = ["--matches", str(max(1, seeds // every)), "--seed", "1"]
        yield from ((f"{game} {key}", value) for key, value in scores(game, named.split("|"), played))


def scores(game: str, models: list[str], options: list[str]) -> Iterator[Answer]:
    """Means of what `kibitz score-models` finds, by question and model."""
    asked = [word for model in models for word in ("--models", model)]
    found = command("score-models", game, *asked, *options, "--executor", "inline", "--json")
    if "error" in found:
        yield " ".join(models), found
    for question, table in found.get("questions", {}).items():
        for row in table["rows"]:
            figures = {name: row["figures"][name]["mean"] for name in ("accuracy", "log_loss", "brier")}
            calibration = (row["calibration"] or {}).get("error") or {}
            figures |= {"answers": row["figures"]["events"], "calibration": calibration.get("mean")}
            yield f"{question} {row['model']}", figures


def battles(seeds: int) -> Iterator[Answer]:
    """Exact odds of battles."""
    for line in BATTLES:
        game, contest, *options = line.split("|")
        yield line, command("odds", game, contest, *options, "--json")


def values(seeds: int) -> Iterator[Answer]:
    """Certified values of games, equilibria of games with secrets, and what can be won from players."""
    for line in VALUES:
        game, *options = line.split("|")
        yield line, solved(game, *options)
    for line in EXPLOITS:
        game, players = line.rsplit(")", 1) if ")" in line else line.split(" ", 1)
        game += ")" if "(" in game else ""
        yield f"exploit {line}", without_times(command("exploit", *players.split(), "--game", game, "--json"))


def solved(game: str, *options: str) -> Any:
    """What `kibitz solve` says, without strategies: the sums of all bounds, and the bounds at the start."""
    found = command("solve", game, *options, "--json")
    bounds = found.pop("values", None)
    if isinstance(bounds, dict):
        start = str(kibitz.make_game(game).new_initial_state().key())
        found["start"] = bounds.get(start)
        found["low"], found["high"] = (sum(pair[side] for pair in bounds.values()) for side in (0, 1))
    return without_times({key: value for key, value in found.items() if key not in ("policy", "actions")})


def without_times(value: Any) -> Any:
    """Leave out what differs from run to run, and what is too long to compare."""
    if isinstance(value, dict):
        return {key: without_times(each) for key, each in value.items() if "seconds" not in key and key != "profile"}
    return [without_times(each) for each in value] if isinstance(value, list) else value


def scenarios(seeds: int) -> Iterator[Answer]:
    """The Axis scenarios solved to the end, and what perfect and learning players do there."""
    for name in SOLVED:
        yield f"solve {name}", solved(f"axis(scenario='{name}')")
        for agents in ("exact exact", "exact(opponent=myopic) greedy", "automata exact", "greedy automata(kind=bpa)"):
            for seed in range(max(1, seeds // 30)):
                game = f"axis(scenario='{name}')"
                yield f"{name} {agents} {seed}", match(game, agents.split(), seed)


def arenas(seeds: int) -> Iterator[Answer]:
    """What `aware` earns from players that others wrote: RoShamBo's (1,000 throws) and Axelrod's (200 turns)."""
    throws = "rps(goal=points, rounds=1000)"
    fields = [("rps", throws, "roshambo", BOTS, max(1, seeds // 60))]
    fields += [("dilemma", "dilemma(rounds=200)", "axelrod", STRATEGIES, max(1, seeds // 20))]
    fields += [("noise", "dilemma(rounds=200, noise=0.05)", "axelrod", STRATEGIES, max(1, seeds // 20))]
    for name, game, kind, opponents, matches in fields:
        earned = []
        for opponent in opponents.split()[:: 1 if seeds >= 20 else 5]:
            for seed in range(matches):
                found = match(game, ["aware", f"{kind}:{opponent}"], seed)
                yield f"{name} {opponent} {seed}", {key: found.get(key) for key in ("error", "returns")}
                earned += found.get("returns", [])[:1]
        yield f"{name} mean", sum(earned) / max(1, len(earned))


def command(*words: str) -> Any:
    """The JSON that a command of this installation prints, or what it complains of."""
    program = Path(sys.executable).with_name("kibitz")
    try:
        done = subprocess.run([program, *words], capture_output=True, text=True, timeout=1800, check=False)
        return json.loads(done.stdout)
    except ValueError:
        return {"error": (done.stderr or done.stdout).strip().splitlines()[-1:]}
    except subprocess.TimeoutExpired:
        return {"error": "took more than 30 minutes"}


PARTS = {
    each.__name__: each
    for each in (games, agents, perft, logs, battles, values, scenarios, models, recognition, arenas)
}
if __name__ == "__main__":
    for answer in PARTS[sys.argv[1]](int(sys.argv[2])):
        print(json.dumps(answer), flush=True)
