"""What goes wrong inside a trial."""


class TrialError(Exception):
    """A trial that cannot count, with the reason as one sentence."""
