import pytest
from support import save_small


@pytest.fixture
def mark(tmp_path):
    """The fingerprint of a small data set saved in ``tmp_path / "arrays"``."""
    return save_small(tmp_path / "arrays")
