"""The sentences of reports: plain text from known values, a module for each subject.

``introduction`` says what was run, ``findings`` the answer, ``beside_print`` how cells compare with
the paper's, ``variants`` what settings change, ``assertions`` what holds of a paper's claims,
``legends`` what tables show, ``captions`` what figures show, and ``guide`` how to read all of it.
``caveats`` are said in several places, ``elsewhere`` of runs that others made.

A function returns a sentence, or those of a paragraph or list. It computes no statistics and knows
no format, and its caller decides whether there is anything to say.
"""
