"""The command blocks of the documents and manifests, and which of their commands no test can run.

A block is fenced (```sh, ```console with what is printed, others are samples) or indented by four
blanks; in the comments of a manifest, by three behind the `#`. In an indented block that begins with `$ ` the output is shown too; else it is commands if its
first word is one.
"""
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCUMENTS = ["README.md", "CONTRIBUTING.md", "docs/ADMISSION.md", "docs/ARCHITECTURE.md", "docs/COMPARISON.md",
             "docs/CONVENTIONS.md", "docs/FLEETS.md", "docs/HOOKS.md", "docs/MIGRATE.md", "docs/MUTATION.md",
             "docs/PERFORMANCE.md", "docs/POPULATE.md", "docs/REPORTS.md", "docs/RUNBOOK.md",
             *(str(p.relative_to(ROOT)) for p in sorted(ROOT.glob("docs/decisions/*.md"))),
             *(str(p.relative_to(ROOT)) for p in sorted(ROOT.glob("krew/*.md"))),
             *(str(p.relative_to(ROOT)) for p in sorted(ROOT.glob("krew/manifests/**/*"))
               if p.is_file())]
SAMPLES = {"text", "yaml", "json", "mermaid", "cpp", "bash"}
PROGRAMS = {"apt-get", "argocd", "build/release/tests/bench/bench_prune", "cat", "chmod", "cmake", "cp",
            "curl", "docker", "flux", "git", "grep", "helm", "kubectl", "kubectl-prune", "ls", "mkdir",
            "mv", "python3", "sed", "sh", "sudo", "tar", "tests", "export", "ln", "cd", "bash", "file", "ldd",
            "sha256sum", "UPDATE=1", "openssl", "KUBECTL_PRUNE_SIGNING_KEY=$(cat"}
# What cannot be run by a test, and why. What takes long is run elsewhere.
NOT_RUN = [
    (r"argocd ", "needs Argo CD"),
    (r"flux ", "needs Flux"),
    (r"docker ", "needs Docker"),
    (r"kubectl prune check .*--contexts ", "needs many clusters; tests/cluster/fleet_test.py runs it"),
    (r"kubectl prune migrate .*--contexts ", "needs many clusters; tests/cluster/fleet_migrate_test.py runs it"),
    (r"kubectl prune guard ", "goes on until a signal ends it; tests/cluster/guard_test.py runs it"),
    (r"kubectl prune populate( *$| --(webhooks|resync)=)",
     "goes on until a signal ends it; tests/cluster/manifests_test.py runs it"),
    (r"kubectl create secret generic (guard|populate)-tls ", "needs a certificate for a Service"),
    (r"helm |cp krew/manifests/hooks/helm/", "needs Helm and a chart"),
    (r"kubectl (logs|wait|cp) ", "needs a node that runs pods"),
    (r"sudo ", "changes the machine; the files that are installed are tested in tests/krew and tests/cli"),
    (r"cmake ", "builds the program that this test is given"),
    (r"sh tests/(run|demo|tidy|screenshots)\.sh", "runs this test, builds, or shows the demo: tests/run.sh is how one runs it"),
    (r"sh krew/", "builds for minutes; krew has tests of its own"),
    (r"openssl |KUBECTL_PRUNE_SIGNING_KEY=", "makes a key for good; tests/krew/release_test.py signs with one of its own"),
    (r"kubectl krew |version=|tar -xzf kubectl-prune_",
     "needs krew or a release; tests/krew lays the files out as krew does"),
    (r"kubectl prune migrate .*--engine=in-cluster",
     "needs a cluster with an engine of its own; tests/cluster/engine_test.py runs it"),
    (r"kubectl apply -f fairness\.yaml", "needs Kubernetes 1.29; tests/cluster/manifests_test.py applies it as 1.20 has it"),
    (r"kubectl get storageversionmigrations", "a cluster without them has no such resource"),
]

# What an older kubectl cannot do, or prints otherwise, and the minor version that it was seen of.
NEEDS_KUBECTL = [
    (r"kubectl kustomize ", 21),
    (r"kubectl get .*--show-managed-fields", 21),
    (r"kubectl label .*[a-z]-$", 32),  # "unlabeled"; "labeled" before
    (r"kubectl annotate namespace shop authorization", 32),  # in the webhook's words; "The request is invalid" before
]


class Block:
    """One block: `language` is sh, console or that of a sample; `line` counts from 1."""

    def __init__(self, path, heading, language, line, lines):
        self.path, self.heading, self.language = path, heading, language
        self.line, self.lines = line, lines

    @property
    def place(self):
        return f"{self.path}:{self.line}"

    def commands(self):
        """Returns [(command, lines that are shown below it, or None)]."""
        if self.language == "console":
            return [(chunk[0].removeprefix("$ "), chunk[1:]) for chunk in self._chunks()]
        text = re.sub(r"\\\n\s*", "", "\n".join(self.lines))
        found = [re.sub(r"\s+# .*$", "", line) for line in text.split("\n")]
        return [(line, None) for line in found if line and not line.startswith("#")]

    def _chunks(self):
        chunks = []
        for line in self.lines:
            if line.startswith("$ "):
                chunks.append([])
            if chunks:
                chunks[-1].append(line)
        return chunks


def indented_language(lines):
    first = next((line for line in lines if not re.match(r"#|\w+=\S*$", line)), "")
    if first.startswith("$ "):
        return "console"
    return "sh" if first.split(" ")[0] in PROGRAMS else "sample"


def blocks(path):
    """Yields every block of a document."""
    lines = (ROOT / path).read_text(encoding="utf-8").split("\n")
    if path.startswith("krew/manifests/"):
        lines = [line.removeprefix("#").removeprefix(" ").replace("  ", "    ", 1) if line.startswith("#")
                 else "" for line in lines]
    heading, number = "", 0
    while number < len(lines):
        line = lines[number]
        if line.startswith("## "):
            heading = line[3:]
        fence = re.match(r"^( *)```(\w*)$", line)
        if fence:
            end = next(n for n in range(number + 1, len(lines)) if lines[n] == fence[1] + "```")
            body = [one.removeprefix(fence[1]) for one in lines[number + 1:end]]
            yield Block(path, heading, fence[2] or "none", number + 2, body)
            number = end
        elif line.startswith("    ") and number and not lines[number - 1].strip():
            end = number
            while end < len(lines) and (lines[end].startswith("    ") or not lines[end].strip()):
                end += 1
            body = [one[4:] for one in lines[number:end]]
            while not body[-1].strip():
                body.pop()
            yield Block(path, heading, indented_language(body), number + 1, body)
            number = end - 1
        number += 1


def why_not_run(command):
    """Returns why no test runs this command; None for one that a test runs."""
    return next((why for pattern, why in NOT_RUN if re.match(pattern, command)), None)


def needed_kubectl(command):
    """Returns the minor version of the kubectl that this command needs at least."""
    return next((minor for pattern, minor in NEEDS_KUBECTL if re.match(pattern, command)), 1)
