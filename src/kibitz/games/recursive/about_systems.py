"""The systems among the recursive games in words: robots, radios, networks and markets, whose models others study."""

from kibitz.core.abilities.about import About, fixed_form
from kibitz.games.recursive.aloha import Aloha
from kibitz.games.recursive.intrusion import ODDS, Intrusion
from kibitz.games.recursive.investors import Investors
from kibitz.games.recursive.jamming import Jamming
from kibitz.games.recursive.robots import Robots

AT_ONCE = "Only the other player's choice, until both have chosen."


def robots(game: Robots) -> About:
    crash = (
        "If both robots stand on one square, robot 1 has lost."
        if game.crash == "lost"
        else "If both robots stand on one square, both must wait for 9 rounds."
    )
    late = f" Robot 1 must arrive within {game.deadline} rounds." if game.deadline else ""
    waits = [fixed_form("wait", "wait after a crash")] if game.crash == "wait" else []
    return About(
        title="Two robots",
        goal="Robot 1 wants to reach its corner; robot 2 wants to prevent it.",
        rules=(
            f"Two robots cross a grid of {game.size} by {game.size} squares: robot 1 from the lower left corner to the "
            "upper right, robot 2 the other way. In every round both choose at the same time a step towards their own "
            "goal: along one axis or along both. With probability "
            f"{game.q:g} a step goes astray to one of the two directions beside it. {crash}{late} Robot 1 earns 1 when "
            "it arrives, and 0 when it has lost; robot 2 loses what robot 1 earns. A robot that has arrived stays."
        ),
        players=("robot 1, who starts in the lower left corner", "robot 2, who starts in the upper right corner"),
        actions=(
            fixed_form("n", "robot 1 steps up"),
            fixed_form("e", "robot 1 steps right"),
            fixed_form("ne", "robot 1 steps up and right"),
            fixed_form("s", "robot 2 steps down"),
            fixed_form("w", "robot 2 steps left"),
            fixed_form("sw", "robot 2 steps down and left"),
            fixed_form("done", "the robot has arrived and stays"),
            *waits,
        ),
        secret=AT_ONCE,
    )


def jamming(game: Jamming) -> About:
    last = game.channels
    goals = {
        "half": "Send a message in at least half of the slots; the jammer wants to prevent it.",
        "messages": "Send as many messages as you can; the jammer wants to prevent it.",
    }
    earned = (
        "1 as soon as messages got through in at least half of the slots, and 0 if they did not in the end"
        if game.goal == "half"
        else "1 for every message that got through"
    )
    return About(
        title="Jamming a radio",
        goal=goals[game.goal],
        rules=(
            f"There are {last} radio channels and {game.slots} slots of time. All channels are busy at first. For "
            f"every slot the user chooses a channel from 1 to {last - 1} to send on, and at the same time the jammer "
            f"chooses one from 2 to {last} to disturb; both know which channels are busy in the present slot. Then "
            "every channel changes by "
            f"itself, from busy to free or from free to busy, with probability {game.change:g}. The message gets "
            f"through if its channel is then free and not jammed. The user earns {earned}. The jammer loses what the "
            "user earns."
        ),
        players=(f"user, who sends on channels 1 to {last - 1}", f"jammer, who disturbs channels 2 to {last}"),
        actions=tuple(
            fixed_form(str(channel), f"send on channel {channel}, or jam it") for channel in range(1, last + 1)
        ),
        secret=AT_ONCE,
    )


def aloha(game: Aloha) -> About:
    return About(
        title="Sending on a shared channel (ALOHA)",
        goal="User 1 wants to get a message through before the deadline; user 2 is in the way.",
        rules=(
            f"Two users have one message each for the same channel, and user 1 has {game.deadline} slots of time. In "
            "every slot each user sends or waits, both at once. A message that is sent alone gets through with "
            f"probability {game.q:g}, each of two sent at once with a quarter of that. After a failure a user draws at "
            "random how many slots to sit out: 0 or 1 after the first failure, up to 3 after the second and so on; the "
            f"range stops growing after {game.backoff} failures. Users who sit out can only wait, and then have to "
            "send. A user who may choose can wait at most twice before a try. User 1 earns 1 if the message gets "
            "through in time, else 0; user 2 loses what user 1 earns. A user who is done waits."
        ),
        players=("user 1, who has a deadline", "user 2, who is in the way"),
        actions=(fixed_form("send", "send the message in this slot"), fixed_form("wait", "send nothing in this slot")),
        secret=AT_ONCE,
    )


def intrusion(game: Intrusion) -> About:
    harm, recovery = (f"with probability {odds:g}" if odds < 1.0 else "at once" for odds in ODDS[game.system])
    worst = "" if game.system == "simple" else " and a compromised one fails"
    return About(
        title="Intrusion detection",
        goal="Keep the damage of attacks low by loading the right library of signatures.",
        rules=(
            f"For {game.rounds} rounds the policy loads library 1 or 2, and at the same time the attacker chooses "
            "attack 1 or 2. A library stops the attack of its number: nothing happens to a healthy system, another "
            f"one suffers damage 1 and becomes better {recovery}. An attack that is not stopped costs 1 if the system "
            "is healthy, 2 if it is compromised and 3 if it has failed, and half a point less if library 2 was loaded; "
            f"then a healthy system is compromised {harm}{worst}. The policy loses all the damage, and the attacker "
            "earns it."
        ),
        players=("policy, which loads libraries", "attacker"),
        actions=(
            fixed_form("library 1", "stop attack 1"),
            fixed_form("library 2", "stop attack 2"),
            fixed_form("attack 1", "attack past library 2"),
            fixed_form("attack 2", "attack past library 1"),
        ),
        secret=AT_ONCE,
    )


def investors(game: Investors) -> About:
    return About(
        title="Investors and the market",
        goal="Buy shares when their price is high, although the market may bar you.",
        rules=(
            f"{'Two investors act' if game.investors == 2 else 'One investor acts'} together; each may get one share "
            f"within {game.months} months. Every month they decide who buys, and at the same time the market is open "
            "or barred; it cannot be barred twice in a row. Then the price, from 0 to 10, goes up or down by 1; how "
            f"likely it rises is the trend, {10 * game.trend} % at first, which itself drifts up or down by 10 points "
            "a month with equal odds. Those who buy while the market is open earn the price after this change, and are "
            "done. Those who have not bought in the end earn nothing. The market loses what investors earn."
        ),
        players=("investors", "market"),
        actions=(
            fixed_form("wait", "buy nothing this month"),
            fixed_form("one buys", "one investor tries to buy"),
            fixed_form("both buy", "both investors try to buy"),
            fixed_form("open", "let everyone buy"),
            fixed_form("bar", "let no one buy this month"),
        ),
        secret=AT_ONCE,
    )
