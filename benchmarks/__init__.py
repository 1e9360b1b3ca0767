"""Measurements of cardtable, beside other libraries in the same run. README.md says how to read them."""
