"""Bots: programs in any language that play by lines of JSON. The protocol is docs/protocol.md."""
