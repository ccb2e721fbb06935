"""The report of classification experiments: test errors, learning curves, and their claims."""
