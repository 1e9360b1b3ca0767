"""What a player is and sees, and how it is found by name. No player lives here."""
