"""`strategy_filter` over many matches of a repeated game at once, where every hypothesis is a table of states.

The kernel does what `StrategyFilter`, `Stranger`, `SequenceLearner` and `Trust` do for one player of such a game, in
the same order, and is their twin: beliefs and predictions are equal but for rounding.
"""

from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kibitz.core.abilities.round_tables import RoundTable
from kibitz.core.kernels import kernel
from kibitz.models.strangers import mixers, sequences, stranger, trust
from kibitz.models.strategy_filter import StrategyFilter

LONGEST, SHORTER = sequences.ORDER, 2
"""The longest contexts of own actions, and of the other's or of both."""
CHAINS = len(sequences.CHAINS)
COUNTED = 6
"""Where in a row of the memory its counts end at the latest; then come the unit, the trust, and whether it is used."""
MOST_ACTIONS, MOST_ROUNDS = 4, 1000
ERRING, KEPT = np.array(mixers.ERRORS), 1.0 - np.array(mixers.ERRORS)
SWITCHING = np.array(mixers.SWITCHES)
COIN, ERR, MIX, SWITCH, SEQUENCE = range(5)
LEARNERS = [mixers.Coin, mixers.Erring, mixers.Mixer, mixers.Switcher, sequences.SequenceLearner]
"""The learners of a stranger that the kernel knows, in this order."""
MEMORIES = np.array([chain.memory for chain in sequences.CHAINS])
FADING = 0.85
CHANCE_RELEASED, LEAST_TRUST, LARGEST_UNIT = trust.RELEASED, sequences.LEAST_TRUST, sequences.LARGEST_UNIT
LEARNER_SHARE, CHAIN_SHARE, COUNT_PRIOR = stranger.SHARE, sequences.SHARE, sequences.PRIOR
CONCENTRATION = mixers.CONCENTRATION


class SupposedTables(NamedTuple):
    """The strategies of one seat, one after another, and how the filter weighs them."""

    starts: Annotated[NDArray[np.int64], "int64[::1]"]
    policies: Annotated[NDArray[np.float64], "float64[:, ::1]"]
    """For each state the probability of each action."""
    nexts: Annotated[NDArray[np.int64], "int64[:, :, ::1]"]
    prior: Annotated[NDArray[np.float64], "float64[::1]"]
    """That of the strategies and, last, of a stranger."""
    learners: Annotated[NDArray[np.float64], "float64[::1]"]
    """The prior of the stranger's learners: coin, erring, mixer, switcher, sequence."""
    noise: float
    drift: float
    temper: float
    caution: float
    chance: float
    """The weight of chance in predictions before the first choice."""


def supposed_tables(
    tables: list[RoundTable], prior: list[float], learners: list[float], **weights: float
) -> SupposedTables:
    """Tables of one seat for the kernel."""
    sizes = [len(table.plays) for table in tables]
    starts = np.cumsum([0, *sizes[:-1]], dtype=np.int64)
    policies, nexts = [], []
    for start, table in zip(starts, tables, strict=True):
        certain = np.eye(table.shares.shape[1])
        policies += [certain[play] if play >= 0 else row for play, row in zip(table.plays, table.shares, strict=True)]
        nexts.append(table.nexts + start)
    return SupposedTables(
        starts,
        np.ascontiguousarray(policies, np.float64),
        np.ascontiguousarray(np.concatenate(nexts), np.int64),
        np.array(prior),
        np.array(learners) / sum(learners),
        **weights,
    )


def round_tables_of(model: StrategyFilter, player: int) -> SupposedTables | None:
    """What a filter that has begun supposes of *player*, for the kernel; None if it cannot be put so."""
    game, held = model.game, model.possible[0]
    strange = held.strangers[player]
    tables = [each.compiled_policy(game, player) for each in model.asked]
    if type(model) is not StrategyFilter or model.secrets or not tables or len(set(model.labels)) < len(model.labels):
        return None
    if [type(each) for each in strange.learners] != LEARNERS:
        return None
    if not all(isinstance(each, RoundTable) and each.shares.shape[1] <= MOST_ACTIONS for each in tables):
        return None
    legal = game.new_initial_state().legal_actions(player)
    kinds = set(sequences.kinds_of(game.new_initial_state(), player, legal).values())
    if 1 < len(kinds) < len(legal) or tables[0].nexts.shape[2] > MOST_ACTIONS:
        return None
    return supposed_tables(
        tables,
        list(model.prior),
        list(strange.prior),
        noise=model.noise,
        drift=model.drift,
        temper=model.temper,
        caution=model.caution,
        chance=model.trust[player].chance,
    )


