"""LaTeX in tests: whether it is there, with the packages that tables need."""

import shutil
import subprocess

import pytest


def _lacking(*packages: str) -> str:
    """Return what is not installed: pdflatex, or the packages that it does not find."""
    if shutil.which("pdflatex") is None or shutil.which("kpsewhich") is None:
        return "pdflatex"
    names = [f"{name}.sty" for name in packages]
    found = subprocess.run(["kpsewhich", *names], capture_output=True, text=True, check=False)
    return " and ".join(name for name in names if f"/{name}" not in found.stdout)


def needs_latex(*packages: str) -> pytest.MarkDecorator:
    """Skip a test where LaTeX, or one of its packages, is not installed."""
    lacking = _lacking(*packages)
    return pytest.mark.skipif(bool(lacking), reason=f"{lacking} is not installed")
