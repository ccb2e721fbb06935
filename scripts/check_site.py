"""Follow every link within a built site, without a network: python scripts/check_site.py FOLDER.

A link must lead to a file, and one with an anchor to an element of that name. Pages in folders that
begin with an underscore are not the site's own.
"""

import sys
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class _Page(HTMLParser):
    """The links of a page and the names that others may link to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collect the attributes that link, and those that are linked to."""
        for name, value in attrs:
            if name in ("href", "src") and value:
                self.links.append(value)
            if name == "id" or (name == "name" and tag == "a"):
                self.anchors.add(value or "")


@cache
def _read(path: Path) -> _Page:
    return _Page(path.read_text(encoding="utf-8"))


def broken_links(page: Path) -> Iterator[str]:
    """Yield the links of a page that lead nowhere."""
    for link in _read(page).links:
        parts = urlsplit(link)
        if parts.scheme or parts.netloc or link == "#":
            continue
        target = (page.parent / unquote(parts.path)) if parts.path else page
        target = target / "index.html" if target.is_dir() else target
        if not target.exists() or not _has_anchor(target, unquote(parts.fragment)):
            yield link


def _has_anchor(target: Path, name: str) -> bool:
    """Whether a link to ``name`` in the file leads somewhere; without a name it always does."""
    return not name or target.suffix != ".html" or name in _read(target.resolve()).anchors


def main(folder: Path) -> int:
    """Print the broken links of all pages below ``folder``, and return whether there are any."""
    root = folder.resolve()
    pages = [
        path
        for path in sorted(root.rglob("*.html"))
        if not any(part.startswith("_") for part in path.relative_to(root).parts)
    ]
    broken = [f"{page.relative_to(root)}: {link}" for page in pages for link in broken_links(page)]
    links = sum(len(_read(page).links) for page in pages)
    print(*broken, f"{len(pages)} pages, {links} links, {len(broken)} broken", sep="\n")
    return int(bool(broken) or not pages)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