@kernel("int64(int64[::1], int64[::1], int64, int64, int64, int64, int64[:, ::1])")
def write_contexts(
    own: NDArray[np.int64],
    other: NDArray[np.int64],
    now: int,
    actions: int,
    replies: int,
    chains: int,
    contexts: NDArray[np.int64],
) -> int:
    """Write the row of the memory of each context of each chain before round *now*, -1 behind the last; twin of
    `SequenceLearner.contexts`. Returns how many rows there are."""
    row = 2  # the first two are the empty context, with and without forgetting
    for chain in range(chains):
        pairs = chain == 2 or chain == 5
        base = actions * replies if pairs else replies if chain == 1 else actions
        longest = LONGEST if chain == 0 or chain == 4 else SHORTER
        for place in range(contexts.shape[1]):
            contexts[chain, place] = -1
        if chain == 3:  # what they see is new in every round, but for the number of actions
            contexts[chain, 0] = row
            row += 1
            continue
        code, size = 0, 1
        for length in range(1, longest + 1):
            if length <= now:
                past = now - length
                symbol = own[past] * replies + other[past] if pairs else other[past] if chain == 1 else own[past]
                code += symbol * size
                contexts[chain, length - 1] = row + code
            size *= base
            row += size
    return row


@kernel("float64(float64[:, ::1], int64, int64, int64, float64, float64)")
def count_choice(memory: NDArray[np.float64], row: int, actions: int, action: int, share: float, fades: float) -> float:
    """Count a choice in one context; return its probability. Twin of `SequenceLearner.count_in` and `Counts.add`."""
    here = memory[row]
    if here[COUNTED + 2] == 0.0:
        here[:COUNTED] = 0.0
        here[COUNTED], here[COUNTED + 1], here[COUNTED + 2] = 1.0, 0.5, 1.0
    else:
        weight = COUNT_PRIOR * here[COUNTED]
        total = weight
        for each in range(actions):
            total += here[each]
        own = (here[action] + weight * share) / total
        mixed = here[COUNTED + 1] * own + (1.0 - here[COUNTED + 1]) * share
        here[COUNTED + 1] = min(max(here[COUNTED + 1] * own / mixed, LEAST_TRUST), 1.0 - LEAST_TRUST)
        share = mixed
    here[action] += here[COUNTED]
    here[COUNTED] /= fades
    if here[COUNTED] > LARGEST_UNIT:
        here[:COUNTED] /= here[COUNTED]
        here[COUNTED] = 1.0
    return share


@kernel("void(float64[:, ::1], int64, int64, float64[::1])")
def refine_estimates(memory: NDArray[np.float64], row: int, actions: int, shares: NDArray[np.float64]) -> None:
    """Estimates of the shorter context, refined by one context. Twin of `SequenceLearner.estimates`."""
    here = memory[row]
    if here[COUNTED + 2] == 0.0:
        return
    weight, held = COUNT_PRIOR * here[COUNTED], here[COUNTED + 1]
    total = weight
    for action in range(actions):
        total += here[action]
    kept, lift = 1.0 - held + held * weight / total, held / total
    for action in range(actions):
        shares[action] = kept * shares[action] + lift * here[action]


