"""Tables, pages and figures: a pure function of the store and of the papers' published values."""
