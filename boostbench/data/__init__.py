"""Data sets: cards, loaders, fingerprints, folds and scaling."""
