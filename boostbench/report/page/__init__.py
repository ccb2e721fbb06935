"""The page of a report as plain values, which the templates show.

``parts`` are its kinds of parts, ``cell_cards``, ``numbers_view``, ``print_view`` and
``claims_view`` make some of them, and ``page`` puts them in order.
"""
