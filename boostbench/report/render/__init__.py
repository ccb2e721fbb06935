"""Renderers of a report for each format, which compute nothing."""
