"""What a game is made of: record, actions, layout, options, editions, decks, saved states. No game lives here."""
