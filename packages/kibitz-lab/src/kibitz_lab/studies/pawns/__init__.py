"""The study of Pawns: repeats what Pedersen (2008) reports of asymmetric game trees, with intervals."""
