"""What ``boostbench list`` says of data sets, methods, experiments and papers."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from boostbench.values import Record

if TYPE_CHECKING:
    from boostbench.data.cards import Card
    from boostbench.papers import Paper

OF_DATASETS = ["n_samples", "n_features", "task", "title"]
OF_METHODS = ["description"]
OF_CONFIGS = ["n_trials", "title"]
OF_PAPERS = ["authors", "claims", "conditions", "tables", "title"]
"""The columns in which each kind is shown."""


def fields_of(thing: object, *names: str) -> Record:
    """Return these attributes of an object by name."""
    return {name: getattr(thing, name) for name in names}


@dataclass(frozen=True)
class Listing:
    """Names, what is known of each, and the columns in which that is shown."""

    names: list[str]
    describe: Callable[[str], Record]
    columns: list[str]


def of_card(name: str, card: "Card") -> Record:
    """Return what is known of the data set on a card."""
    from boostbench.data.cards import places

    variants = [f"{name}:{key}" for key in card.variants]
    known = fields_of(card, "title", "task", "n_samples", "n_features", "licence")
    return {**known, "sources": places(card), "variants": variants}


def of_paper(paper: "Paper") -> Record:
    """Return what is known of a paper."""
    from boostbench.papers.claims import read_claims

    return {
        **fields_of(paper, "title", "authors", "metric"),
        "tables": list(paper.tables_and_figures),
        "conditions": [name for name, values in paper.printed_values.items() if values],
        "datasets": len(paper.datasets),
        "claims": len(read_claims(paper)),
        "folder": str(paper.folder),
    }
