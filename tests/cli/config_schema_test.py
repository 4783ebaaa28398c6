"""Tests the JSON Schema of configs with a validator such as editors use.

Every config is valid, and every example in tests/configs/invalid is not. Those in its beyond-schema folder have errors
that only the driver can detect; the test fails for one that the schema refuses, so that it is moved."""

import json
import sys

from backend_program import SOURCE, use_python_with

use_python_with("jsonschema", remedy="on Debian and Ubuntu: apt-get install python3-jsonschema")

import jsonschema  # noqa: E402


def complaints(validator, path):
    """The schema's objections to the file; empty if there are none."""
    return [f"{error.json_path}: {error.message[:200]}" for error in validator.iter_errors(json.loads(path.read_text()))]


def is_json(path):
    try:
        json.loads(path.read_text())
    except ValueError:
        return False
    return True


def main(source):
    schema_path = source / "configs" / "breakeven.schema.json"
    schema = json.loads(schema_path.read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    failures = []

    configs = sorted(set((source / "configs").glob("*.json")) - {schema_path, source / "configs" / "devices.json"})
    invalid = sorted((source / "tests/configs/invalid").glob("*.json"))
    beyond = sorted((source / "tests/configs/invalid/beyond-schema").glob("*.json"))
    for name, found in (("configs", configs), ("invalid examples", invalid), ("examples beyond the schema", beyond)):
        print(f"{len(found)} {name}")
        if not found:
            failures.append(f"no {name} found in {source}")

    for path in configs:
        failures += [f"{path.name}: {complaint}" for complaint in complaints(validator, path)]
        if json.loads(path.read_text()).get("$schema") != schema_path.name:
            failures.append(f'{path.name}: add "$schema": "{schema_path.name}"')
    for path in invalid:
        if not complaints(validator, path):
            failures.append(f"{path.name}: is invalid, and the schema lets it pass")
    for path in filter(is_json, beyond):
        if complaints(validator, path):
            failures.append(f"{path.name}: the schema refuses it, so that it belongs in tests/configs/invalid")

    print("\n".join(failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(SOURCE))
