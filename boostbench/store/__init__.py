"""Where outcomes are kept: one SQLite file per results folder, with one writer."""
