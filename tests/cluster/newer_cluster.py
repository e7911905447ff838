"""A Cluster whose CRDs and custom resources are those of a new Kubernetes (crd_server), in front of kube-apiserver.

What is new of it: CRDs, custom resources, their validation with ratcheting, fieldValidation. Namespaces, rights and
logins are still the older server's.
"""
import json
import os
import subprocess

import cluster
import kubectl

BINARY = kubectl.CACHE / "crd_server"
RELEASE = "1.36"  # what the tests expect is of this one; crd_server/build.sh builds no other


class NewerCluster(cluster.Cluster):
    has_v1beta1 = False
    ratchets = True

    def __enter__(self):
        if not BINARY.exists():
            raise cluster.MissingBinaries("no crd_server (sh tests/cluster/crd_server/build.sh makes one)")
        version = subprocess.run([BINARY, "--version"], capture_output=True, text=True, check=True).stdout.strip()
        if f"v{RELEASE}." not in version:
            raise cluster.MissingBinaries(f"crd_server is {version}, and the tests are for {RELEASE}")
        return super().__enter__()

    def change_crd(self, name, change):
        """Makes of a CRD in etcd what no such server takes any more; it is stored as v1beta1."""
        key = f"/registry/apiextensions.k8s.io/customresourcedefinitions/{name}"
        crd = json.loads(self.etcd_get(key))
        change(crd["spec"])
        self.etcd_put(key, json.dumps(crd).encode())

    def preserve_unknown_fields(self, name, body, path):
        """Turns pruning off for the CRD, and waits until `body` created at `path` would keep its unknown field."""
        self.change_crd(name, lambda spec: spec.update(preserveUnknownFields=True))
        with_unknown = {**body, "metadata": {"name": "probe"}, "unknownToAll": True}
        api = self.api()

        def preserves():
            # 503 while the handlers of the CRD are made anew: "apiserver is shutting down".
            status, made = api.request("POST", f"{path}?dryRun=All", with_unknown)
            return status == 201 and "unknownToAll" in made

        try:
            cluster.wait_for(f"{name} prunes still", preserves)
        finally:
            api.close()

    def _more_arguments(self):
        return ["--etcd-prefix=/registry-behind"]

    def _start_kube_apiserver(self):
        front = self.port
        self.port, = cluster.free_ports(1)
        super()._start_kube_apiserver()
        login = self.folder / "behind.kubeconfig"
        login.touch(0o600)
        login.write_text(self.kubeconfig())  # the admin's, of the server behind
        self.port = front
        certificates = self.certificates
        os.environ["KUBE_FEATURE_WatchListClient"] = "false"  # the server behind knows no such watch
        self._start_server(
            [str(BINARY), f"--kubeconfig={login}", f"--authentication-kubeconfig={login}",
             f"--authorization-kubeconfig={login}", "--authentication-skip-lookup=true",
             "--authorization-webhook-cache-authorized-ttl=1ms",
             "--authorization-webhook-cache-unauthorized-ttl=1ms",
             f"--etcd-servers={self.etcd_endpoint}", "--etcd-prefix=/registry",
             f"--secure-port={front}", "--bind-address=127.0.0.1", f"--client-ca-file={certificates.ca}",
             f"--tls-cert-file={certificates.serving[0]}", f"--tls-private-key-file={certificates.serving[1]}",
             "--enable-priority-and-fairness=false",
             "--disable-admission-plugins=ValidatingAdmissionPolicy,MutatingAdmissionPolicy"],
            self._ready)
