"""What a hostile server or file may hold, each tried in one process whose memory is limited.

Prints, as JSON, the sentence that each case ended with, and how far the memory grew in MiB.
"""

import gzip
import itertools
import json
import resource
import sys
import time
from pathlib import Path

from servers import LoopbackServer, zip_of

from boostbench.data import DataRequest, bounds, load_dataset
from boostbench.data.download import fetch
from boostbench.data.readers import parse_bytes
from boostbench.errors import DataError

MiB = 1 << 20
ALLOWED_MIB = 250


def drip():
    while True:
        time.sleep(0.02)
        yield b"1"


def attributes(n, kind=b"real"):
    return b"@relation r\n" + b"".join(b"@attribute a%d %s\n" % (i, kind) for i in range(n))


def nominal(rows, columns):
    texts = (b",".join(b"v%d" % (i + j) for j in range(columns)) for i in range(rows))
    body = b"\n".join(b"%s,%d" % (text, i) for i, text in enumerate(texts))
    return attributes(columns, b"string") + b"@attribute y real\n@data\n" + body


DOWNLOADS = {
    "endless": {"stream": lambda: itertools.repeat(bytes(1 << 16))},
    "drip": {"stream": drip},
    "gzip bomb on the way": {
        "body": gzip.compress(bytes(60 * MiB)),
        "headers": {"Content-Encoding": "gzip"},
    },
    "to a file": {"status": 302, "headers": {"Location": "file:///etc/passwd"}},
    "to itself": {"status": 302, "headers": {"Location": "/to-itself"}},
    "longer than it says": {"stream": lambda: [b"1" * 10], "headers": {"Content-Length": "7000"}},
    "a length in words": {"stream": lambda: [b"1,2"] * 9, "headers": {"Content-Length": "many"}},
}
CONTENTS = {
    "open braces": ("arff", lambda: b"@attribute a {" + b"'\\'" * MiB + b"\n@data\n1\n"),
    "open quotes": ("delimited", lambda: b"'\"" * (2 * MiB) + b"\n1\n"),
}
FILES = {
    "zip bomb": ("a.zip", lambda: zip_of({"a.csv": bytes(40 * MiB)})),
    "gzip bomb": ("a.csv.gz", lambda: gzip.compress(bytes(40 * MiB))),
    "gzip in zip": ("b.zip", lambda: zip_of({"b.gz": gzip.compress(bytes(40 * MiB))})),
    "levels": ("levels.arff", lambda: nominal(400, 60)),
}


def sentence(attempt):
    try:
        attempt()
    except DataError as error:
        return str(error)
    return "taken"


def peak_mib():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main(folder):
    bounds.MAX_DOWNLOAD_BYTES = bounds.MAX_UNPACKED_BYTES = 20 * MiB
    bounds.MAX_CELLS = 3_000_000
    bounds.DOWNLOAD_DEADLINE_S = 1.0
    found = {}
    contents = {name: (kind, make()) for name, (kind, make) in CONTENTS.items()}
    files = {name: (folder / file, make()) for name, (file, make) in FILES.items()}
    for path, content in files.values():
        path.write_bytes(content)
    before = peak_mib()
    with LoopbackServer() as server:
        access = server.access(folder / "cache", attempts=1)
        for name, options in DOWNLOADS.items():
            address = server.add("/" + name.replace(" ", "-"), options.pop("body", b""), **options)
            found[name] = sentence(lambda address=address: fetch(access, [address]))
    for name, (kind, content) in contents.items():
        found[name] = sentence(lambda kind=kind, content=content: parse_bytes(content, "w", kind))
    for name, (path, _) in files.items():
        request = DataRequest(
            name="d",
            file=str(path),
            target=-1,
            categorical=tuple(f"a{i}" for i in range(60)) if name == "levels" else (),
        )
        found[name] = sentence(lambda request=request: load_dataset(request, access))
    kept = sorted(path.name for path in (folder / "cache").rglob("*") if path.is_file())
    print(json.dumps({"found": found, "grown": peak_mib() - before, "kept": kept}))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
