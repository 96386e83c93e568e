"""What a strong player, a search or a solver says about a position, and the dialogs that show it."""
