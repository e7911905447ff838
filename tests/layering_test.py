#!/usr/bin/env python3
"""Keeps the rooms of docs/ARCHITECTURE.md: a folder includes only folders before it (tests/support/rooms.py).

Usage: layering_test.py ROOT. Prints one line an offence, e.g.
`kube/client/client.h:7: kube/client/ may not include plugin/cli/`, and exits 1 if there is one. The picture
of docs/ARCHITECTURE.md has to be that of the real includes: with UPDATE=1 it is drawn anew.
"""
import os
import pathlib
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "support"))
import rooms

OURS = (*(top + "/" for top in rooms.TOPS), "tests/")
PICTURE = re.compile(r"(```mermaid\n)(.*?)(```\n)", re.DOTALL)

# The one file that may include a library, by the start of the header's name; of several the longest counts.
LIBRARIES = {
    "rapidjson/": "kube/json/json.cc",
    "yaml.h": "kube/yaml/yaml_events.cc",
    "yaml-cpp/": "tests/kube/yaml/yaml_cpp_test.cc",
    "curl/": "kube/client/curl_transport.cc",
    "boost/": "plugin/cli/flag_set.cc",
    "boost/asio/": "kube/serve/server.cc",
    "boost/beast/": "kube/serve/request_reader.cc",
    "openssl/": "kube/serve/certificates.cc",
    "re2/": "kube/go/go_regexp.cc",
}
# The benchmark runs RapidJSON's own reader beside ours.
LIBRARY_EXCEPTIONS = {("rapidjson/", "tests/bench")}


def library_fault(path, header):
    library = max((name for name in LIBRARIES if header.startswith(name)), key=len, default=None)
    if library is None or path == LIBRARIES[library]:
        return None
    if any(library == l and path.startswith(f + "/") for l, f in LIBRARY_EXCEPTIONS):
        return None
    return f"only {LIBRARIES[library]} may include {library}"


def own_fault(path, header, quoted):
    named = header.startswith(OURS)
    if quoted and not named:
        return f'"{header}" must be written from the root of the project'
    if named and not quoted:
        return f'<{header}> must be written in quotes'
    room = rooms.room_of(path)
    if not named or room is None:  # tests may include anything
        return None
    other = rooms.room_of(header)
    if other is not None and rooms.may_include(room, other):
        return None
    return f"{room}/ may not include {header.rpartition('/')[0]}/"


def faults_of(root, file):
    path = file.relative_to(root).as_posix()
    for number, quoted, header in rooms.includes(file):
        fault = library_fault(path, header)
        # Libraries may be written in quotes too; they are not ours.
        if not fault and not header.startswith(tuple(LIBRARIES)):
            fault = own_fault(path, header, quoted)
        if fault:
            yield f"{path}:{number}: {fault}"


def room_faults(root):
    """Sources outside of all rooms."""
    files = [file.relative_to(root).as_posix() for file in rooms.sources(root)]
    for path in files:
        if rooms.room_of(path) is None:
            yield f"{path}: its folder is no room (tests/support/rooms.py)"


def build_faults(root):
    """A room links with what it includes, and with nothing else (USES of its CMakeLists.txt)."""
    for room, included in rooms.arrows(root).items():
        file = root / room / "CMakeLists.txt"
        text = file.read_text(encoding="utf-8") if file.exists() else ""
        call = re.search(r"^add_room\((\w+)\n([^)]*)\)", text, re.MULTILINE)
        if not call or call[1] != room.replace("/", "_"):
            yield f"{room}/: is not built"
            continue
        named = {name.replace("_", "/", 1) for name in call[2].partition(" USES ")[2].split()}
        for other in sorted(included - named):
            yield f"{room}/CMakeLists.txt: does not name {other}/, which it includes"
        for other in sorted(named - included):
            yield f"{room}/CMakeLists.txt: names {other}/, which it does not include"


def picture_faults(root):
    document = root / "docs/ARCHITECTURE.md"
    text = document.read_text(encoding="utf-8")
    shown, drawn = PICTURE.search(text), rooms.picture(root)
    if not shown:
        yield "docs/ARCHITECTURE.md: shows no picture of the rooms"
    elif shown[2] != drawn and os.environ.get("UPDATE"):
        document.write_text(text[:shown.start(2)] + drawn + text[shown.end(2):], encoding="utf-8")
    elif shown[2] != drawn:
        yield "docs/ARCHITECTURE.md: its picture is not that of the includes: UPDATE=1 python3 tests/layering_test.py ."


def check(root):
    files = rooms.sources(root, (*rooms.TOPS, "tests"))
    return [fault for file in files for fault in faults_of(root, file)]


