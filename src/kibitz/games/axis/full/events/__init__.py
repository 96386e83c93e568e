"""Events of map files: what changes under way when conditions are met, and what objectives earn."""
