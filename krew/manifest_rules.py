"""What krew, and the reviewers of its index, ask of a plugin's manifest and its archives.

    python3 krew/manifest_rules.py MANIFEST [FOLDER]    FOLDER holds the archives that it names

Prints one line a fault, `prune.yaml: spec.version: ...`, and exits 1 if there is one. The rules are
those of krew's internal/index/validation; where krew would find a fault only during an installation,
or a reviewer by reading, it is found here. What krew allows and this plugin has no use for is a fault
too: other systems than Linux, spec.platforms[].files, selectors by expressions.
"""
import hashlib
import pathlib
import re
import sys
import tarfile
import urllib.parse
import zlib

import yaml

API_VERSION = "krew.googlecontainertools.github.com/v1alpha2"
NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
# krew asks for the v; the rest is semver.org's grammar.
NUMBER = r"(0|[1-9]\d*)"
PRERELEASE = rf"({NUMBER}|\d*[A-Za-z-][0-9A-Za-z-]*)"
VERSION = re.compile(rf"v{NUMBER}\.{NUMBER}\.{NUMBER}(-{PRERELEASE}(\.{PRERELEASE})*)?"
                     r"(\+[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?", re.ASCII)
SHA256 = re.compile(r"[a-f0-9]{64}")
WINDOWS_DEVICES = {"con", "prn", "aux", "nul"} | {f"{port}{n}" for port in ("com", "lpt")
                                                  for n in range(1, 10)}
TOP_FIELDS = {"apiVersion", "kind", "metadata", "spec"}
SPEC_FIELDS = {"version", "homepage", "shortDescription", "description", "caveats", "platforms"}
PLATFORM_FIELDS = {"uri", "sha256", "bin", "selector"}
MACHINES = [{"os": "linux", "arch": "amd64"}, {"os": "linux", "arch": "arm64"}]
SHORT = 50  # characters of `kubectl krew search` that fit beside name and status on 80 columns


def is_text(value):
    return isinstance(value, str) and value != ""


def is_https_url(value):
    return is_text(value) and re.fullmatch(r"https://[\w.-]+(:\d+)?(/[^\s\[\]]*)?", value, re.ASCII)


def unknown_fields(place, mapping, known):
    for name in sorted(set(map(str, mapping)) - known):
        yield f"{place}{name}: is not a field of ours"


def name_faults(name, file_name):
    if not is_text(name) or not NAME.fullmatch(name):
        yield "metadata.name: must be lower case words with - between them"
    elif name in WINDOWS_DEVICES:
        yield "metadata.name: is a device of Windows"
    elif name.startswith(("kube-", "kubectl-")):
        yield "metadata.name: must not begin with kube- or kubectl-"
    if f"{name}.yaml" != file_name:
        yield f"metadata.name: the file would have to be called {name}.yaml"


def text_faults(spec):
    if not isinstance(spec.get("version"), str) or not VERSION.fullmatch(spec["version"]):
        yield "spec.version: must be a semantic version that begins with v"
    short = spec.get("shortDescription")
    if not is_text(short):
        yield "spec.shortDescription: must be set"
    elif "\n" in short or "\r" in short:
        yield "spec.shortDescription: must be one line"
    elif len(short) > SHORT or short.endswith("."):
        yield f"spec.shortDescription: must be a few words, {SHORT} characters and no full stop"
    if not is_text(spec.get("description")):
        yield "spec.description: must be set"
    if not is_text(spec.get("caveats", "none")):
        yield "spec.caveats: must be a text"
    if not is_https_url(spec.get("homepage")):
        yield "spec.homepage: must be an https URL"


def platform_faults(platform):
    yield from unknown_fields("", platform, PLATFORM_FIELDS)
    uri = platform.get("uri")
    if not is_https_url(uri):
        yield "uri: must be an https URL"
    elif not uri.endswith(".tar.gz"):
        yield "uri: must be that of a .tar.gz"
    if not isinstance(platform.get("sha256"), str) or not SHA256.fullmatch(platform["sha256"]):
        yield "sha256: must be 64 digits of 0-9 and a-f"
    if not is_text(platform.get("bin")) or "/" in platform["bin"]:
        yield "bin: must be the name of a file"
    if platform.get("selector") not in [{"matchLabels": machine} for machine in MACHINES]:
        yield "selector: must match labels, os linux and arch amd64 or arm64"


