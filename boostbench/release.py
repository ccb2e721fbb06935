"""Which boostbench this is: the exact version, and the release that results are recorded with.

The version follows from git when boostbench is installed: 0.2.0 at the tag v0.2.0, and
0.2.0.post1.dev3+g1a2b3c4 three commits later. What changes a result between releases is the version
of a method, so that results name the release only, and no commit makes them look changed.
"""

import re
from functools import cache
from importlib import metadata

_UNKNOWN = "0.0"
"""The version where no tag is known, such as in a copy without git's history."""
_SINCE_RELEASE = re.compile(r"(\.post\d+)?(\.dev\d+)?(\+.*)?$")


@cache
def installed() -> str:
    """Return the exact version of boostbench, 0.0 where it is not installed."""
    try:
        return metadata.version("boostbench")
    except metadata.PackageNotFoundError:
        return _UNKNOWN


def of_version(version: str) -> str:
    """Return the release that a version is, or that it follows; "" where none is known."""
    found = _SINCE_RELEASE.sub("", version, count=1)
    return "" if found == _UNKNOWN else found


def installed_release() -> str:
    """Return the release that is installed, or that the installed commit follows, else ""."""
    return of_version(installed())
