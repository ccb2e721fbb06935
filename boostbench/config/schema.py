"""The JSON schema of experiment files, by which editors complete and check them."""

import json
from typing import Any

from boostbench.config.model import Experiment
from boostbench.data.cards import card_names
from boostbench.methods import builtin_method_names


def experiment_schema() -> dict[str, Any]:
    """Return the JSON schema; the shipped cards and methods are offered as examples."""
    schema = Experiment.model_json_schema(mode="validation")
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    schema["title"] = "boostbench experiment"
    for part, names in [("datasets", card_names()), ("methods", builtin_method_names())]:
        for choice in schema["properties"][part]["items"]["anyOf"]:
            if choice.get("type") == "string":
                choice["examples"] = names
    for part, names in [("DatasetEntry", card_names()), ("MethodEntry", builtin_method_names())]:
        key = "card" if part == "DatasetEntry" else "method"
        schema["$defs"][part]["properties"][key]["examples"] = names
    return schema


def schema_text() -> str:
    """Return the schema as the text of ``configs/schema.json``."""
    return json.dumps(experiment_schema(), indent=2, ensure_ascii=False) + "\n"
