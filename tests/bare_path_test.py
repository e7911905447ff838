#!/usr/bin/env python3
"""Scripts of the tests run where no other programs are than Debian's own and those that run.sh installs: as
far as one machine can tell what a bare one lacks.

Usage: bare_path_test.py KUBECTL_PRUNE FAKE_API_SERVER      Exit code 77 (skipped) where there is no dpkg.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ("/bin/", "/sbin/", "/usr/bin/", "/usr/sbin/")
SCRIPTS = ("cli/completion_test.py", "cli/examples_test.py", "cli/surroundings_test.py", "cluster/completion_test.py")
SKIPPED = 77


def wanted_packages():
    """Those that packages.sh and binaries.sh name."""
    text = (ROOT / "tests/packages.sh").read_text(encoding="utf-8")
    lists = re.findall(r'^[A-Z]+_PACKAGES="([^"]+)"', text, re.MULTILINE)
    return {*" ".join(lists).split(), "etcd-server", "etcd-client", "openssl"}


def installed_packages():
    """{name: (is one that every Debian has, names it depends on)}"""
    form = "${Package}\t${Essential}\t${Priority}\t${Provides}\t${Pre-Depends}, ${Depends}\n"
    lines = subprocess.run(["dpkg-query", "-W", "-f", form], capture_output=True, text=True, check=True).stdout
    found = {}
    for line in lines.splitlines():
        name, essential, priority, provides, depends = line.split("\t")
        names = set(re.findall(r"(?:^|[,|])\s*([a-z0-9][a-z0-9+.-]*)", depends))
        value = (essential == "yes" or priority == "required" or name == "apt", names)
        found[name] = value
        for provided in re.findall(r"(?:^|,)\s*([a-z0-9][a-z0-9+.-]*)", provides):
            found.setdefault(provided, (False, {name}))
    return found


def with_dependencies(names, installed):
    reached, left = set(), list(names)
    while left:
        name = left.pop()
        if name in installed and name not in reached:
            reached.add(name)
            left += installed[name][1]
    return reached


def link_programs(folder):
    """Links what is allowed into `folder`."""
    installed = installed_packages()
    base = {name for name, (is_base, _) in installed.items() if is_base}
    packages = with_dependencies(base | wanted_packages(), installed)
    listed = subprocess.run(["dpkg-query", "-L", *sorted(packages)], capture_output=True, text=True, check=False).stdout
    files = {line for line in listed.splitlines() if line.startswith(FOLDERS)}
    for name in os.listdir("/etc/alternatives"):
        if os.path.realpath(f"/etc/alternatives/{name}") in {os.path.realpath(file) for file in files}:
            files.add(f"/usr/bin/{name}")
    for file in files:
        link = folder / pathlib.Path(file).name
        if os.access(file, os.X_OK) and not os.path.isdir(file) and not link.exists():
            link.symlink_to(file)


def main():
    if not shutil.which("dpkg-query"):
        print("skipped: the packages are Debian's")
        return SKIPPED
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        link_programs(pathlib.Path(folder))
        for script in SCRIPTS:
            run = subprocess.run([sys.executable, ROOT / "tests" / script, *sys.argv[1:3]], text=True,
                                 env=os.environ | {"PATH": folder}, capture_output=True, check=False)
            if run.returncode not in (0, SKIPPED):
                failed += 1
                print(f"{script}: exit code {run.returncode}\n{run.stdout}{run.stderr}")
    print(f"{len(SCRIPTS)} scripts, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
