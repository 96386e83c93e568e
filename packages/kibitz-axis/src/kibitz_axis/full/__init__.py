"""The whole game of Axis & Allies Revised: sea, air, economy, research and raids, beside the land scenarios."""
