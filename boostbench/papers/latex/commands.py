"""What LaTeX's commands mean for a table: their arguments, what they print, and which are rules."""

from functools import cache

from pylatexenc.latex2text import get_default_latex_context_db
from pylatexenc.macrospec import (
    EnvironmentSpec,
    LatexContextDb,
    MacroSpec,
    MacroStandardArgsParser,
    SpecialsSpec,
    std_environment,
    std_macro,
    std_specials,
)


def _arguments(*groups: dict[str, str]) -> dict[str, str]:
    """Return the arguments of each command, from groups of commands with the same ones."""
    found = {}
    for group in groups:
        for arguments, names in group.items():
            found.update(dict.fromkeys(names.split(), arguments.strip()))
    return found


TABLES = _arguments(
    {
        "[{": "tabular longtable supertabular xtabular tabu longtabu NiceTabular tblr longtblr",
        "{[{": "tabular* tabularx tabulary NiceTabular*",
        "[{{": "xltabular",
    }
)
"""The environments of tables, with their arguments; the last one has the columns."""

FULL_RULES = _arguments(
    {
        "": "hline thickhline heavyrule",
        "[": "toprule midrule bottomrule hdashline",
        "{": "Xhline hlineB hhline",
        "{{{": "specialrule",
    }
)
PARTIAL_RULES = _arguments(
    {"[{": "cmidrule", "{": "cline cdashline cdashlinelr", "{{": "clineB Xcline"}
)
ROW_ENDS = ("\\", "tabularnewline", "cr")

_PRINT_LAST = {
    "{": """textbf textit emph texttt textsc textrm textsf textnormal textup textmd textsl underline
        uline ul uuline dashuline mathbf mathrm mathit mathsf mathtt mathcal mathbb mathfrak
        boldsymbol bm pmb text mbox hbox fbox ensuremath operatorname mathop hat bar tilde vec
        overline widehat widetilde rot sout st hl gls glspl Gls acrshort acs ac texorpdfstring
        centerline leftline rightline url path enquote llap rlap clap mathllap mathrlap mathclap
        smash uppercase lowercase MakeUppercase textquote citeauthor unit si colhead
        uwave dotuline dashuline xout cancel boxed textcircled mathbin mathrel mathord underbar
        textls oldstylenums vcenter reflectbox""",
    "[{": "num tablenum numprint hyperref thead shortstack SI qty",
    "*[{": "makecell",
    "*{": "operatorname*",
    "[[{": "makebox framebox",
    "[{{": "textcolor colorbox rotatebox",
    "{{": "href adjustbox foreignlanguage hyperlink SetCell",
    "[{{{": "fcolorbox",
    "*{{{": "resizebox",
    "{[{": "scalebox rothead",
    "[[[{{": "parbox",
    "{[[{": "raisebox",
    "{{{": "multicolumn",
    "[{[{[{": "multirow",
    "{[{ ": "multirowcell multirowthead",
}
_PRINT_NOTHING = {
    "": """centering raggedright raggedleft noindent arraybackslash morecmidrules endhead
        endfirsthead endfoot endlastfoot hfill hfil strut relax xspace protect ignorespaces unskip
        nobreak normalfont displaystyle textstyle left right limits big Big bigg Bigg
        bigl bigr Bigl Bigr boldmath unboldmath tiny scriptsize footnotesize small normalsize large
        Large LARGE huge Huge bf it sc rm tt sf em sl bfseries itshape scshape ttfamily sffamily
        rmfamily mdseries upshape slshape selectfont pagebreak nopagebreak smallskip medskip par
        leavevmode mathstrut null hrule vline textheight fi flushleft flushright
        nonumber Centering RaggedRight allowbreak break hfilneg newpage clearpage""",
    "{": """label index phantom hphantom vphantom arrayrulecolor noalign rowfont fontseries
        fontshape fontfamily SetRow rowstyle extracolsep todo""",
    "*{": "vspace hspace",
    "[": "addlinespace",
    "[{": """rowcolor color cellcolor includegraphics footnotetext footnote tablefootnote thanks
        caption columncolor""",
    "{{": "setlength addtolength fontsize renewcommand setcounter",
    "[{{": "rule",
    "{{{": "rowcolors",
}
_SIZES = """tiny scriptsize footnotesize small normalsize large Large LARGE huge Huge smaller
    larger scriptstyle scriptscriptstyle"""
_CITATIONS = """cite citep parencite autocite footcite supercite citealp citenum onlinecite nocite
    shortcite citeyearpar newcite cites parencites autocites Citep Parencite fullcite citepalias"""
