"""The opponent model `dbn`, a dynamic Bayesian network (Pedersen 2008): parameters, training data, training, model."""
