"""Other libraries on our games, with the real libraries: each module is skipped where its own is not installed."""
