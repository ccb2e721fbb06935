"""Objects of Python as methods of experiments: what identifies them, and how they are stored."""
