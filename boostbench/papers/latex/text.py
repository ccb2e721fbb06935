"""What LaTeX prints, on one line: from pylatexenc's nodes to text."""

import re
import unicodedata
from collections.abc import Sequence

from pylatexenc import latexwalker
from pylatexenc.latexwalker import LatexNode, LatexWalker

from boostbench.papers.latex import commands

UNKNOWN = re.compile(r"⟨(\w+)⟩")
"""A command in a printed text of which it is not known what it prints."""
CITED = "\N{WORD JOINER}"
"""This stands around the keys of a citation, which are a name only where there is no other."""
FOOTNOTE_MARK = "^{†}"


def nodes_of(text: str) -> list[LatexNode]:
    """Return a LaTeX text as pylatexenc's nodes."""
    walker = LatexWalker(text, latex_context=commands.context(), tolerant_parsing=True)
    nodes, _, _ = walker.get_latex_nodes()
    return [node for node in nodes if node is not None]


def printed(nodes: Sequence[LatexNode]) -> str:
    """Return what nodes print, on one line.

    Raised and lowered text is ``^{...}`` and ``_{...}``, an unknown command is ``⟨name⟩``.
    """
    text = re.sub(r"[ \t\n]+", " ", _printed_nodes(nodes))
    return unicodedata.normalize("NFC", text.strip(" "))


def _printed_nodes(nodes: Sequence[LatexNode]) -> str:
    parts: list[str] = []
    is_argument = False  # of a command that is not known
    for node in nodes:
        text = _printed_node(node)
        is_group = node is not None and node.isNodeType(latexwalker.LatexGroupNode)
        if is_argument and is_group:
            text = f"{text} "
        is_argument = bool(UNKNOWN.fullmatch(text)) or (is_argument and is_group)
        if _is_footnote_mark(node, text, "".join(parts)):
            text = FOOTNOTE_MARK
        parts.append(text)
    return "".join(parts)


def _is_footnote_mark(node: LatexNode, text: str, before: str) -> bool:
    """Return whether a raised digit or letter is set apart from the word before it.

    In ``R$^2$`` and ``km$^2$`` it is none.
    """
    stands_alone = node.isNodeType(latexwalker.LatexMathNode) or (
        node.isNodeType(latexwalker.LatexMacroNode) and node.macroname == "textsuperscript"
    )
    is_mark = stands_alone and re.fullmatch(r"\^\{[\da-z](, ?[\da-z])*\}", text)
    return bool(is_mark) and bool(re.search(r"[^\W\d_]{3}\W*$", before))


def _printed_node(node: LatexNode | None) -> str:
    if node is None or node.isNodeType(latexwalker.LatexCommentNode):
        return ""
    if node.isNodeType(latexwalker.LatexCharsNode):
        return str(node.chars)
    if node.isNodeType(latexwalker.LatexSpecialsNode):
        return _printed_special(node)
    if node.isNodeType(latexwalker.LatexMacroNode):
        return _printed_command(node)
    if node.isNodeType(latexwalker.LatexGroupNode) and node.delimiters[0] == "[":
        return f"[{_printed_nodes(node.nodelist)}]"
    return _printed_nodes(node.nodelist)


def _printed_special(node: LatexNode) -> str:
    if node.specials_chars not in "^_":
        return " "
    inner = " ".join(_arguments_of(node)).strip()
    return f"{node.specials_chars}{{{inner}}}" if inner else ""


def _arguments_of(node: LatexNode) -> list[str]:
    """Return what the mandatory and the given optional arguments of a command print."""
    given = node.nodeargd.argnlist if node.nodeargd else None
    return [_printed_node(each) for each in given or () if each is not None]


def _printed_command(node: LatexNode) -> str:
    name = node.macroname
    arguments = _arguments_of(node)
    last = arguments[-1] if arguments else ""
    if name in commands.ACCENTS:
        return last[:1] + commands.ACCENTS[name] + last[1:]
    if name in commands.QUANTITIES:
        number, unit = arguments[-2:] if len(arguments) > 1 else (last, "")
        return number + ("%" if "percent" in unit or "%" in unit else "")
    if name in commands.PRINT_LAST or name in commands.NAMED_CITATIONS:
        return last
    if name in commands.CITATIONS:
        return f"{CITED}{last}{CITED}"
    if (marked := _with_mark(name, arguments)) is not None:
        return marked
    return _without_arguments(name)


def _with_mark(name: str, arguments: Sequence[str]) -> str | None:
    """Return what a command of an index, fraction or sign prints, ``None`` for any other one."""
    last = arguments[-1] if arguments else ""
    if name in _INDICES:
        return f"{_INDICES[name]}{{{last.strip()}}}" if last else ""
    if name in commands.FRACTIONS:
        return "/".join(arguments)
    if name in commands.STACKS and len(arguments) == 2:
        return f"{arguments[1]}{commands.STACKS[name]}{{{arguments[0].strip()}}}"
    if name == "ding":
        return "✓" if last in ("51", "52") else "✗"
    return f"√{last}" if name == "sqrt" else None


def _without_arguments(name: str) -> str:
    """Return what a command prints whatever its arguments; an unknown one prints its name."""
    if name in commands.FOOTNOTES:
        return FOOTNOTE_MARK
    if name in commands.SIZES:
        return " "
    if name in commands.PRINT_NOTHING:
        return ""
    if name in commands.REFERENCES:
        return "⟨ref⟩"
    symbol = commands.symbol(name)
    return f"⟨{name}⟩" if symbol is None else symbol


_INDICES = {"textsuperscript": "^", "textsubscript": "_"}


def name_of(text: str) -> str:
    """Return a printed text as a name: without marks of footnotes, spaces and colons at its ends.

    The keys of citations are left out where there is any other text.
    """
    marks = r"\^\{[^{}\w+]+\}|\^\{\}|[*†‡§¶]+$"
    name = re.sub(f"{CITED}[^{CITED}]*{CITED}", "", text).replace("\N{THIN SPACE}", " ")
    name = re.sub(marks, "", name.strip())
    name = re.sub(r"([\^_])\{(.)\}", r"\1\2", name)
    name = re.sub(r"\s+", " ", name).strip(" :")
    return name or text.replace(CITED, "").strip()
