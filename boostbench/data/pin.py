"""Print the fingerprints that belong on a card: ``python -m boostbench.data.pin NAME [MIRROR]``.

For the people who add a data set: what is printed is pasted to the end of the card, or of the
variant for ``NAME:VARIANT``.
"""

import sys

from boostbench.data.access import default_access
from boostbench.data.arrays import column_fingerprint
from boostbench.data.cards import load_card
from boostbench.data.loading import load_from_card
from boostbench.errors import BoostbenchError

MAX_PINNED_COLUMNS = 64


def pins(name: str, mirror: str | None = None) -> dict[str, object]:
    """Return ``fingerprint``, and ``column_fingerprints`` of up to 64 features and the target.

    :raises DataError: if the data are unavailable
    """
    card = load_card(name)
    # What is pinned already must not keep changed data from being looked at.
    card = card.model_copy(update={"fingerprint": "", "column_fingerprints": {}})
    dataset = load_from_card(card, default_access(mirror, offline=mirror is not None))
    found: dict[str, object] = {"fingerprint": dataset.fingerprint}
    if len(dataset.feature_names) <= MAX_PINNED_COLUMNS:
        columns = zip(dataset.feature_names, dataset.X.T, strict=True)
        found["column_fingerprints"] = {
            **{column: column_fingerprint(values) for column, values in columns},
            dataset.target: column_fingerprint(dataset.y),
        }
    return found


def main(arguments: list[str]) -> int:
    """Print the pins as YAML; return the exit code."""
    import yaml

    if not arguments:
        sys.stderr.write("usage: python -m boostbench.data.pin NAME [MIRROR]\n")
        return 2
    try:
        found = pins(arguments[0], arguments[1] if len(arguments) > 1 else None)
    except BoostbenchError as error:
        sys.stderr.write(f"{error}\n")
        return error.exit_code
    sys.stdout.write(yaml.safe_dump(found, sort_keys=False))
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
