"""The server: live matches (called tables), the lobby, REST and sockets, for bots and for the web app.

`api` is what programs call, `access` decides who may do what, `live` holds the matches, `workers` run agents and models
off the event loop, `operations` is for those who run it. `service` puts the parts together, `app` serves them.
"""