# Each sample: file, its text, and the fault that must be found ("" for none).
SAMPLES = [
    ("kube/client/client.h", '#pragma once\n#include "plugin/cli/common_flags.h"\n',
     "kube/client/client.h:2: kube/client/ may not include plugin/cli/"),
    ("kube/crd/crd.cc", '#include "migrate/check/crd_check.h"\n',
     "kube/crd/crd.cc:1: kube/crd/ may not include migrate/check/"),
    ("kube/crd/crd.h", '#include "kube/schema/structural.h"\n#include "kube/crd/crd_read.h"\n', ""),
    ("kube/crd/crd.h", '#include "kube/suggest/suggestion.h"\n',
     "kube/crd/crd.h:1: kube/crd/ may not include kube/suggest/"),
    ("kube/crd/crd.h", '#include "kube/serve/server.h"\n',  # on the same line of the order
     "kube/crd/crd.h:1: kube/crd/ may not include kube/serve/"),
    ("migrate/check/member_index.cc", '  #  include "plugin/cli/common_flags.h"\n',
     "migrate/check/member_index.cc:1: migrate/check/ may not include plugin/cli/"),
    ("migrate/rewrite/retry.h", '#include "migrate/migration/migration.h"\n',
     "migrate/rewrite/retry.h:1: migrate/rewrite/ may not include migrate/migration/"),
    ("migrate/rewrite/sweep.h", '#include "migrate/rewrite/retry.h"\n#include <vector>\n', ""),
    ("migrate/rewrite/sweep.h", '#include "migrate/nowhere/retry.h"\n',
     "migrate/rewrite/sweep.h:1: migrate/rewrite/ may not include migrate/nowhere/"),
    ("plugin/command/main.cc", '#include "tests/support/fake_clock.h"\n',
     "plugin/command/main.cc:1: plugin/command/ may not include tests/support/"),
    ("plugin/command/main.cc", '#include "plugin/cli/completion.h"\n#include "kube/base/result.h"\n', ""),
    ("kube/yaml/yaml.h", '#include "json.h"\n',
     'kube/yaml/yaml.h:1: "json.h" must be written from the root of the project'),
    ("kube/base/result.h", '#include <kube/json/json.h>\n',
     "kube/base/result.h:1: <kube/json/json.h> must be written in quotes"),
    ("kube/json/json.cc", "#include <rapidjson/reader.h>\n", ""),
    ("kube/json/json.h", "#include <rapidjson/reader.h>\n",
     "kube/json/json.h:1: only kube/json/json.cc may include rapidjson/"),
    ("kube/yaml/yaml_events.cc", "#include <yaml.h>\n", ""),
    ("migrate/cluster/pager.cc", '#include <yaml.h>\n',
     "migrate/cluster/pager.cc:1: only kube/yaml/yaml_events.cc may include yaml.h"),
    ("plugin/command/check_command.cc", "#include <boost/program_options.hpp>\n",
     "plugin/command/check_command.cc:1: only plugin/cli/flag_set.cc may include boost/"),
    ("kube/serve/server.cc", "#include <boost/asio/write.hpp>\n", ""),
    ("kube/serve/server.cc", "#include <boost/beast/http/parser.hpp>\n",
     "kube/serve/server.cc:1: only kube/serve/request_reader.cc may include boost/beast/"),
    ("kube/serve/server.cc", "#include <openssl/ssl.h>\n",
     "kube/serve/server.cc:1: only kube/serve/certificates.cc may include openssl/"),
    ("plugin/cli/flag_set.cc", "#include <boost/asio/write.hpp>\n",
     "plugin/cli/flag_set.cc:1: only kube/serve/server.cc may include boost/asio/"),
    ("kube/client/transport.h", "#include <curl/curl.h>\n",
     "kube/client/transport.h:1: only kube/client/curl_transport.cc may include curl/"),
    ("tests/kube/regexp_test.cc", "#include <re2/re2.h>\n",
     "tests/kube/regexp_test.cc:1: only kube/go/go_regexp.cc may include re2/"),
    ("tests/bench/bench.cc", '#include <rapidjson/reader.h>\n#include "migrate/rewrite/sweep.h"\n', ""),
]


def write(root, path, text):
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def self_test():
    """Says what this test would miss or report wrongly, by samples in a folder of their own."""
    for path, text, expected in SAMPLES:
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            write(root, path, text)
            found = check(root)
        if found != ([expected] if expected else []):
            yield f"self-test of {path}: expected {expected or 'no fault'!r}, found {found}"
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        write(root, "kube/base/a.h", "")
        write(root, "kube/stray.h", "")
        if len(list(room_faults(root))) != 1:
            yield "self-test: a file in no room is not found"
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for room in rooms.ROOMS:
            write(root, f"{room}/CMakeLists.txt", f"add_room({room.replace('/', '_')}\n  a.cc\n)\n")
        write(root, "kube/json/json.h", '#include "kube/base/result.h"\n')
        write(root, "kube/go/CMakeLists.txt", "add_room(kube_go\n  a.cc\n  USES kube_json\n)\n")
        write(root, "kube/yaml/CMakeLists.txt", "")
        if len(list(build_faults(root))) != 3:
            yield "self-test: a room that does not link with what it includes is not found"


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    faults = [*self_test(), *check(root), *room_faults(root), *build_faults(root)]
    if not faults:
        faults = list(picture_faults(root))
    if not any(True for _ in rooms.sources(root)):
        faults.append(f"no sources below {root}")
    print("\n".join(faults) if faults else "every include follows the order of the rooms")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
