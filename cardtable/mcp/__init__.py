"""Games for language models, over the Model Context Protocol: `cardtable mcp` (extra `mcp`)."""
