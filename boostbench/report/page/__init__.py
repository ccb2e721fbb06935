"""The page of a report as plain values, which the templates show.

``views`` are its kinds of parts, ``cell_cards``, ``numbers_view``, ``matrix_view`` and
``claims_view`` make some of them, and ``page`` puts them in order.
"""
