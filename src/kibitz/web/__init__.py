"""The web app: play, watch, replay, and see the models' beliefs. It knows games by name only."""
