"""The command line. Commands of other packages join by entry point."""
