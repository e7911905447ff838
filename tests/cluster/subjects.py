"""CRDs with objects as loop_closes_test.py takes them through the turning on of pruning."""
import copy

V1BETA1_CRDS = "/apis/apiextensions.k8s.io/v1beta1/customresourcedefinitions"
V1_CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"


def crd_of(group, plural, schema):
    """A CRD of one version, v1, that has namespaces."""
    return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": f"{plural}.{group}"},
            "spec": {"group": group, "scope": "Namespaced",
                     "names": {"plural": plural, "singular": plural, "kind": plural.title(),
                               "listKind": f"{plural.title()}List"},
                     "versions": [{"name": "v1", "served": True, "storage": True,
                                   "schema": {"openAPIV3Schema": schema}}]}}


def errors_of(status, answer, where):
    """The errors for which a server refuses a write, as the vectors have them; none where it takes it."""
    if status in (200, 201):
        return []
    if status != 422:
        raise AssertionError(f"{where}: {status} {answer}")
    return [f"{cause.get('field') or '<nil>'}: {cause['message']}" for cause in answer["details"]["causes"]]


class StoredObject:
    """An object to create: `body` is what json can print, or the bytes of a YAML document."""

    def __init__(self, version, namespace, body, content_type="application/json", old=False):
        self.version, self.namespace, self.body = version, namespace, body
        self.content_type = content_type
        self.old = old  # created while another version is the storage version


class Subject:
    """A CRD that preserves unknown fields, and its objects.

    `schemas` maps version names to schemas. With `schema_first` they are in the CRD from the
    start, else they come after the objects. With `proposed` they are never in the live CRD before
    pruning is turned on: the CRD with them is what is proposed, and turns pruning on.
    """

    def __init__(self, group, plural, kind, *, namespaced, schemas, storage, first_storage=None,
                 proposed=False, schema_first=False, status_subresource=False):
        self.group, self.plural, self.kind = group, plural, kind
        self.namespaced, self.schemas, self.storage = namespaced, schemas, storage
        self.first_storage = first_storage or storage
        self.proposed, self.schema_first = proposed, schema_first
        self.status_subresource = status_subresource
        self.served = list(schemas)
        self.objects = []
        self.names = {"plural": plural, "kind": kind, "singular": kind.lower(),
                      "listKind": f"{kind}List"}
        self.own_live_body = None  # the corpus's own v1beta1 CRD, taken as it is
        self.own_proposal = None  # the corpus's own v1 CRD

    @property
    def name(self):
        return f"{self.plural}.{self.group}"

    @property
    def changes_storage(self):
        return self.first_storage != self.storage

    def add_object(self, name, fields, namespace, old=False):
        """Adds a generated object; `namespace` counts where the resource has namespaces."""
        metadata = {"name": name, "labels": {"made": "yes"}}
        if self.namespaced:
            metadata["namespace"] = namespace
        body = {"apiVersion": f"{self.group}/{self.storage}", "kind": self.kind,
                "metadata": metadata, **fields}
        self.objects.append(
            StoredObject(self.storage, metadata.get("namespace", ""), body, old=old))

    def collection(self, version, namespace=""):
        middle = f"namespaces/{namespace}/" if namespace else ""
        return f"/apis/{self.group}/{version}/{middle}{self.plural}"

    def etcd_prefix(self):
        return f"/registry/{self.group}/{self.plural}/"

    def live_body(self):
        """Returns the CRD as it is created, v1beta1."""
        if self.own_live_body:
            return self.own_live_body
        body = {"apiVersion": "apiextensions.k8s.io/v1beta1", "kind": "CustomResourceDefinition",
                "metadata": {"name": self.name},
                "spec": {"group": self.group, "names": self.names, "preserveUnknownFields": True,
                         "scope": "Namespaced" if self.namespaced else "Cluster",
                         "versions": self._versions(self.first_storage)}}
        if self.status_subresource:
            body["spec"]["subresources"] = {"status": {}}
        if self.schema_first:
            body["spec"].update(self._v1beta1_schemas(self.first_storage))
        return body

    def storage_patch(self):
        """Returns the merge patch that makes the last storage version the storage version."""
        if self.schema_first:
            return {"spec": self._v1beta1_schemas(self.storage)}
        return {"spec": {"versions": self._versions(self.storage)}}

    def schema_patch(self):
        """Returns the merge patch that brings the schemas, None if none is due."""
        if self.own_live_body or self.schema_first or self.proposed:
            return None
        return {"spec": {"versions": self._versions(self.storage),
                         **self._v1beta1_schemas(self.storage)}}

    def _versions(self, storage):
        return [{"name": v, "served": True, "storage": v == storage} for v in self.served]

    def _v1beta1_schemas(self, storage):
        """v1beta1 refuses schemas of versions that are all the same: there they stand on top."""
        versions = self._versions(storage)
        if len(versions) == 1:
            return {"validation": {"openAPIV3Schema": self.schemas[versions[0]["name"]]}}
        for version in versions:
            version["schema"] = {"openAPIV3Schema": self.schemas[version["name"]]}
        return {"versions": versions}

    def proposal(self):
        """Returns the proposed CRD, v1, which prunes."""
        if self.own_proposal:
            return self.own_proposal
        versions = self._versions(self.storage)
        for version in versions:
            version["schema"] = {"openAPIV3Schema": copy.deepcopy(self.schemas[version["name"]])}
            if self.status_subresource:
                version["subresources"] = {"status": {}}
        return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
                "metadata": {"name": self.name},
                "spec": {"group": self.group, "names": self.names, "preserveUnknownFields": False,
                         "scope": "Namespaced" if self.namespaced else "Cluster",
                         "versions": versions}}
