"""Shows the main job on a real API server: check, migrate --enable-pruning, check; etcd before and after.

Usage: demo.py KUBECTL_PRUNE. Exit code 0: everything was shown as it should be.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

from cluster import ApiError, Cluster, ClusterError, wait_for

DEMO = pathlib.Path(__file__).resolve().parent.parent / "demo"
CRDS = "/apis/apiextensions.k8s.io/v1beta1/customresourcedefinitions"
WIDGETS = "/apis/demo.example.com/v1"
ETCD_WIDGETS = "/registry/demo.example.com/widgets"


class Demo:
    """Runs commands of one cluster and compares what they say with what they should."""

    def __init__(self, cluster, binary, folder):
        self.cluster = cluster
        self.folder = folder  # of the state and the backup
        self.binary = str(pathlib.Path(binary).resolve())
        self.api = cluster.api()
        self.shown = 0
        self.wrong = 0

    def show(self, explanation, code, text, *arguments):
        """Runs kubectl prune and expects this exit code, and this text in what it says."""
        print(f"\n# {explanation}\n$ kubectl prune {' '.join(arguments)}", flush=True)
        run = subprocess.run([self.binary, *arguments], cwd=DEMO.parent.parent, text=True,
                             env=self.cluster.environment(self.cluster.kubeconfig_file()),
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        print(run.stdout, end="")
        print(f"[exit code {run.returncode}]", flush=True)
        self.expect(run.returncode == code, f"exit code {code}")
        self.expect(text in run.stdout, f'to see "{text}"')
        self.shown += 1

    def expect(self, right, what):
        if not right:
            print(f"demo: expected {what}", file=sys.stderr)
            self.wrong += 1

    def create_crd(self, name):
        """While v1beta1 is served it takes what v1 no longer does: preserveUnknownFields: true."""
        text = (DEMO / f"{name}.yaml").read_text()
        text = text.replace("apiextensions.k8s.io/v1\n", "apiextensions.k8s.io/v1beta1\n")
        self.api.post(CRDS, text.encode(), "application/yaml")
        crd = f"{CRDS}/{name}.demo.example.com"
        wait_for(f"{name} is not established", lambda: any(
            condition["type"] == "Established" and condition["status"] == "True"
            for condition in self.api.get(crd).get("status", {}).get("conditions") or []))

    def create_widgets(self):
        items = json.loads((DEMO / "widgets-objects.json").read_text())["items"]
        for namespace in sorted({item["metadata"]["namespace"] for item in items}):
            self.api.post("/api/v1/namespaces", {"metadata": {"name": namespace}})
        for item in items:
            metadata = item["metadata"]
            item["metadata"] = {"name": metadata["name"]}
            # A server refuses nulls that the schema does not allow; older objects may have them.
            item["spec"] = {key: value for key, value in item["spec"].items() if value is not None}
            path = f"{WIDGETS}/namespaces/{metadata['namespace']}/widgets"
            wait_for(f"{path} is not served", lambda: self.api.request("GET", path)[0] == 200)
            self.api.post(f"{path}?fieldManager=old-operator", item)

    def stored(self):
        return {key: json.loads(value)["spec"]
                for key, value in self.cluster.etcd_range(ETCD_WIDGETS).items()}

    def show_stored(self, explanation):
        print(f"\n# {explanation}\n$ etcdctl get --prefix {ETCD_WIDGETS}")
        for key, spec in self.stored().items():
            print(f"{key}: spec {json.dumps(spec)}")
        sys.stdout.flush()

    def migrate(self):
        backup = pathlib.Path(self.folder, "backup")
        self.show("What would be done?", 0, "(dry run)", "migrate", "widgets", "--enable-pruning",
                  "--dry-run=client", "--backup-dir", str(backup), "--state-dir", self.folder)
        self.show("Backup, flip, wait, rewrite, verify. Without --yes it asks first.", 0, "verified",
                  "migrate", "widgets", "--enable-pruning", "--yes",
                  "--backup-dir", str(backup), "--state-dir", self.folder)
        saved = "".join(path.read_text() for path in sorted(backup.glob("*.ndjson")))
        print(f"\n# The backup, to be brought back with kubectl replace -f.\n{saved}", end="")
        self.expect("legacyMode" in saved, "legacyMode in the backup")

    def run(self):
        self.create_crd("widgets")
        self.create_crd("gadgets")
        self.create_widgets()
        self.show("Every CRD of the cluster. Exit code 1: there are findings.", 1,
                  "widgets.demo.example.com", "check")
        self.show("One of them, by its short name, object by object.", 1, "shop/nested",
                  "check", "wd", "-n", "shop", "--show-objects")
        self.show("Would the fixed CRD lose anything?", 0, "loses nothing",
                  "check", "-f", "tests/demo/fixed/widgets.yaml")
        self.show_stored("What etcd holds of the widgets now.")
        self.expect("legacyMode" in json.dumps(self.stored()), "legacyMode in etcd")
        self.migrate()
        self.show_stored("What was foretold is gone, and nothing else.")
        self.expect("legacyMode" not in json.dumps(self.stored()), "no legacyMode in etcd")
        self.show("Again: nothing is left to rewrite. That is the proof.", 0, "4 unchanged",
                  "migrate", "widgets", "--state-dir", self.folder)
        self.show("Reads show no loss any more: too late to ask.", 0, "pruning",
                  "check", "widgets", "--no-headers")
        print(f"\n{self.shown} commands shown, {self.wrong} not as expected")
        return 1 if self.wrong else 0


def main():
    try:
        with Cluster() as cluster, tempfile.TemporaryDirectory() as folder:
            return Demo(cluster, sys.argv[1], folder).run()
    except (ApiError, ClusterError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
