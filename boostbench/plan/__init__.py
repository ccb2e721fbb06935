"""From an experiment to its ordered trials."""
