"""The API storagemigration.k8s.io on a server that has none, and a stand-in for its controller.

The API is a CRD of the same group, with the fields of k8s.io/api/storagemigration and a status of its own. The
controller does what pkg/controller/storageversionmigrator of kube-controller-manager does, as far as a client
can see it:

- resourceversion.go: a resource that discovery does not have is Failed at once, "resource does not exist in
  discovery"; else status.resourceVersion is that of a list of it;
- storageversionmigrator.go: the condition Running; then each object that is no newer than that, one after the
  other, by a server-side apply of its uid and resourceVersion. 409 counts as done, 429, 500, 503 and 504 begin
  anew, any other refusal is Failed, "migration encountered unhandled error: ..."; at the end Succeeded;
- migrationrunner.go (1.36): one at a time for a resource. The CRD has the condition StorageMigrating meanwhile;
  after it has succeeded status.storedVersions is the storage version, and the condition Running is gone.
"""
import threading
import time

from cluster import wait_for
from subjects import V1_CRDS

GROUP = "storagemigration.k8s.io"
PLURAL = "storageversionmigrations"
NAME = f"{PLURAL}.{GROUP}"
MANAGER = "storage-version-migrator-controller"
TRANSIENT = (429, 500, 503, 504)
METADATA = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"


def serve(api, version="v1beta1"):
    """Returns the path of the collection, once it is served."""
    text = {"type": "string"}
    resource = {"group": text, "resource": text, **({"version": text} if version == "v1alpha1" else {})}
    time_key = "lastUpdateTime" if version == "v1alpha1" else "lastTransitionTime"
    condition = {key: text for key in ("type", "status", "reason", "message", time_key)}
    schema = {"type": "object", "properties": {
        "spec": {"type": "object", "required": ["resource"], "properties": {
            "resource": {"type": "object", "required": list(resource), "properties": resource}}},
        "status": {"type": "object", "properties": {
            "resourceVersion": text,
            "conditions": {"type": "array", "items": {"type": "object", "properties": condition}}}}}}
    api.post(V1_CRDS, {
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": NAME, "annotations": {"api-approved.kubernetes.io": "unapproved, a test"}},
        "spec": {"group": GROUP, "scope": "Cluster",
                 "names": {"plural": PLURAL, "singular": "storageversionmigration",
                           "kind": "StorageVersionMigration", "listKind": "StorageVersionMigrationList"},
                 "versions": [{"name": version, "served": True, "storage": True, "subresources": {"status": {}},
                               "schema": {"openAPIV3Schema": schema}}]}})
    path = f"/apis/{GROUP}/{version}/{PLURAL}"
    wait_for(path, lambda: api.request("GET", path)[0] == 200)
    return path


class Ended(Exception):
    """The StorageVersionMigration is in its last condition, or gone."""


