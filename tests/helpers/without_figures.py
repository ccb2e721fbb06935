"""The command line in a process of its own that draws no figures, which takes seconds.

It is called as ``python -P without_figures.py run tiny.yaml``.
"""

from boostbench.cli.app import main
from boostbench.report.figures.files import Drawing
from boostbench.report.names import FIGURE_KINDS
from boostbench.report.page import html

if __name__ == "__main__":
    Drawing.files = lambda _: dict.fromkeys(FIGURE_KINDS, b"not drawn")  # type: ignore[method-assign]
    html._chart = html._panel = lambda _: "not drawn"  # type: ignore[assignment]
    main()
