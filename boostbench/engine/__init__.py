"""Runs trials in worker processes that may do anything without harm to the rest."""
