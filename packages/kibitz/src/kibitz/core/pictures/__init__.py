"""What drawings are made of and marked with: figures and maps, moves, and the picture of a position."""
