"""The tables of a paper's LaTeX source: read cell by cell, and made into a paper's folder."""
