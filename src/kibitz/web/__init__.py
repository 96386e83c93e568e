"""The web app: play, watch, replay, and see what is believed of everybody. Games are reached by name only."""
