"""The arithmetic of the choice learner, compiled: shares of actions under uncertain weights, and one Newton step.

Arrays of actions have a row per action and a column per feature; those of weights come once per prior.
"""

import numpy as np
from numpy.typing import NDArray

from kibitz.core.kernels import kernel

Floats = NDArray[np.float64]

STANDARDISE = "int64(float64[:, ::1], float64[::1], float64[::1], float64[:, ::1], float64[::1])"
SHARES = "int64(float64[:, ::1], float64[:, ::1], float64[:, :, ::1], float64[:, ::1], float64[:, ::1])"
UPDATE = "int64(float64[:, ::1], int64, float64[:, ::1], float64[:, ::1], float64[:, :, ::1], float64[:, :, ::1])"


@kernel(STANDARDISE)
def standardise(numbers: Floats, spread: Floats, varied: Floats, apart: Floats, size: Floats) -> int:
    """Write how far each number is *apart* from the mean action, in the usual differences so far.

    *size* is the mean distance of each feature here; *spread* is the sum of those before, at *varied* choices.
    """
    actions, features = numbers.shape
    for feature in range(features):
        mean = 0.0
        for action in range(actions):
            mean += numbers[action, feature]
        mean /= actions
        size[feature] = 0.0
        for action in range(actions):
            apart[action, feature] = numbers[action, feature] - mean
            size[feature] += abs(apart[action, feature]) / actions
        usual = (spread[feature] + size[feature]) / max(varied[feature] + (1.0 if size[feature] > 0.0 else 0.0), 1.0)
        if usual > 0.0:
            for action in range(actions):
                apart[action, feature] /= usual
    return len(apart)


@kernel(SHARES)
def weigh_actions(apart: Floats, means: Floats, covariances: Floats, plain: Floats, shares: Floats) -> int:
    """Write the softmax of each action by the mean weights, and with allowance for their uncertainty (MacKay 1992)."""
    actions, features = apart.shape
    for prior in range(means.shape[0]):
        for action in range(actions):
            value = 0.0
            for feature in range(features):
                value += apart[action, feature] * means[prior, feature]
            shares[prior, action] = value
        most = shares[prior].max()
        total = 0.0
        for action in range(actions):
            plain[prior, action] = np.exp(shares[prior, action] - most)
            total += plain[prior, action]
        for action in range(actions):
            plain[prior, action] /= total
        doubt = 0.0
        centre = np.zeros(features)
        for action in range(actions):
            for feature in range(features):
                centre[feature] += plain[prior, action] * apart[action, feature]
        for action in range(actions):
            variance = 0.0
            for one in range(features):
                left = apart[action, one] - centre[one]
                for other in range(features):
                    variance += left * covariances[prior, one, other] * (apart[action, other] - centre[other])
            doubt += plain[prior, action] * variance
        damping = np.sqrt(1.0 + np.pi / 8.0 * doubt)
        total = 0.0
        for action in range(actions):
            shares[prior, action] = np.exp((shares[prior, action] - most) / damping)
            total += shares[prior, action]
        for action in range(actions):
            shares[prior, action] /= total
    return len(apart)


@kernel(UPDATE)
def learn_weights(
    apart: Floats, chosen: int, plain: Floats, means: Floats, precisions: Floats, covariances: Floats
) -> int:
    """Add the curvature of a choice to the precisions, and move the means by one Newton step, all in place."""
    actions, features = apart.shape
    for prior in range(means.shape[0]):
        centre = np.zeros(features)
        for action in range(actions):
            for feature in range(features):
                centre[feature] += plain[prior, action] * apart[action, feature]
        for action in range(actions):
            for one in range(features):
                left = plain[prior, action] * (apart[action, one] - centre[one])
                for other in range(features):
                    precisions[prior, one, other] += left * (apart[action, other] - centre[other])
        covariances[prior] = np.linalg.inv(precisions[prior])
        for one in range(features):
            step = 0.0
            for other in range(features):
                step += covariances[prior, one, other] * (apart[chosen, other] - centre[other])
            means[prior, one] += step
    return len(apart)
