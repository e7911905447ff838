"""Rights of users of the test cluster, given and taken."""
from cluster import wait_for
from migrations import GROUP

RBAC = "/apis/rbac.authorization.k8s.io/v1"
CRDS = "apiextensions.k8s.io"

# What a migration needs, and a little that it only tells more with.
MIGRATION = [
    {"apiGroups": [CRDS], "resources": ["customresourcedefinitions"],
     "verbs": ["get", "list", "patch"]},
    {"apiGroups": [CRDS], "resources": ["customresourcedefinitions/status"], "verbs": ["patch"]},
    {"apiGroups": [GROUP], "resources": ["*"], "verbs": ["get", "list", "watch", "patch"]},
    {"apiGroups": ["admissionregistration.k8s.io"], "resources": ["*"], "verbs": ["list"]},
    {"apiGroups": [""], "resources": ["namespaces"], "verbs": ["get"]}]

# By which runs know of each other; without it a migration warns, and goes on.
LEASING = {"apiGroups": ["coordination.k8s.io"], "resources": ["leases"],
           "verbs": ["get", "create", "update"]}

# The same by update for custom resources.
WITHOUT_PATCH = [*MIGRATION[:2],
                 {"apiGroups": [GROUP], "resources": ["*"],
                  "verbs": ["get", "list", "watch", "update"]},
                 *MIGRATION[3:]]


class Rights:
    """Gives a user these rights in the whole cluster until take() is called, or while a `with` block
    lasts. Returns when the authorizer knows of them."""

    def __init__(self, cluster, user, rules):
        self._cluster, self._user = cluster, user
        self._name = f"{user}-may"
        self._api = cluster.api()
        # The label is asked back through a review: the authorizer learns of roles a moment later.
        self._marker = {"apiGroups": ["marker.example.com"], "resources": ["marks"], "verbs": ["get"]}
        self._api.post(f"{RBAC}/clusterroles",
                       {"metadata": {"name": self._name}, "rules": [*rules, self._marker]})
        self._api.post(f"{RBAC}/clusterrolebindings", {
            "metadata": {"name": self._name}, "subjects": [{"kind": "User", "name": user}],
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole",
                        "name": self._name}})
        wait_for("rights", self._are_known)
        self._api.close()  # take() opens it again, whatever becomes of the server meanwhile

    def _are_known(self):
        own = self._cluster.api(self._user)
        review = own.post("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", {
            "spec": {"resourceAttributes": {"group": "marker.example.com", "resource": "marks",
                                            "verb": "get"}}})
        own.close()
        return review["status"]["allowed"]

    def take(self):
        self._api.delete(f"{RBAC}/clusterrolebindings/{self._name}")
        self._api.delete(f"{RBAC}/clusterroles/{self._name}")
        wait_for("rights to be gone", lambda: not self._are_known())
        self._api.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.take()
