"""YAML is read as YAML 1.2 reads it, and every part knows its place."""

import json

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from boostbench.errors import ConfigError
from boostbench.yamltree import parse_yaml


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1e-3", 1e-3),
        ("on", "on"),
        ("no", "no"),
        ("10:30", "10:30"),
        ("0o17", 15),
        ("017", 17),
        ("0x1F", 31),
        ("1_000", "1_000"),
        ("2020-01-01", "2020-01-01"),
        ("~", None),
        ("", None),
        ("True", True),
        ("'4'", "4"),
        ("-.5", -0.5),
        ("+3", 3),
        ("- 1\n- [a, null]", [1, ["a", None]]),
    ],
)
def test_scalars_are_those_of_yaml_1_2(text: str, value: object) -> None:
    parsed = parse_yaml(text, "x").value
    assert parsed == value
    assert type(parsed) is type(value)


def test_places_of_keys_and_values() -> None:
    document = parse_yaml("a: 1\nb:\n  - x\n  - {c: 2}\n", "f.yaml")
    assert document.where(("b", 1, "c")) == "f.yaml:4:9"
    assert document.where(("b", 1, "c"), key=True) == "f.yaml:4:6"
    assert document.where(("b", 1, "nothing", "there")) == "f.yaml:4:5"
    assert document.where(("b", "nothing")) == "f.yaml:2:1"


# JSON writes characters beyond U+FFFF as two escapes, which YAML does not join.
texts = st.text(st.characters(max_codepoint=0xD7FF))
# YAML takes no key on one line that is longer than 1,024 characters.
keys = texts.filter(lambda text: len(json.dumps(text)) < 1000)
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=4),
    max_leaves=12,
)


@given(values)
def test_every_json_text_is_read_as_json(value: object) -> None:
    text = json.dumps(value)
    assert parse_yaml(text, "x").value == json.loads(text)


@given(st.text(alphabet="ab:-[]{}&*!|>'\"#%@`,? \n\t0.e", max_size=40))
def test_any_text_is_read_or_refused_with_its_place(text: str) -> None:
    message = "x.yaml: read"
    try:
        parse_yaml(text, "x.yaml")
    except ConfigError as error:
        message = str(error)
    assert message.startswith("x.yaml:")
    assert "\n" not in message


BASE = "base: &base {a: 1, b: 2}\nmore: &more {b: 3, c: 4}\n"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{<<: *base}", {"a": 1, "b": 2}),
        ("{<<: *base, b: 5}", {"a": 1, "b": 5}),
        ("{b: 5, <<: *base}", {"a": 1, "b": 5}),
        ("{<<: [*base, *more]}", {"a": 1, "b": 2, "c": 4}),
        ("{<<: [*more, *base], d: 6}", {"a": 1, "b": 3, "c": 4, "d": 6}),
        ("{<<: {<<: *base, c: 7}}", {"a": 1, "b": 2, "c": 7}),
        ("{<<: []}", {}),
        # In quotes it is a text, as in JSON.
        ('{"<<": 1}', {"<<": 1}),
    ],
)
def test_merge_keys_add_the_keys_of_other_mappings(text: str, value: object) -> None:
    assert parse_yaml(f"{BASE}here: {text}", "x").value["here"] == value


def test_a_merged_value_has_the_place_where_it_is_written() -> None:
    document = parse_yaml(f"{BASE}here:\n  <<: *base\n  c: 9\n", "f.yaml")
    assert document.where(("here", "a")) == "f.yaml:1:17"
    assert document.where(("here", "c")) == "f.yaml:5:6"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: {<<: 3}", r"^x:1:9: .* a merge key \(<<\) takes a mapping, or a list of mappings"),
        ("a: {<<: [{b: 1}, c]}", r"^x:1:18: .* a merge key \(<<\) takes a mapping"),
        ("a: &a {<<: *a}", "nested too deeply, or in themselves"),
        ("a: {<<: {b: 1}, <<: {c: 1}}", "the key '<<' is given twice"),
        ("a: {<<: {b: 1, b: 2}}", "the key 'b' is given twice"),
    ],
)
def test_merge_keys_of_anything_else_are_refused(text: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        parse_yaml(text, "x")


def test_deep_nesting_and_swelling_aliases_are_refused() -> None:
    with pytest.raises(ConfigError, match="nested too deeply"):
        parse_yaml("[" * 5000 + "]" * 5000, "x")
    lines = ["a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 8)]
    with pytest.raises(ConfigError, match="more than 100000 values"):
        parse_yaml("\n".join(lines), "x")
    # Merged again and again, they are no more than they are.
    lines = ["a0: &a0 {k: 1}"]
    lines += [f"a{i}: &a{i} {{<<: [{', '.join([f'*a{i - 1}'] * 10)}]}}" for i in range(1, 30)]
    assert parse_yaml("\n".join(lines), "x").value["a29"] == {"k": 1}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: 1\nb: \x07\n", "^x:2:1: not valid YAML: a character that YAML does not allow"),
        ('a: 1\nb: "\\U00110000"', "^x:2:7: not valid YAML: an escape of no"),
        ('a: 1\nb: "\\UFFFFFFFF"', "^x:2:7: not valid YAML: an escape of no"),
        ('a: "\\ud800"', "^x:1:4: not valid YAML: a text with half a character"),
        ("a: -.INF", "^x:1:4: .* the number -.INF is not finite"),
        ("a: 1e999", "the number 1e999 is not finite"),
        (f"a: {'9' * 5000}", f"the number {'9' * 40} is not finite"),
        ("a: !!str 1", "^x:1:4: .* a tag is not allowed"),
        ("[1]: 2", "^x:1:1: .* a key must be a text"),
    ],
)
def test_values_that_are_not_plain_are_refused_with_their_place(text: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        parse_yaml(text, "x")


def test_pyyaml_itself_is_left_as_it_was() -> None:
    assert yaml.safe_load("on: 1") == {True: 1}
