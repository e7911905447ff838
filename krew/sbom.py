"""Prints what a self-contained binary is linked from, as CycloneDX 1.5 in JSON (an SBOM).

    python3 krew/sbom.py --version v0.1.0 --architecture amd64 --time SECONDS PROGRAM <PACKAGES

PROGRAM is the binary, whose SHA-256 is in it; SECONDS, since 1970, are its time, so that one commit gives the same
bytes everywhere. PACKAGES are the file names of Debian's packages that it was linked from, one a line, as libraries.sh
keeps them: "libssl-dev_3.0.17-1~deb12u2_amd64.deb", "curl_7.88.1-10+deb12u12.dsc" for what was built from source.

Each is a component with Debian's version and the source package by which Debian's security tracker knows it. A package
that nobody has said the license of, or one that is missing, is an error: the list would not be what the binary has.
"""
import argparse
import datetime
import hashlib
import json
import pathlib
import re
import sys
import urllib.parse

# Package: (source package, license as SPDX writes it). Without "-arm64-cross", which is the same for a cross compiler.
LIBRARIES = {
    "curl": ("curl", "curl"),
    "libboost-program-options1.74-dev": ("boost1.74", "BSL-1.0"),
    "libboost1.74-dev": ("boost1.74", "BSL-1.0"),
    "libc-ares-dev": ("c-ares", "MIT"),
    "libc6-dev": ("glibc", "LGPL-2.1-or-later"),
    "libgcc-12-dev": ("gcc-12", "GPL-3.0-or-later WITH GCC-exception-3.1"),
    "libnghttp2-dev": ("nghttp2", "MIT"),
    "libre2-dev": ("re2", "BSD-3-Clause"),
    "libssl-dev": ("openssl", "Apache-2.0"),
    "libstdc++-12-dev": ("gcc-12", "GPL-3.0-or-later WITH GCC-exception-3.1"),
    "libyaml-dev": ("libyaml", "MIT"),
    "rapidjson-dev": ("rapidjson", "MIT"),
    "zlib1g-dev": ("zlib", "Zlib"),
}
# There for its copyright alone: what it has is a shared library.
NOT_LINKED = {"libre2-9"}
FILE_NAME = re.compile(r"(?P<name>[a-z0-9][a-z0-9+.-]+)_(?P<version>[^_\s]+?)(_(?P<architecture>[a-z0-9]+)\.deb|\.dsc)")


class Unknown(Exception):
    """The list of packages is not one of the binary."""


def purl(match, source):
    """Returns the package URL (purl-spec, type deb)."""
    qualifiers = {"arch": match["architecture"] or "source", "distro": "debian-12"}
    if source != match["name"]:
        qualifiers["upstream"] = source
    version = urllib.parse.quote(urllib.parse.unquote(match["version"]), safe="")
    return (f"pkg:deb/debian/{urllib.parse.quote(match['name'])}@{version}?"
            + "&".join(f"{key}={qualifiers[key]}" for key in sorted(qualifiers)))


def component(line):
    """Returns (package, component) of a line; (package, None) of what is not linked."""
    match = FILE_NAME.fullmatch(line)
    if not match:
        raise Unknown(f'"{line}" is no file name of a package')
    package = re.sub(r"-(amd64|arm64)-cross$", "", match["name"])
    if package in NOT_LINKED:
        return package, None
    if package not in LIBRARIES:
        raise Unknown(f"no license is known of {package}: say it in krew/sbom.py")
    source, license_ = LIBRARIES[package]
    reference = purl(match, source)
    return package, {"type": "library", "bom-ref": reference, "name": match["name"],
                     "version": urllib.parse.unquote(match["version"]), "licenses": [{"expression": license_}],
                     "purl": reference}


def bom(version, architecture, time, program, lines):
    """Returns the document as a value; `program` is the bytes of the binary."""
    found = dict(component(line) for line in lines)
    missing = sorted(set(LIBRARIES) - set(found))
    if missing:
        raise Unknown(f"the packages lack {', '.join(missing)}")
    components = [found[package] for package in sorted(found) if found[package]]
    own = {"type": "application", "bom-ref": "kubectl-prune", "name": "kubectl-prune", "version": version,
           "licenses": [{"expression": "Apache-2.0"}],
           "hashes": [{"alg": "SHA-256", "content": hashlib.sha256(program).hexdigest()}],
           "properties": [{"name": "kubectl-prune:platform", "value": f"linux/{architecture}"}]}
    moment = datetime.datetime.fromtimestamp(time, datetime.timezone.utc)
    return {"$schema": "http://cyclonedx.org/schema/bom-1.5.schema.json", "bomFormat": "CycloneDX", "specVersion": "1.5",
            "version": 1, "metadata": {"timestamp": moment.strftime("%Y-%m-%dT%H:%M:%SZ"), "component": own},
            "components": components,
            "dependencies": [{"ref": "kubectl-prune", "dependsOn": [one["bom-ref"] for one in components]}]}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--version", required=True)
    parser.add_argument("--architecture", required=True)
    parser.add_argument("--time", type=int, required=True)
    parser.add_argument("program", type=pathlib.Path)
    arguments = parser.parse_args()
    try:
        made = bom(arguments.version, arguments.architecture, arguments.time, arguments.program.read_bytes(),
                   sys.stdin.read().splitlines())
    except Unknown as unknown:
        sys.exit(f"error: {unknown}")
    print(json.dumps(made, indent=2))


if __name__ == "__main__":
    main()
