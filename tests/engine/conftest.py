import sys
from pathlib import Path

import pytest

_HERE = str(Path(__file__).parent)
if _HERE not in sys.path:
    sys.path.insert(0, _HERE)

from support import save_small  # noqa: E402


@pytest.fixture
def mark(tmp_path):
    """The fingerprint of a small data set saved in ``tmp_path / "arrays"``."""
    return save_small(tmp_path / "arrays")
