"""How long something takes, in words."""


def minutes_words(minutes: int) -> str:
    """A number of minutes in words.

    >>> minutes_words(240), minutes_words(1)
    ('4 hours', '1 minute')
    """
    if minutes >= 90:
        return f"{minutes / 60:.2g} hours"
    return f"{minutes} minute{'' if minutes == 1 else 's'}"
