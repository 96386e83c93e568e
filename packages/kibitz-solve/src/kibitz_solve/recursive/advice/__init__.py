"""What to do with a solved recursive game: lowered expectations, fastest wins, restricted responses, pictures."""
