"""What the numbers say: beside print, of the best methods, and of the claims of a paper.

``on_print`` decides on one cell, ``winners`` who is best, ``ledger`` which claims hold, ``one_run``
which of these one run decides, ``choices`` what a setting changes, and ``calibrated`` how many
verdicts are probably wrong.
"""
