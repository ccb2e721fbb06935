"""What the site does with pages that were written for a clone, such as those of kept results."""

from docutils import nodes
from pygments.lexers.special import TextLexer
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

MOST_ROWS = 40


class FoldLongParts(SphinxPostTransform):
    """Puts what is long behind a line that opens it.

    Of results these are all sections but the first, of other pages tables of more than MOST_ROWS.
    """

    default_priority = 900
    formats = ("html",)

    def run(self, **_: object) -> None:
        """Fold the parts of one page."""
        if self.env.docname.endswith("/archive/table"):
            (page,) = (each for each in self.document.children if isinstance(each, nodes.section))
            sections = [each for each in page.children if isinstance(each, nodes.section)]
            for section in sections[1:]:
                _fold_section(section)
            return
        for table in list(self.document.findall(nodes.table)):
            if _rows(table) > MOST_ROWS:
                table.replace_self(_folded([table.deepcopy()], _rows(table)))


def _fold_section(section: nodes.section) -> None:
    """Fold what is below the heading of a section."""
    title, *content = section.children
    rows = sum(map(_rows, section.findall(nodes.table)))
    section.children = []
    section.extend([title, *_folded(content, rows)])


def _folded(content: list[nodes.Node], rows: int) -> list[nodes.Node]:
    what = f"Show {rows} rows" if rows else "Show the text"
    opening = nodes.raw("", f"<details><summary>{what}</summary>", format="html")
    return [opening, *content, nodes.raw("", "</details>", format="html")]


def _rows(table: nodes.table) -> int:
    return sum(len(body.children) for body in table.findall(nodes.tbody))


def _leave_out_of_menus(app: Sphinx, _doctree: nodes.document) -> None:
    """Say of README and the pages of results that links lead to them, and no menu."""
    name = app.env.docname
    if name.startswith("results/") or name == "README":
        app.env.metadata[name].setdefault("orphan", "")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register what this extension does."""
    app.add_lexer("csv", TextLexer)
    app.add_post_transform(FoldLongParts)
    app.connect("doctree-read", _leave_out_of_menus)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
