"""What the site does with pages that were written for a clone, such as those of kept results."""

from docutils import nodes
from pygments.lexers.special import TextLexer
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

MOST_ROWS = 40


class FoldLongTables(SphinxPostTransform):
    """Puts each table of more than MOST_ROWS rows behind a line that opens it."""

    default_priority = 900
    formats = ("html",)

    def run(self, **_: object) -> None:
        """Fold the tables of one page."""
        for table in list(self.document.findall(nodes.table)):
            rows = sum(len(body.children) for body in table.findall(nodes.tbody))
            if rows > MOST_ROWS:
                opening = f"<details><summary>Show all {rows} rows</summary>"
                around = [_html(opening), table.deepcopy(), _html("</details>")]
                table.replace_self(around)


def _html(text: str) -> nodes.raw:
    return nodes.raw("", text, format="html")


def _leave_out_of_menus(app: Sphinx, _doctree: nodes.document) -> None:
    """Say of README and the pages of results that links lead to them, and no menu."""
    name = app.env.docname
    if name.startswith("results/") or name == "README":
        app.env.metadata[name].setdefault("orphan", "")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register what this extension does."""
    app.add_lexer("csv", TextLexer)
    app.add_post_transform(FoldLongTables)
    app.connect("doctree-read", _leave_out_of_menus)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
