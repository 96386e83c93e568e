"""What a recogniser can tell besides probabilities: explanations as trees, questions that decide, pictures."""
