#!/usr/bin/env python3
"""A bot that plays any legal action. It needs nothing but Python: copy it, and put your own thinking into `choose`.

kibitz starts it and writes one JSON object per line to its standard input; it answers on its standard output:

    kibitz watch pawns "cmd:python3 examples/bots/any_legal.py" random
"""

import json
import random
import sys


def choose(legal: dict, rng: random.Random) -> str:
    """One of the legal actions, in the game's notation."""
    ranges = legal.get("ranges", ())
    if ranges and rng.randrange(len(legal["actions"]) + len(ranges)) < len(ranges):
        # Too many to list: a range is words with a number where the # is.
        chosen = rng.choice(ranges)
        return chosen["words"].replace("#", str(rng.randint(chosen["least"], chosen["most"])))
    if legal["actions"]:
        return rng.choice(legal["actions"])
    # Too many to list: an action says how many of each thing, and leaves out what is 0.
    counts = {}
    for factor in legal["factors"]:
        counts[factor["name"]] = rng.choice(factor.get("values") or range(factor["least"], factor["most"] + 1))
    words = [f"{count} {name}" for name, count in counts.items() if count]
    return " ".join([legal["verb"], *words] if words else [legal["verb"], "nothing"]).strip()


def say(answer: dict) -> None:
    """Write one line, and flush: an answer that waits in a buffer is late."""
    print(json.dumps(answer), flush=True)


def main() -> None:
    rng = random.Random()
    for line in sys.stdin:  # it ends when kibitz has no more to say
        message = json.loads(line)
        if message["type"] == "begin":
            rng = random.Random(message["seed"])  # the same seed, the same match
            say({"type": "ready", "name": "any_legal.py"})
        elif message["type"] == "act":
            # message["view"]["text"] is the board to read, and message["events"] what happened since the last act.
            say({"type": "action", "seq": message["seq"], "action": choose(message["legal"], rng)})
        # Nothing is to be said to "end", nor to messages that later versions may add.
        # For words of your own use stderr: print("hm", file=sys.stderr)


main()
