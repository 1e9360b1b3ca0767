"""Hyperparameter sweeps, `cardtable train sweep FILE.toml`: `plan` reads the file, `running` trains, `results` compares."""
