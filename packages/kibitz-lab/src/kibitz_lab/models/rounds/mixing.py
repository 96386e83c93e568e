"""How the learner of rounds mixes its experts, compiled: logistic and Bayesian mixtures, then a mixture of these.

A logistic mixture adds up the logarithms of what the experts predict, with weights that follow the gradient of the
coding length (Mattern 2013; the mixing of PAQ, Mahoney 2005). What all predict together is then read as a prediction
that the other may expect, too: how they reply to it is one more expert of the last mixture.
"""

from math import exp, log

from kibitz.core.kernels import kernel
from kibitz_lab.models.rounds.experts import TABLES, learn_experts, learn_reply, predict_by_experts
from kibitz_lab.models.rounds.tables import BAYES, MIXERS, SETS, Floats, RoundTables

RATES = (0.005, 0.015, 0.01, 0.01)
"""How fast the weights of each mixture change."""
FINAL_RATE = 0.012
SHARE = 0.01
"""The part of a Bayesian mixture's belief that is spread evenly in each round."""
FADING = (1.0, 0.9)
"""The power of the belief that is kept in each round."""
FINAL_MEMORY, FINAL_PRIOR = 0.97, 3.0
LEAST = 1e-4


@kernel("int64(float64[::1])", lean=True)
def make_shares(values: Floats) -> int:
    """Turn the values of actions into their shares, by softmax."""
    most, total = values[0], 0.0
    for action in range(1, len(values)):
        most = max(most, values[action])
    for action in range(len(values)):
        values[action] = exp(values[action] - most)
        total += values[action]
    for action in range(len(values)):
        values[action] /= total
    return len(values)


@kernel("int64(float64[::1])", lean=True)
def likeliest(shares: Floats) -> int:
    """The action with the largest share, the first of several."""
    top = 0
    for action in range(1, len(shares)):
        if shares[action] > shares[top]:
            top = action
    return top


@kernel("int64(RoundTables, int64)", lean=True)
def write_logs(tables: RoundTables, experts: int) -> int:
    """Write the logarithms of what the experts predict, less their mean over the actions."""
    count = tables.their_count
    for expert in range(experts):
        mean = 0.0
        for action in range(count):
            tables.logs[expert, action] = log(max(tables.shares[expert, action], LEAST))
            mean += tables.logs[expert, action] / count
        for action in range(count):
            tables.logs[expert, action] -= mean
    return experts


@kernel("int64(RoundTables, int64, int64)", lean=True)
def mix_finals(tables: RoundTables, finals: int, row: int) -> int:
    """Mix the first *finals* predictions of the mixtures."""
    count = tables.their_count
    values = tables.predictions[row]
    values[:] = 0.0
    for final in range(finals):
        mean = 0.0
        for action in range(count):
            mean += log(max(tables.finals[final, action], LEAST)) / count
        for action in range(count):
            value = log(max(tables.finals[final, action], LEAST)) - mean
            values[action] += tables.final_weights[row, final] * value
    return make_shares(values)


@kernel("int64(RoundTables, int64, int64, int64)", lean=True)
def learn_finals(tables: RoundTables, finals: int, row: int, done: int) -> int:
    """Move the weights of the last mixture along the gradient."""
    count = tables.their_count
    for final in range(finals):
        mean, slope = 0.0, 0.0
        for action in range(count):
            mean += log(max(tables.finals[final, action], LEAST)) / count
        for action in range(count):
            missed = (1.0 if action == done else 0.0) - tables.predictions[row, action]
            slope += missed * (log(max(tables.finals[final, action], LEAST)) - mean)
        tables.final_weights[row, final] += FINAL_RATE * slope
    return finals


@kernel("int64(RoundTables, int64)", lean=True)
def choose_sets(tables: RoundTables, played: int) -> int:
    """Choose the weights of each mixture by the last round."""
    tables.sets[:] = 0
    if played == 0:
        return 0
    mine, theirs = tables.mine[played - 1], tables.theirs[played - 1]
    turn = tables.their_norms[theirs]
    outcome = tables.mine_turns[turn, mine] * tables.their_count + tables.their_turns[turn, theirs]
    tables.sets[2], tables.sets[3] = outcome % SETS, theirs % SETS
    return played


@kernel(TABLES, lean=True)
def predict_other(tables: RoundTables, played: int) -> int:
    """Write what the other will do in the round *played*; return the likeliest action."""
    experts, count = predict_by_experts(tables, played), tables.their_count
    write_logs(tables, experts)
    choose_sets(tables, played)
    for mixer in range(MIXERS):
        values = tables.finals[mixer]
        values[:] = 0.0
        weights = tables.weights[mixer, tables.sets[mixer]]
        for expert in range(experts):
            for action in range(count):
                values[action] += weights[expert] * tables.logs[expert, action]
        make_shares(values)
    for mixture in range(BAYES):
        for action in range(count):
            share = 0.0
            for expert in range(experts):
                share += tables.beliefs[mixture, expert] * tables.shares[expert, action]
            tables.finals[MIXERS + mixture, action] = share
    mix_finals(tables, MIXERS + BAYES, 0)
    top = likeliest(tables.predictions[0])
    tables.final_top[0] = top
    turn = tables.their_norms[top]
    row, total = tables.their_turns[turn, top], FINAL_PRIOR
    for action in range(count):
        total += tables.final_replies[row, action]
    for action in range(count):
        seen = tables.final_replies[row, tables.their_turns[turn, action]]
        tables.finals[MIXERS + BAYES, action] = (seen + FINAL_PRIOR / count) / total
    mix_finals(tables, MIXERS + BAYES + 1, 1)
    return likeliest(tables.predictions[1])


@kernel("int64(RoundTables, int64, int64, int64)", lean=True)
def learn_round(tables: RoundTables, played: int, mine: int, theirs: int) -> int:
    """Learn from the round *played*, which was predicted before."""
    experts, count = len(tables.shares), tables.their_count
    tables.mine[played], tables.theirs[played] = mine, theirs
    for mixer in range(MIXERS):
        weights = tables.weights[mixer, tables.sets[mixer]]
        for expert in range(experts):
            slope = tables.logs[expert, theirs]
            for action in range(count):
                slope -= tables.finals[mixer, action] * tables.logs[expert, action]
            weights[expert] += RATES[mixer] * slope
    for mixture in range(BAYES):
        total = 0.0
        for expert in range(experts):
            belief = tables.beliefs[mixture, expert]
            if FADING[mixture] != 1.0:
                belief = belief ** FADING[mixture]
            tables.beliefs[mixture, expert] = belief * tables.shares[expert, theirs]
            total += tables.beliefs[mixture, expert]
        for expert in range(experts):
            tables.beliefs[mixture, expert] *= (1.0 - SHARE) / total
            tables.beliefs[mixture, expert] += SHARE / experts
    learn_finals(tables, MIXERS + BAYES, 0, theirs)
    learn_finals(tables, MIXERS + BAYES + 1, 1, theirs)
    learn_reply(tables, tables.final_replies, tables.final_top[0], True, FINAL_MEMORY, theirs)
    return learn_experts(tables, played)
