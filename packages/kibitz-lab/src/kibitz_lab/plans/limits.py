"""The limits of plan recognition: how much is computed or kept before something is dropped or refused.

Change one as an attribute of this module: every part reads it from here each time.
"""

ROOTS = 20
"""Default number of goals at a time."""
WAYS = 20_000
"""The most different ways from a node down to an action, or to expand what may be done now."""
KINDS = 200_000
"""The most sets of goals that may be waiting."""
BEGINNINGS = 4
"""Beginnings examined one by one, as a multiple of the beam; those of smaller weight are dropped at once."""
NEW_TREES = 20_000
"""Under a beam, no more forests are extended once one observation has led to more new trees than this."""
SPENT_TREES = 50_000
"""How many trees that are in no forest any more are kept, in case they come back."""
UNSEEN = 4
"""Of the forests of a stream, one in so many, the likeliest, may be extended by an unseen action."""
STREAM_TREES = 5_000
"""The same for a stream, which must not grow."""
HISTORIES = 20
"""Histories to examine per explanation wanted, if an explanation may have several."""
FEWEST_EXPLANATIONS = 50
"""Histories are examined as if at least so many explanations were wanted."""
LEGAL_ACTIONS = 500
"""The most legal actions of a game to translate one by one; if there are more, only the one played is."""
DRAWN_NODES = 2000
"""The most nodes in a picture; of a larger library, only the first goals are drawn."""
DRAWN_ROWS = 60
"""The most rows in the picture of a library; deeper plans are only named."""
