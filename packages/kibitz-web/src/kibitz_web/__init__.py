"""The web app: play, watch, replay, and see the models' beliefs. It knows games by name only."""

from kibitz.plugins import NamedCommand, Plugin

plugin = Plugin(
    commands={
        "serve": NamedCommand(
            "Play, watch and replay in a browser, and let programs join. Ctrl-C stops the server.",
            "kibitz_web.cli.serve:ServeCommand",
            "Play and watch",
        ),
        "invite": NamedCommand(
            "Make links with which people sign in. A link works once, is shown once and never stored.",
            "kibitz_web.cli.invite:InviteCommand",
            "Other programs",
        ),
        "token": NamedCommand(
            "Make, revoke or list the tokens with which programs log in. A token is shown once and never stored.",
            "kibitz_web.cli.access:TokenCommand",
            "Other programs",
        ),
    },
)
