"""Reproduce, and extend, the benchmarks of MultiBoost-cw and of soft regression trees."""

__version__ = "0.1.0"
