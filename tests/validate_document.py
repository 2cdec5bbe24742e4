#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Check documents against the JSON Schema in the repository that their "schema" names.

    validate_document.py [DOCUMENT...]     (stdin without a document, or for "-")

Exit status: 0 all valid, 1 some document is not valid or is no JSON, 2 wrong usage or a broken
schema, 77 python3-jsonschema is not installed.
"""

import argparse
import json
import pathlib
import sys
import warnings

# RefResolver is what Debian 12 has; newer releases announce its end.
warnings.filterwarnings("ignore", category=DeprecationWarning)

try:
    import jsonschema
except ImportError:
    print("validate_document.py: python3-jsonschema is not installed", file=sys.stderr)
    sys.exit(77)

MANUAL = pathlib.Path(__file__).resolve().parent.parent / "harness/manual"
SCHEMAS = {
    "ioproof.result/1": "result.schema.json",
    "ioproof.probe/1": "probe.schema.json",
    "ioproof.fixtures/1": "fixtures.schema.json",
}


def strict_number(name):
    raise ValueError(f"{name} is not JSON")


def no_twice(pairs):
    keys = [key for key, _ in pairs]
    if len(set(keys)) != len(keys):
        raise ValueError("a key stands twice in one object")
    return dict(pairs)


def read_document(name):
    stream = sys.stdin.buffer if name == "-" else open(name, "rb")
    with stream:
        text = stream.read().decode("utf-8")
    return json.loads(text, parse_constant=strict_number, object_pairs_hook=no_twice)


def validators():
    schemas = {
        name: json.loads((MANUAL / file).read_text(encoding="utf-8"))
        for name, file in SCHEMAS.items()
    }
    store = {schema["$id"]: schema for schema in schemas.values()}
    made = {}
    for name, schema in schemas.items():
        jsonschema.Draft202012Validator.check_schema(schema)
        resolver = jsonschema.RefResolver.from_schema(schema, store=store)
        made[name] = jsonschema.Draft202012Validator(schema, resolver=resolver)
    return made


def complaints(by_name, name):
    try:
        document = read_document(name)
    except (OSError, ValueError) as error:
        return [str(error)]
    schema = document.get("schema") if isinstance(document, dict) else None
    validator = by_name.get(schema)
    if validator is None:
        return [f"its schema is {json.dumps(schema)}, not one of {', '.join(SCHEMAS)}"]
    errors = sorted(validator.iter_errors(document), key=lambda e: list(map(str, e.absolute_path)))
    return [f"{e.json_path}: {e.message[:400]}" for e in errors]


def main():
    parser = argparse.ArgumentParser(description="Check documents against their schema.")
    parser.add_argument("document", nargs="*", default=["-"])
    arguments = parser.parse_args()
    try:
        by_name = validators()
    except (OSError, ValueError, jsonschema.SchemaError) as error:
        print(f"{MANUAL}: {error}", file=sys.stderr)
        return 2
    status = 0
    for name in arguments.document:
        for line in complaints(by_name, name):
            print(f"{name}: {line}", file=sys.stderr)
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
