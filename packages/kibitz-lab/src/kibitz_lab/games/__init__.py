"""Board games to try agents and models on."""
