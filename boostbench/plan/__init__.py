"""From an experiment to an ordered list of trials."""
