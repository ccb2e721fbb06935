"""Cards of a test's own in place of the shipped ones (see the fixture ``shelf``), and files."""

from pathlib import Path

import yaml

from boostbench.data import DataAccess, DataRequest, Dataset, load_dataset
from boostbench.data.table import Table


def put(shelf: Path, name: str, *addresses: str, together: bool = False) -> DataRequest:
    """Put a card on the shelf, each address a source of its own unless ``together``."""
    files = [list(addresses)] if together else [[address] for address in addresses]
    card = {
        "name": name, "title": name, "n_samples": 4, "n_features": 2, "target": "y",
        "columns": ["a", "b", "y"], "licence": "CC0", "citation": "none",
        "sources": [{"kind": "url", "files": [{"urls": urls}]} for urls in files],
    }  # fmt: skip
    (shelf / f"{name}.yaml").write_text(yaml.safe_dump(card))
    return DataRequest(name, card=name)


def sharing(folder: Path, **options: object) -> DataAccess:
    return DataAccess(folder, **options)  # type: ignore[arg-type]


def load(folder: Path, content: str | bytes, name: str = "my.csv", **options: object) -> Dataset:
    """Load a user's file with this content; its target is the last column unless given."""
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    request = DataRequest("mine", file=str(path), **{"target": -1, **options})  # type: ignore[arg-type]
    return load_dataset(request, DataAccess(folder / "cache", offline=True))


def values(table: Table) -> dict[str, list[object]]:
    return {name: list(table.frame[name]) for name in table.names}


def files_in(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def shipped_cards() -> Path:
    return Path(__file__).resolve().parents[2] / "datasets"