def overlap_faults(platforms):
    """krew takes the first that fits, so a second one for the same machines is never installed."""
    selectors = [platform.get("selector") for platform in platforms]
    for number, selector in enumerate(selectors):
        if selector and selector in selectors[:number]:
            yield f"spec.platforms[{number}]: another one has the same selector"


def archive_faults(platform, folder):
    path = folder / pathlib.PurePosixPath(urllib.parse.urlsplit(platform["uri"]).path).name
    if not path.is_file():
        yield f"uri: {path.name} is not in {folder}"
        return
    if hashlib.sha256(path.read_bytes()).hexdigest() != platform["sha256"]:
        yield f"sha256: is not that of {path.name}"
    try:
        with tarfile.open(path, mode="r:gz") as archive:
            members = {member.name.removeprefix("./"): member for member in archive}
    except (tarfile.TarError, OSError, EOFError, zlib.error) as error:
        yield f"uri: {path.name} cannot be read: {error}"
        return
    if "LICENSE" not in members:
        yield f"uri: {path.name} has no LICENSE"
    binary = members.get(platform["bin"])
    if not binary or not binary.isfile() or not binary.mode & 0o111:
        yield f"bin: {path.name} has no program of that name"
    for name, member in members.items():
        if name.startswith("/") or ".." in name.split("/") or not (member.isfile() or member.isdir()):
            yield f"uri: {path.name} must not have {name}"


def spec_faults(spec, folder):
    yield from unknown_fields("spec.", spec, SPEC_FIELDS)
    yield from text_faults(spec)
    platforms = spec.get("platforms")
    if not isinstance(platforms, list) or not platforms:
        yield "spec.platforms: must list a platform"
        return
    for number, platform in enumerate(platforms):
        place = f"spec.platforms[{number}]"
        if not isinstance(platform, dict):
            yield f"{place}: must have fields"
            continue
        found = list(platform_faults(platform))
        if not found and folder:
            found = list(archive_faults(platform, folder))
        yield from (f"{place}.{fault}" for fault in found)
    yield from overlap_faults([one for one in platforms if isinstance(one, dict)])


def faults_of(text, file_name, folder=None):
    """Returns what is wrong with the manifest `text`; with `folder` also with the archives there."""
    try:
        plugin = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, LookupError, RecursionError) as error:
        return [f"is not YAML: {error}"]
    if not isinstance(plugin, dict):
        return ["has no fields"]
    faults = list(unknown_fields("", plugin, TOP_FIELDS))
    if plugin.get("apiVersion") != API_VERSION:
        faults.append(f"apiVersion: must be {API_VERSION}")
    if plugin.get("kind") != "Plugin":
        faults.append("kind: must be Plugin")
    metadata, spec = plugin.get("metadata"), plugin.get("spec")
    if isinstance(metadata, dict):
        faults += unknown_fields("metadata.", metadata, {"name"})
    faults += name_faults(metadata.get("name") if isinstance(metadata, dict) else None, file_name)
    faults += spec_faults(spec, folder) if isinstance(spec, dict) else ["spec: must be set"]
    return faults


def main():
    if len(sys.argv) not in (2, 3):
        print(__doc__, file=sys.stderr)
        return 2
    manifest = pathlib.Path(sys.argv[1])
    folder = pathlib.Path(sys.argv[2]) if len(sys.argv) == 3 else None
    try:
        text = manifest.read_text(encoding="utf-8")
    except (OSError, UnicodeError) as error:
        print(f"{manifest}: {error}", file=sys.stderr)
        return 2
    faults = faults_of(text, manifest.name, folder)
    for fault in faults:
        print(f"{manifest.name}: {fault}", file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
