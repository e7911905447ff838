#!/usr/bin/env python3
"""Keeps the dependency rule of docs/DESIGN.md: plugin -> migrate -> kube -> kube/schema.

Usage: layering_test.py ROOT. Prints one line an offence, e.g.
`kube/client.h:7: kube/ may not include plugin/`, and exits 1 if there is one.
"""
import pathlib
import re
import sys
import tempfile

SOURCE_SUFFIXES = {".cc", ".h"}
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')

# What a folder may include of ours; the longest matching folder counts. tests/ may include anything.
LAYERS = {
    "plugin": ("plugin/", "migrate/", "kube/"),
    "migrate": ("migrate/", "kube/"),
    "kube": ("kube/",),
    "kube/schema": ("kube/schema/", "kube/json.h", "kube/result.h"),
}
OURS = ("plugin/", "migrate/", "kube/", "tests/")

# The one file that may include a library, by the start of the header's name.
LIBRARIES = {
    "rapidjson/": "kube/json.cc",
    "yaml-cpp/": "kube/yaml.cc",
    "curl/": "kube/curl_transport.cc",
    "boost/": "plugin/flag_set.cc",
    "re2/": "kube/schema/go_regexp.cc",
}
# The benchmark runs RapidJSON's own reader beside ours.
LIBRARY_EXCEPTIONS = {("rapidjson/", "tests/bench")}


def layer_of(path):
    folders = [f for f in LAYERS if path.startswith(f + "/")]
    return max(folders, key=len, default=None)


def library_fault(path, header):
    for library, owner in LIBRARIES.items():
        if not header.startswith(library) or path == owner:
            continue
        if any(library == l and path.startswith(f + "/") for l, f in LIBRARY_EXCEPTIONS):
            continue
        return f"only {owner} may include {library}"
    return None


def own_fault(path, header, quoted):
    named = header.startswith(OURS)
    if quoted and not named:
        return f'"{header}" must be written from the root of the project'
    if named and not quoted:
        return f'<{header}> must be written in quotes'
    layer = layer_of(path)
    if not named or layer is None or header.startswith(LAYERS[layer]):
        return None
    target = layer_of(header) or header.split("/")[0]
    what = header if layer == "kube/schema" and target == "kube" else target + "/"
    return f"{layer}/ may not include {what}"


def faults_of(root, file):
    path = file.relative_to(root).as_posix()
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        quoted, header = match[1] == '"', match[2]
        fault = library_fault(path, header)
        # Libraries may be written in quotes too; they are not ours.
        if not fault and not header.startswith(tuple(LIBRARIES)):
            fault = own_fault(path, header, quoted)
        if fault:
            yield f"{path}:{number}: {fault}"


def sources(root):
    for folder in ("plugin", "migrate", "kube", "tests"):
        yield from (f for f in sorted((root / folder).rglob("*")) if f.suffix in SOURCE_SUFFIXES)


def check(root):
    return [fault for file in sources(root) for fault in faults_of(root, file)]


# Each sample: file, its text, and the fault that must be found ("" for none).
SAMPLES = [
    ("kube/client.h", '#pragma once\n#include "plugin/printer.h"\n',
     "kube/client.h:2: kube/ may not include plugin/"),
    ("kube/crd.cc", '#include "migrate/check.h"\n', "kube/crd.cc:1: kube/ may not include migrate/"),
    ("kube/crd.h", '#include "kube/schema/structural.h"\n', ""),
    ("migrate/check.cc", '  #  include "plugin/options.h"\n',
     "migrate/check.cc:1: migrate/ may not include plugin/"),
    ("migrate/check.h", '#include "kube/schema/pruning.h"\n#include <vector>\n', ""),
    ("plugin/main.cc", '#include "tests/support/fake_clock.h"\n',
     "plugin/main.cc:1: plugin/ may not include tests/"),
    ("kube/schema/pruning.h", '#include "kube/json.h"\n#include "kube/result.h"\n', ""),
    ("kube/schema/pruning.cc", '#include "kube/crd.h"\n',
     "kube/schema/pruning.cc:1: kube/schema/ may not include kube/crd.h"),
    ("kube/schema/validation.cc", '#include "migrate/report.h"\n',
     "kube/schema/validation.cc:1: kube/schema/ may not include migrate/"),
    ("kube/yaml.h", '#include "json.h"\n',
     'kube/yaml.h:1: "json.h" must be written from the root of the project'),
    ("kube/error.h", '#include <kube/json.h>\n',
     "kube/error.h:1: <kube/json.h> must be written in quotes"),
    ("kube/json.cc", "#include <rapidjson/reader.h>\n", ""),
    ("kube/json.h", "#include <rapidjson/reader.h>\n",
     "kube/json.h:1: only kube/json.cc may include rapidjson/"),
    ("kube/yaml.cc", "#include <yaml-cpp/eventhandler.h>\n", ""),
    ("migrate/source.cc", '#include "yaml-cpp/yaml.h"\n',
     "migrate/source.cc:1: only kube/yaml.cc may include yaml-cpp/"),
    ("plugin/check_command.cc", "#include <boost/program_options.hpp>\n",
     "plugin/check_command.cc:1: only plugin/flag_set.cc may include boost/"),
    ("kube/transport.h", "#include <curl/curl.h>\n",
     "kube/transport.h:1: only kube/curl_transport.cc may include curl/"),
    ("tests/kube/regexp_test.cc", "#include <re2/re2.h>\n",
     "tests/kube/regexp_test.cc:1: only kube/schema/go_regexp.cc may include re2/"),
    ("tests/bench/bench.cc", '#include <rapidjson/reader.h>\n#include "migrate/check.h"\n', ""),
]


def self_test():
    """Says what this test would miss or report wrongly, by samples in a folder of their own."""
    for path, text, expected in SAMPLES:
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, path)
            file.parent.mkdir(parents=True)
            file.write_text(text, encoding="utf-8")
            found = check(pathlib.Path(folder))
        if found != ([expected] if expected else []):
            yield f"self-test of {path}: expected {expected or 'no fault'!r}, found {found}"


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    faults = list(self_test()) + check(root)
    if not any(True for _ in sources(root)):
        faults.append(f"no sources below {root}")
    print("\n".join(faults) if faults else "every include follows the dependency rule")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
