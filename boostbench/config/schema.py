"""The JSON schema of experiment files, with which editors complete and check them."""

import json

from boostbench.config.entries import DatasetEntry, MethodEntry
from boostbench.config.messages import PARTS
from boostbench.config.model import Experiment
from boostbench.data.cards import Catalog
from boostbench.methods import BUILTIN
from boostbench.papers.metrics import METRICS
from boostbench.resources import shipped_dir


def experiment_schema() -> dict[str, object]:
    """Return the JSON schema; the shipped cards and methods are offered as examples."""
    schema = Experiment.model_json_schema(mode="validation")
    for part, _ in PARTS.values():
        own_schema = schema if part is Experiment else schema["$defs"][part.__name__]
        for key, text in part.key_texts().items():
            own_schema["properties"][key]["description"] = text[0].upper() + text[1:]
    own = schema["properties"]
    names = {"datasets": Catalog().names, "methods": [*BUILTIN], "metrics": [*METRICS]}
    for key, examples in names.items():
        choices = [{"type": "string", "examples": examples}, own[key]["items"]]
        own[key]["items"] = {"anyOf": choices}
    for part, key in ((DatasetEntry, "datasets"), (MethodEntry, "methods")):
        kind = schema["$defs"][part.__name__]["properties"][part.kinds[0]]
        kind["examples"] = names[key]
    for values in (own, schema["$defs"]["DatasetEntry"]["properties"]):
        values["splits"]["anyOf"].insert(0, {"const": "given"})
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    schema["title"] = "boostbench experiment"
    return schema


def output_schema_text() -> str:
    """Return the JSON schema of what commands write with ``--json``."""
    return (shipped_dir("configs") / "output-schema.json").read_text(encoding="utf-8")


def schema_text() -> str:
    """Return the schema as the text of ``configs/schema.json``."""
    return json.dumps(experiment_schema(), indent=2, ensure_ascii=False) + "\n"
