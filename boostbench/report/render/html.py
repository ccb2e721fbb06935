"""The page of a report as one HTML file."""

from boostbench.report.document.report import Report
from boostbench.report.render.formats import Renderer, register


def _render(report: Report) -> str:
    # matplotlib takes half a second to import, which a report without a page need not.
    from boostbench.report.page.html import render
    from boostbench.report.page.page import make_page

    return render(make_page(report))


register(Renderer("html", ".html", _render))
