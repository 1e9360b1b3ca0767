"""The table in a browser: `cardtable serve`. Needs the extra `web`."""
