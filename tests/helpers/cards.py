"""Cards of a test's own in place of the shipped ones."""

from pathlib import Path

import yaml

from boostbench.data import DataRequest
from boostbench.data.cards import Card, Catalog


def load_card(name: str) -> Card:
    """Return the card ``name`` as it is now, without any beside an experiment."""
    return Catalog().card(name)


def card_of(name: str = "toy", **changes: object) -> dict[str, object]:
    """Return the contents of a card of four rows of two features, with ``changes``."""
    return {
        "name": name,
        "title": name,
        "n_samples": 4,
        "n_features": 2,
        "target": "y",
        "licence": "CC0",
        "citation": "none",
        "sources": [],
        **changes,
    }


def put_card(shelf: Path, name: str = "toy", **changes: object) -> DataRequest:
    """Put a card into a folder of cards, also in place of one of its name; return its request."""
    card = card_of(name, **changes)
    (shelf / f"{name}.yaml").write_text(yaml.safe_dump(card))
    return DataRequest(name=name, card=name, task=str(card.get("task", "regression")))


def put(shelf: Path, name: str, *addresses: str) -> DataRequest:
    """Put a card of three columns on the shelf, each address a source of its own."""
    sources = [{"kind": "url", "files": [{"urls": [address]}]} for address in addresses]
    return put_card(shelf, name, columns=["a", "b", "y"], sources=sources)
