"""Names, titles and reasons that look like markup are text in every format of the report."""

import re
import xml.etree.ElementTree as ET
from html.parser import HTMLParser

import pytest
from pages import files_of
from parts import store_of

from boostbench.store.types import Outcome

SCRIPT = "<script>alert(1)</script>"
IMAGE = '"><img src=x onerror=alert(1)>'
LINK = "[a](javascript:alert(1))"
LATEX = r"\input{/etc/passwd} \write18{id} $x^$ %"
REASON = f"{SCRIPT} {IMAGE} {LINK} {LATEX} </td></table> `code` | \x1b[2J"


@pytest.fixture(scope="module")
def files():
    store = store_of(
        {
            (SCRIPT, "srt"): [0.9, 0.8],
            (SCRIPT, IMAGE): [0.9, Outcome("error", REASON, traceback=REASON)],
            (LATEX, "srt"): [0.7, 0.6],
            (LATEX, IMAGE): [Outcome("killed", REASON), None],
        },
        title=f"Title {SCRIPT} {LATEX}",
        description=f"Words {IMAGE} {LINK} `{SCRIPT}`",
    )
    return files_of(store)


class Tags(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.text = [], [], ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data):
        self.text += data


def test_html_has_no_element_that_a_name_brought(files):
    found = Tags(files["table.html"].decode())
    assert not {"img", "iframe"} & {*found.tags}
    assert found.tags.count("script") <= 1
    assert not [name for name, _ in found.attributes if name.startswith("on")]
    links = [value for name, value in found.attributes if name in ("href", "src")]
    assert not [
        link for link in links if not re.match(r"#|data:,$|https://(doi|arxiv)\.org/", link)
    ]
    for text in (SCRIPT, IMAGE, "</td></table>"):
        assert text in found.text


def test_figures_are_drawn_and_hold_no_script(files):
    root = ET.fromstring(files["figure.svg"])
    assert not [e.tag for e in root.iter() if e.tag.rpartition("}")[2] in ("script", "image")]


def test_markdown_shows_markup_as_text(files):
    outside = re.sub(r"`[^`\n]*`", "", files["table.md"].decode())
    assert not re.search(r"(?<!\\)<(script|img|/td)", outside)
    assert not re.search(r"(?<!\\)\]\(javascript", outside)


def test_latex_has_no_command_that_a_name_brought(files):
    lines = files["table.tex"].decode().splitlines()
    body = "\n".join(line for line in lines if not line.startswith("%"))
    assert not re.search(r"\\(input|write)", body)
    assert r"\textbackslash{}input\{/etc/passwd\}" in body
    assert not re.search(r"(?<!\\)%", body)


def test_csv_keeps_text_as_text(files):
    assert SCRIPT in files["table.csv"].decode()
