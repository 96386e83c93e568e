"""One process that many play through: `tables` are live matches, whoever sits at them and whoever watches."""
