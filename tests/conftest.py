"""What holds for all tests."""

import os


def pytest_xdist_auto_num_workers() -> int:
    """Start one worker more than there are processors: many tests wait for others to end."""
    given = os.environ.get("PYTEST_XDIST_AUTO_NUM_WORKERS")
    count = getattr(os, "process_cpu_count", os.cpu_count)
    return int(given) if given else (count() or 1) + 1
