"""The sentences of reports: plain text from known values, a module for each subject.

``introduction`` says what was run, ``findings`` the answer, ``verdicts`` how cells compare with
print, ``choices`` what settings change, ``claims`` what holds of a paper's claims, ``legends`` what
tables show, ``captions`` what figures show, and ``guide`` how to read all of it. ``caveats`` are
said in several places.

A function returns a sentence, or the sentences of a paragraph or list; it computes no statistics,
knows no format, and its caller decides whether there is anything to say.
"""
