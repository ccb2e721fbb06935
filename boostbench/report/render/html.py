"""The page of a report as one HTML file."""

from boostbench.report.document import provenance
from boostbench.report.render.formats import Renderer, Report, register


def _render(report: Report) -> str:
    # matplotlib takes half a second to import, which a report without a page need not.
    from boostbench.report.page.html import render
    from boostbench.report.page.page import make_page

    results, claims, text, _, elsewhere = report
    when = provenance.when(results.commands)
    return render(make_page(results, claims, text, when, elsewhere()))


register(Renderer("html", ".html", _render))
