"""A report as text and tables without a format, which the renderers write.

``table`` is such a table, ``columns`` are what is shown of each cell, and ``cell_items`` how.
``main_tables``, ``printed_tables`` (of the paper), ``claim_tables``, ``comparisons``, ``listings``,
``input_notes`` and ``provenance`` are the contents; ``answer`` says what was run and the result;
``report`` has all of it in order. ``for_paper`` is a table for a paper of one's own.
"""
