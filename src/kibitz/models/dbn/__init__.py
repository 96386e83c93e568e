"""The dynamic Bayesian network of Pedersen (2008) as an opponent model: parameters, training data, training, model."""