class StorageMigrator:
    """Works on all StorageVersionMigrations, in a thread, for as long as a `with` block lasts.

    `lies`: it writes no object and says that it has succeeded. `stops_at`: "running", where it has said that it
    runs, or a number of objects; there it waits until `go` is set. `marks`: as 1.36, with the condition of the CRD.
    `before_object(number)` is called before each write.
    """

    def __init__(self, cluster, path, *, lies=False, stops_at=None, marks=False, before_object=None):
        self._cluster, self._path = cluster, path
        self._lies, self._stops_at, self._marks = lies, stops_at, marks
        self._before_object = before_object or (lambda number: None)
        self.go, self.stopped_there = threading.Event(), threading.Event()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._work)
        self.error = None
        self.patched = 0
        self.trimmed = []  # what it has set status.storedVersions to
        self.seen = []  # names of those that it has worked on, each once

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._over.set()
        self.go.set()
        self._thread.join()
        if self.error:
            raise self.error

    def _work(self):
        self._api = self._cluster.api()
        try:
            while not self._over.wait(0.05):
                status, found = self._api.request("GET", self._path)
                for migration in found.get("items", []) if status == 200 else []:
                    self._sync(migration)
        except Exception as error:  # pylint: disable=broad-except  (it is raised again at the end)
            self.error = error
        finally:
            self._api.close()

    def _sync(self, migration):
        if {"Succeeded", "Failed"} & {c["type"] for c in migration.get("status", {}).get("conditions", [])}:
            return
        name = migration["metadata"]["name"]
        if name not in self.seen:
            self.seen.append(name)
        try:
            self._migrate(name, migration["spec"]["resource"])
        except Ended:
            pass

    def _set_status(self, name, status):
        """Ends with whoever has deleted it."""
        code, answer = self._api.request("PATCH", f"{self._path}/{name}/status", {"status": status},
                                         "application/merge-patch+json")
        if code == 404:
            raise Ended
        if code >= 400:
            raise AssertionError(answer)

    def _set_condition(self, name, checkpoint, condition, reason, message=""):
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        running = [{"type": "Running", "status": "False", "reason": "StorageVersionMigrationInProgress",
                    "lastTransitionTime": now}] if condition == "Succeeded" else []
        # The real one has an empty message too, which a CRD of 1.20 takes for null.
        self._set_status(name, {**({"resourceVersion": checkpoint} if checkpoint else {}), "conditions": [
            *running, {"type": condition, "status": "True", "reason": reason, "lastTransitionTime": now,
                       **({"message": message} if message else {})}]})

    def _fail(self, name, checkpoint, message):
        self._set_condition(name, checkpoint, "Failed", "StorageVersionMigrationFailed", message)
        raise Ended

    def _find(self, resource):
        """Returns (path of all objects, kind, apiVersion), or None where discovery does not have the resource."""
        code, group = self._api.request("GET", f"/apis/{resource['group']}")
        if code != 200:
            return None
        version = resource.get("version") or group["preferredVersion"]["version"]
        code, found = self._api.request("GET", f"/apis/{resource['group']}/{version}")
        for one in found.get("resources", []) if code == 200 else []:
            if one["name"] == resource["resource"]:
                api_version = f"{resource['group']}/{version}"
                return f"/apis/{api_version}", one, api_version
        return None

    def _migrate(self, name, resource):
        place = self._find(resource)
        if place is None:
            self._fail(name, None, "resource does not exist in discovery")
        base, described, api_version = place
        objects = f"{base}/{described['name']}"
        checkpoint = self._api.get(f"{objects}?limit=1")["metadata"]["resourceVersion"]
        self._set_status(name, {"resourceVersion": checkpoint})
        crd = f"{V1_CRDS}/{resource['resource']}.{resource['group']}"
        if self._marks:
            self._mark(crd, "True", "MigrationRunning", f"Migration {name} is running")
        self._set_condition(name, checkpoint, "Running", "StorageVersionMigrationInProgress")
        self._wait_at("running")
        try:
            if not self._lies:
                self._patch_all(name, checkpoint, base, objects, described, api_version)
            self._set_condition(name, checkpoint, "Succeeded", "StorageVersionMigrationSucceeded")
        finally:
            self._finish(name, crd)

    def _finish(self, name, crd):
        """finishCRDMigration of 1.36: whatever became of the objects."""
        if not self._marks or self._over.is_set():
            return
        time.sleep(0.5)  # another controller, which looks a moment later
        # That of the lister: one that is deleted by then is never cleaned up.
        if self._api.request("GET", f"{self._path}/{name}")[0] == 200:
            self._release(crd)

    def _wait_at(self, place):
        if self._stops_at != place or self.go.is_set():
            return
        self.stopped_there.set()
        self.go.wait()
        if self._over.is_set():
            raise Ended

    def _patch_all(self, name, checkpoint, base, objects, described, api_version):
        listed = self._api.request("GET", objects, accept=METADATA)[1]["items"]
        for number, item in enumerate(listed):
            metadata = item["metadata"]
            if int(metadata["resourceVersion"]) > int(checkpoint):
                continue
            self._wait_at(number)
            self._before_object(number)
            within = f"namespaces/{metadata['namespace']}/" if described["namespaced"] else ""
            code, answer = self._apply(f"{base}/{within}{described['name']}/{metadata['name']}",
                                       {"apiVersion": api_version, "kind": described["kind"],
                                        "metadata": {key: metadata[key] for key in ("uid", "resourceVersion")}})
            if code >= 400 and code != 409:
                self._fail(name, checkpoint, f"migration encountered unhandled error: {answer['message']}")
            self.patched += 1

    def _apply(self, path, body):
        while True:
            code, answer = self._api.request("PATCH", f"{path}?fieldManager={MANAGER}", body,
                                             "application/apply-patch+yaml")
            if code not in TRANSIENT or self._over.wait(0.1):
                return code, answer

    def _mark(self, crd, status, reason, message, **more):
        code, found = self._api.request("GET", crd)
        if code != 200:
            return
        others = [c for c in found["status"]["conditions"] if c["type"] != "StorageMigrating"]
        self._api.patch(f"{crd}/status", {"status": {**more, "conditions": [*others, {
            "type": "StorageMigrating", "status": status, "reason": reason, "message": message,
            "lastTransitionTime": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}]}})

    def _release(self, crd):
        versions = self._api.get(crd)["spec"]["versions"]
        storage = next(version["name"] for version in versions if version["storage"])
        self.trimmed.append([storage])
        self._mark(crd, "False", "MigrationSucceeded",
                   "The migration has succeeded and the stored versions have been updated",
                   storedVersions=[storage])