_NAMED_CITATIONS = "citet textcite Citet citealt citeyear textcites citetalias citeasnoun"
_REFERENCES = "ref cref Cref autoref eqref"
_SPECIAL_ARGUMENTS = {
    "": _SIZES,
    "[[{": f"{_CITATIONS} {_NAMED_CITATIONS}",
    "{": f"{_REFERENCES} textsuperscript textsubscript tnote ding sqrt",
    "[": "footnotemark",
    "{{": "frac dfrac tfrac nicefrac sfrac overset underset stackrel",
}
SYMBOLS = {
    "checkmark": "✓",
    "cmark": "✓",
    "xmark": "✗",
    "ddagger": "‡",
    "ddag": "‡",
    "textdagger": "†",
    "degree": "°",
    "circ": "°",
    "textless": "<",
    "textgreater": ">",
    "lt": "<",
    "gt": ">",
    "leqslant": "≤",
    "geqslant": "≥",
    "sim": "~",
    "ast": "*",
    "percent": "%",
    "bigstar": "★",
    "triangle": "△",
    "textbar": "|",
    "textasteriskcentered": "*",
    "S": "§",
    "P": "¶",
    "quad": " ",
    "qquad": " ",
    "enspace": " ",
    "thinspace": " ",
    "space": " ",
    "newline": " ",
    "linebreak": " ",
    "LaTeX": "LaTeX",
    "TeX": "TeX",
    "textpm": "±",
    "texttimes": "×",
    "textminus": "-",
    "dots": "…",
    "cdots": "…",
    "vdots": "…",
    "backslash": "\\",
    "textendash": "–",
    "textemdash": "—",
    ",": "\N{THIN SPACE}",
    ";": " ",
    ":": " ",
    " ": " ",
    "\n": " ",
    "\\": " ",
    "tabularnewline": " ",
    "cr": " ",
    **dict.fromkeys("!-/()[]@", ""),
    **{mark: mark for mark in "%$&#_{}"},
    "|": "‖",
}
_UNITS = {
    "kilo": "k",
    "mega": "M",
    "giga": "G",
    "milli": "m",
    "micro": "µ",
    "nano": "n",
    "per": "/",
    "second": "s",
    "minute": "min",
    "hour": "h",
    "meter": "m",
    "metre": "m",
    "gram": "g",
    "joule": "J",
    "watt": "W",
    "hertz": "Hz",
    "byte": "B",
    "decibel": "dB",
}
ACCENTS = {
    "'": "\u0301",
    '"': "\u0308",
    "`": "\u0300",
    "^": "\u0302",
    "~": "\u0303",
    "=": "\u0304",
    ".": "\u0307",
    "c": "\u0327",
    "v": "\u030c",
    "u": "\u0306",
    "H": "\u030b",
    "r": "\u030a",
    "k": "\u0328",
}
SIZES = frozenset(_SIZES.split())
FRACTIONS = frozenset(("frac", "dfrac", "tfrac", "nicefrac", "sfrac"))
STACKS = {"overset": "^", "underset": "_", "stackrel": "^"}
QUANTITIES = frozenset(("SI", "qty"))
CITATIONS = frozenset(_CITATIONS.split())
NAMED_CITATIONS = frozenset(_NAMED_CITATIONS.split())
REFERENCES = frozenset(_REFERENCES.split())
FOOTNOTES = frozenset(("footnote", "footnotemark", "tablefootnote", "thanks", "tnote"))


PRINT_LAST = _arguments(_PRINT_LAST)
"""Commands that print their last argument, as pylatexenc's specification of their arguments."""
PRINT_NOTHING = {**_arguments(_PRINT_NOTHING), **FULL_RULES, **PARTIAL_RULES}
ARGUMENTS = {
    **PRINT_NOTHING,
    **PRINT_LAST,
    **_arguments(_SPECIAL_ARGUMENTS),
    "SI": "[{{",
    "qty": "[{{",
}


@cache
def symbol(name: str) -> str | None:
    """Return what a command without arguments prints; ``None`` if it is not known."""
    if name in SYMBOLS or name in _UNITS:
        return SYMBOLS.get(name) or _UNITS.get(name, "")
    spec = get_default_latex_context_db().get_macro_spec(name)
    printed = getattr(spec, "simplify_repl", None)
    return printed if isinstance(printed, str) and "%" not in printed else None


@cache
def context() -> LatexContextDb:
    """Return the commands, environments and characters that pylatexenc splits a table by."""
    one_argument = MacroStandardArgsParser("{")
    known = LatexContextDb()
    known.add_context_category(
        "tables",
        macros=[
            *(std_macro(name, arguments) for name, arguments in ARGUMENTS.items()),
            *(std_macro(name, "{") for name in ACCENTS),
        ],
        environments=[
            *(std_environment(name, arguments) for name, arguments in TABLES.items()),
            std_environment("minipage", "[[[{"),
            std_environment("adjustbox", "{"),
            std_environment("array", "[{"),
        ],
        specials=[
            std_specials("&"),
            std_specials("~"),
            SpecialsSpec("^", one_argument),
            SpecialsSpec("_", one_argument),
        ],
    )
    known.set_unknown_macro_spec(MacroSpec(""))
    known.set_unknown_environment_spec(EnvironmentSpec(""))
    return known
