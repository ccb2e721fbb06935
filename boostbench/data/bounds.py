"""How large a file or a table may be before it is refused, and how long a download may take."""

from rich.filesize import decimal

from boostbench.errors import DataError

# Downloads go to the disk; a part of GTSRB on OpenML has more than 1 GiB.
MAX_DOWNLOAD_BYTES = 4 << 30
MAX_UNPACKED_BYTES = 1 << 30
# GTSRB has 51,839 rows of 6,052 features.
MAX_CELLS = 400_000_000
MAX_LEVELS = 1_000

CONNECT_TIMEOUT_S = 5.0
PROBE_TIMEOUT_S = 5.0
READ_TIMEOUT_S = 60.0
DOWNLOAD_DEADLINE_S = 1800.0


def check_size(n_bytes: int, where: str) -> None:
    """Raise DataError for a file that is larger than ``MAX_UNPACKED_BYTES``."""
    if n_bytes > MAX_UNPACKED_BYTES:
        raise DataError(f"{where} is larger than {decimal(MAX_UNPACKED_BYTES)} unpacked, the limit")
