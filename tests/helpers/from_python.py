"""Experiments from Python in tests, and the commands on what they leave."""

import sys

import pytest
from unreported import without_report

import boostbench
from boostbench.cli.app import main


class Notes(boostbench.Listener):
    """Keeps the remarks of a run, and on its data sets."""

    def __init__(self):
        self.texts = []

    def note(self, text, level="info"):
        self.texts.append(text)

    def dataset_loaded(self, dataset):
        self.texts += dataset.remarks


def run(config=None, **keys):
    """Run an experiment of two folds and one seed, without a word and without its report."""
    with without_report():
        return reported_run(config, **keys)


def reported_run(config=None, **keys):
    """Run an experiment of two folds and one seed, without a word."""
    quiet = {"listener": boostbench.Listener(), "jobs": 1}
    folds = {} if "splits" in keys else {"folds": 2}
    return boostbench.run(config, **{**folds, "seeds": 1, **quiet, **keys})


def command(*words: str) -> int:
    """Run a command, and return its exit code."""
    # A command has a process of its own, in which no object has been loaded.
    for name in [name for name in sys.modules if name.startswith("saved_")]:
        del sys.modules[name]
    with pytest.raises(SystemExit) as ended:
        main(words)
    return ended.value.code or 0