@kernel("void(SupposedTables, int64[:, ::1], int64[:, ::1], float64[:, :, ::1], float64[:, :, ::1])")
def filter_matches(
    known: SupposedTables,
    owns: NDArray[np.int64],
    others: NDArray[np.int64],
    beliefs: NDArray[np.float64],
    predictions: NDArray[np.float64],
) -> None:
    """Watch one player in every match: write the belief before each round and at the end, and each prediction.

    *owns* and *others* are the actions of the player and of the other, by match and round.
    """
    count, actions, replies = len(known.starts), known.policies.shape[1], known.nexts.shape[2]
    rounds = owns.shape[1]
    contexts = np.empty((CHAINS, LONGEST), np.int64)
    rows = write_contexts(owns[0], others[0], 0, actions, replies, CHAINS, contexts)
    memory = np.zeros((rows, COUNTED + 3))
    states = np.empty(count, np.int64)
    posterior, before = np.empty(count + 1), np.empty(count + 1)
    likely = np.empty(count + 1)  # of the choice, by each strategy, and last by chance
    learners, weighed = np.empty(5), np.empty(5)
    chains, chosen = np.empty(CHAINS), np.empty(CHAINS)
    erring, switching = np.empty((len(ERRING), count)), np.empty((len(SWITCHING), count + 1))
    mixing, policy_shares = np.empty(count + 1), np.empty(count + 1)
    shares, mixed, roots = np.empty(actions), np.empty(actions), np.empty((2, actions))
    even = 1.0 / actions
    for match in range(len(owns)):
        own, other = owns[match], others[match]
        memory[:, COUNTED + 2] = 0.0
        states[:] = known.starts
        posterior[:], learners[:] = known.prior, known.learners
        chains[:] = 1.0 / CHAINS
        erring[:], mixing[:] = 1.0 / max(erring.size, 1), CONCENTRATION / (count + 1)
        switching[:] = 1.0 / switching.size
        chance = known.chance
        for now in range(rounds):
            whole = posterior.sum()
            for each in range(count + 1):
                beliefs[match, now, each] = posterior[each] / whole
                before[each] = (1.0 - known.drift) * posterior[each] + known.drift * known.prior[each]
            write_contexts(own, other, now, actions, replies, CHAINS, contexts)
            weighed[:] = (1.0 - LEARNER_SHARE) * learners + LEARNER_SHARE * known.learners
            # 1. The share of each policy, and of chance, in what a stranger would do.
            policy_shares[:] = 0.0
            policy_shares[count] += weighed[COIN]
            for rate in range(len(ERRING)):
                for each in range(count):
                    policy_shares[each] += weighed[ERR] * KEPT[rate] * erring[rate, each]
                    policy_shares[count] += weighed[ERR] * ERRING[rate] * erring[rate, each]
            total = mixing.sum()
            for each in range(count + 1):
                policy_shares[each] += weighed[MIX] * mixing[each] / total
            for rate in range(len(SWITCHING)):
                level = switching[rate].sum() / (count + 1)
                for each in range(count + 1):
                    switching[rate, each] += SWITCHING[rate] * (level - switching[rate, each])
                    policy_shares[each] += weighed[SWITCH] * switching[rate, each]
            # 2. What the sequence learner expects.
            for fading in range(2):
                roots[fading] = even
                refine_estimates(memory, fading, actions, roots[fading])
            mixed[:] = 0.0
            for chain in range(CHAINS):
                shares[:] = roots[1 if MEMORIES[chain] < 1.0 else 0]
                for place in range(LONGEST):
                    if contexts[chain, place] >= 0:
                        refine_estimates(memory, contexts[chain, place], actions, shares)
                weight = (1.0 - CHAIN_SHARE) * chains[chain] + CHAIN_SHARE / CHAINS
                for action in range(actions):
                    mixed[action] += weight * shares[action]
            # 3. The prediction: strategies with their slips, a stranger with more caution, and chance.
            steady = before[:count].sum()
            total = 0.0
            for action in range(actions):
                strange = weighed[SEQUENCE] * mixed[action] + policy_shares[count] * even
                found = known.noise * steady * even
                for each in range(count):
                    share = known.policies[states[each], action]
                    found += (1.0 - known.noise) * before[each] * share
                    strange += policy_shares[each] * share
                shares[action] = found + known.caution * before[count] * strange
                total += shares[action]
            kept = (1.0 - CHANCE_RELEASED) * chance
            for action in range(actions):
                predictions[match, now, action] = (1.0 - kept) * shares[action] / total + kept * even
            # 4. The player chooses: every part of the stranger learns, then the filter.
            action = own[now]
            for each in range(count):
                likely[each] = known.policies[states[each], action]
            likely[count] = even
            weighed[COIN] *= even
            total = 0.0
            for rate in range(len(ERRING)):
                for each in range(count):
                    erring[rate, each] *= KEPT[rate] * likely[each] + ERRING[rate] * even
                    total += erring[rate, each]
            if total > 0.0:
                erring /= total
            weighed[ERR] *= total
            total, spread = 0.0, mixing.sum()
            for each in range(count + 1):
                total += mixing[each] / spread * likely[each]
            if total > 0.0:
                for each in range(count + 1):
                    mixing[each] += mixing[each] / spread * likely[each] / total
            weighed[MIX] *= total
            total = 0.0
            for rate in range(len(SWITCHING)):
                for each in range(count + 1):
                    switching[rate, each] *= likely[each]
                    total += switching[rate, each]
            if total > 0.0:
                switching /= total
            weighed[SWITCH] *= total
            root = count_choice(memory, 0, actions, action, even, 1.0)
            faded = count_choice(memory, 1, actions, action, even, FADING)
            total = 0.0
            for chain in range(CHAINS):
                share = faded if MEMORIES[chain] < 1.0 else root
                for place in range(LONGEST):
                    if contexts[chain, place] >= 0:
                        share = count_choice(memory, contexts[chain, place], actions, action, share, MEMORIES[chain])
                weight = (1.0 - CHAIN_SHARE) * chains[chain] + CHAIN_SHARE / CHAINS
                chosen[chain] = weight * share
                total += chosen[chain]
            if total > 0.0:
                chains[:] = chosen / total
            weighed[SEQUENCE] *= total
            strange = weighed.sum()
            if strange > 0.0:
                learners[:] = weighed / strange
            # 5. Bayes' rule over the strategies and the stranger; then trust in the prediction.
            given = total = 0.0
            for each in range(count + 1):
                share = strange
                if each < count:
                    share = (1.0 - known.noise) * likely[each] + known.noise * even
                given += before[each] * share
                posterior[each] = before[each] * share**known.temper
                total += posterior[each]
            given += (known.caution - 1.0) * before[count] * strange
            posterior[:] = posterior / total if total > 0.0 else before
            if chance > 0.0:
                whole = steady + known.caution * before[count]
                level = kept * even
                chance = level / (level + (1.0 - kept) * given / whole)
            for each in range(count):
                states[each] = known.nexts[states[each], action, other[now]]
        whole = posterior.sum()
        for each in range(count + 1):
            beliefs[match, rounds, each] = posterior[each] / whole
