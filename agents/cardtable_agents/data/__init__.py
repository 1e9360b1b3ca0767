"""Games between agents as tables: a row for each game and seat, and one for each decision."""
