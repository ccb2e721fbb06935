"""Parts of sentences: one name per method, lists with "and", verdicts as verbs."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from boostbench import numbers
from boostbench.methods import get_method, method_names
from boostbench.papers import Paper
from boostbench.papers.planned import PlannedMethod
from boostbench.papers.settings import in_words


def typeset(title: str) -> str:
    """Return a registered title as it is printed: "SRT-l2, best of 5" is SRT-ℓ₂ (best of 5)."""
    name, _, remark = re.sub(r"\bl2\b", "ℓ₂", title).partition(", ")
    return f"{name} ({remark})" if remark else name


def title_of(name: str) -> str:
    """Return the title of a registered method, or the name of any other."""
    return typeset(get_method(name).title or name) if name in method_names() else name


def names_of(methods: Sequence[PlannedMethod], titles: Mapping[str, str]) -> dict[str, str]:
    """Return the name that each method has everywhere on the page, by its label.

    A registered method has its title; one whose label begins with the registered name also the
    changed parameters. All other labels are the user's words, and stay, unless the paper has
    ``titles`` of them.
    """
    return names_apart({method.label: _name(method, titles) for method in methods})


def names_apart(names: Mapping[str, str]) -> dict[str, str]:
    """Return names by label, and the label itself where several have one name."""
    shared = [name for name in names.values() if list(names.values()).count(name) > 1]
    return {label: label if name in shared else name for label, name in names.items()}


def _name(method: PlannedMethod, titles: Mapping[str, str]) -> str:
    if method.label in titles:
        values = {**method.defaults, **method.params}
        return re.sub(r"\{(\w+)\}", lambda name: str(values.get(name[1])), titles[method.label])
    if method.label == method.registered:
        return title_of(method.registered)
    if not method.registered or not method.label.startswith(f"{method.registered}_"):
        return method.label
    changed = [f"{name} = {value}" for name, value in method.changed.items()]
    extra = ", ".join(changed) or in_words(method.conditions, tuple(method.conditions.values()))
    title = title_of(method.registered)
    return f"{title[:-1]}, {extra})" if title.endswith(")") else f"{title} ({extra})"


def cited(paper: Paper) -> str:
    """Return a paper as it is cited in a sentence: Consolo, Amaldi and Manno (2026)."""
    names = [re.sub(r"^(?:\w[\w-]*\.\s*)+", "", name) for name in paper.authors.split(", ")]
    year = re.findall(r"\b(?:19|20)\d\d\b", paper.journal)
    return series(names) + (f" ({year[-1]})" if year else "")


def series(words: Iterable[str]) -> str:
    """Return ``a``, ``a and b``, ``a, b and c``."""
    *most, end = list(words) or [""]
    return f"{', '.join(most)} and {end}" if most else end


def times(ratio: float) -> str:
    """Return a ratio with two significant digits: 1.4, 37, 1,100."""
    return numbers.ratio(float(f"{ratio:.2g}"))


def verb(verdict: str, number: int) -> str:
    """Return a verdict as a verb in singular or plural: agrees, agree, is or are undecided."""
    if verdict.endswith("s"):
        return verdict if number == 1 else verdict[:-1]
    return f"{'is' if number == 1 else 'are'} {verdict}"


def datasets_in_words(names: Sequence[str]) -> str:
    """Return the names of up to three data sets, or the number of more."""
    return series(names) if len(names) <= 3 else f"{len(names)} data sets"


def in_lines(text: str, width: float, measure: Callable[[str], float]) -> list[str]:
    """Return a text in lines of at most a ``width``, a long bracket on a line of its own.

    It is broken at blanks and after underscores; a longer word is a line of its own.
    """
    lines = [""]
    for piece in re.findall(r"\s*[^\s_]*_*", text):
        if not lines[-1] or measure(lines[-1] + piece) <= width:
            lines[-1] += piece
        else:
            lines.append(piece.strip())
    first, bracket, rest = text.partition(" (")
    if bracket and any(line.count("(") > line.count(")") for line in lines):
        return [*in_lines(first, width, measure), *in_lines(f"({rest}", width, measure)]
    return lines


def one_line(text: str) -> str:
    """Return a text of others on one line: blanks of any kind, also breaks, become one."""
    return " ".join(text.split())
