"""Models of Risk's players: which mission each of them holds."""
