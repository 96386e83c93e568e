"""Generated players to test models with: strangers, who follow none of the strategies that a model knows."""
