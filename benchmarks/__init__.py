"""Measurements of cardtable, beside other libraries in the same run."""
