"""The figures of a report as PNG, SVG and PDF."""

from boostbench.report.document.report import Report
from boostbench.report.names import ERRORS, FIGURE, FIGURE_KINDS, MAIN, MEANS, RANKS, file_stem
from boostbench.report.render.formats import Renderer, register


class _Figures(Renderer):
    """Three files of each figure of a report."""

    def file_names(self, experiment: str) -> list[str]:
        stem = file_stem(experiment)
        stems = dict.fromkeys([MAIN, MEANS, RANKS, stem, f"{stem}{ERRORS}"])
        return [f"{stem}.{kind}" for stem in stems for kind in FIGURE_KINDS]

    def files(self, report: Report) -> dict[str, bytes]:
        files: dict[str, bytes] = {}
        for drawing in report.figures:
            files |= {f"{drawing.stem}.{kind}": own for kind, own in drawing.files().items()}
        return files


register(_Figures(FIGURE))
