"""What tests and benchmarks of models share."""
