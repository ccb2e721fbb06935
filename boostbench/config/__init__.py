"""Experiment files: YAML in, a typed :class:`~boostbench.config.model.Experiment` out."""
