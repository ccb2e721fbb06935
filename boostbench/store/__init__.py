"""Where outcomes are kept: one SQLite file a results folder, with one writer."""
