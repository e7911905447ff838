"""What tests of `kubectl-prune populate` have in common: templates, their objects, and namespaces."""
import http.client
import itertools
import pathlib
import signal
import socket
import threading
import unittest

from cluster import ClusterError, free_ports, wait_for
from guards import CONFIGURATIONS, KINDS, delete_configurations
from services import Service
from subjects import V1_CRDS

CRD = pathlib.Path(__file__).resolve().parents[2] / "krew/manifests/populate/crd.yaml"
CONFIGURATION_CRD = CRD.with_name("initialization-crd.yaml")
CRD_NAME = "namespacetemplates.policy.kubectl-prune.dev"
CONFIGURATION_CRD_NAME = "namespaceinitializationconfigurations.policy.kubectl-prune.dev"
NAMESPACES = "/api/v1/namespaces"
TEMPLATES = "/apis/policy.kubectl-prune.dev/v1alpha1/namespacetemplates"
INITIALIZATIONS = "/apis/policy.kubectl-prune.dev/v1alpha1/namespaceinitializationconfigurations"
RESOURCES = {"ConfigMap": ("/api/v1", "configmaps"), "LimitRange": ("/api/v1", "limitranges"),
             "ResourceQuota": ("/api/v1", "resourcequotas"),
             "Role": ("/apis/rbac.authorization.k8s.io/v1", "roles"),
             "RoleBinding": ("/apis/rbac.authorization.k8s.io/v1", "rolebindings")}
# Labels and annotations.
TEMPLATE = "policy/namespace-template-name"
DISABLE = {"policy/namespace-template-apply": "disable"}
OPT_OUT = {"policy/namespace-template-opt-out": "true"}
POPULATED = "policy/namespace-template-populated"
REQUIRE_PERMISSION = {"policy/namespace-template-require-permission": "true"}
PENDING = "policy/namespace-pending-initializers"
CREATOR = "authorization.k8s.io/creator"
# Of an ApplySet, by its parent.
KINDS_OF = "applyset.kubernetes.io/contains-group-kinds"
NAMESPACES_OF = "applyset.kubernetes.io/additional-namespaces"
TOOLING = "applyset.kubernetes.io/tooling"
TIME_LIMIT = 480
NUMBERS = itertools.count()


def config_map(name, metadata=None, **data):
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, **(metadata or {})}, "data": data}


def role(name, *verbs):
    return {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": {"name": name},
            "rules": [{"apiGroups": [""], "resources": ["pods"], "verbs": list(verbs)}]}


def role_without_rights(name):
    return {**role(name), "rules": []}


def role_binding(name, role_name, user):
    return {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding", "metadata": {"name": name},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": role_name},
            "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": user}]}


def refused_binding(name):
    binding = role_binding(name, "edit", "jo")
    return {**binding, "roleRef": {**binding["roleRef"], "kind": "Nothing"}}


def quota(name, pods):
    return {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": name}, "spec": {"hard": {"pods": pods}}}


def limit_range(name, cpu):
    return {"apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": name}, "spec": {"limits": [
        {"type": "Container", "default": {"cpu": cpu}, "defaultRequest": {"cpu": cpu}}]}}


def bring_in_the_crd(cluster):
    """NamespaceTemplates and NamespaceInitializationConfigurations are served afterwards."""
    api = cluster.api()
    for crd, path in ((CRD, TEMPLATES), (CONFIGURATION_CRD, INITIALIZATIONS)):
        api.post(V1_CRDS, crd.read_bytes(), "application/yaml")
        wait_for(f"{path} is not served", lambda p=path: api.request("GET", p)[0] == 200)
    api.close()


class Templates(unittest.TestCase):
    """Each test has namespaces, and templates that select them, of its own."""

    def begin(self, cluster, binary):
        self.cluster, self.binary = cluster, binary
        self.api = cluster.api()
        self.addCleanup(self.api.close)
        self.number = next(NUMBERS)
        self.names = []
        self.addCleanup(self.forget)

    def forget(self):
        """As the help says: first the objects of the templates, then the templates."""
        for name in self.names:
            if self.api.request("GET", f"{TEMPLATES}/{name}")[0] == 200:
                self.replace_spec(name, {"namespaces": {"labelSelector": {}}, "templates": []})
                self.api.patch(f"{TEMPLATES}/{name}", {"metadata": {
                    "labels": None, "annotations": {TOOLING: None, **dict.fromkeys(DISABLE)}}})
        self.populate_once()
        for name in self.names:
            self.api.request("DELETE", f"{TEMPLATES}/{name}")

    def populate_once(self, *arguments, user=None):
        return self.cluster.run([self.binary, "populate", "--once", *arguments], user, cwd=self.cluster.folder,
                                timeout=TIME_LIMIT)

    def namespace(self, name, labels=None, annotations=None):
        full = f"{name}-{self.number}"
        self.api.post(NAMESPACES, {"metadata": {
            "name": full, "labels": {"test": str(self.number), **(labels or {})}, "annotations": annotations or {}}})
        return full

    def template(self, name, *objects, labels=None, annotations=None, selector=None):
        full = f"{name}-{self.number}"
        self.names.append(full)
        self.api.post(TEMPLATES, {
            "apiVersion": "policy.kubectl-prune.dev/v1alpha1", "kind": "NamespaceTemplate",
            "metadata": {"name": full, "labels": labels or {}, "annotations": annotations or {}},
            "spec": {"namespaces": {"labelSelector": selector or {"matchLabels": {"test": str(self.number)}}},
                     "templates": list(objects)}})
        return full

    def change(self, name, *objects):
        self.api.patch(f"{TEMPLATES}/{name}", {"spec": {"templates": list(objects)}})

    def replace_spec(self, name, spec):
        self.api.patch(f"{TEMPLATES}/{name}", [{"op": "replace", "path": "/spec", "value": spec}],
                       "application/json-patch+json")

    def select(self, name, selector):
        spec = self.api.get(f"{TEMPLATES}/{name}")["spec"]
        self.replace_spec(name, {**spec, "namespaces": {"labelSelector": selector}})

    def refusal(self, name):
        """Returns (reason, message) of the template's condition Refused, None where it has none."""
        conditions = self.api.get(f"{TEMPLATES}/{name}").get("status", {}).get("conditions", [])
        found = [(one["reason"], one["message"]) for one in conditions if (one["type"], one["status"]) == ("Refused", "True")]
        return found[0] if found else None

    def template_events(self, name):
        """Returns [(reason, message)] of the Events of this template, which are in the namespace default."""
        return [(event["reason"], event["message"]) for event in self.api.get(f"{NAMESPACES}/default/events")["items"]
                if event["involvedObject"].get("kind") == "NamespaceTemplate" and event["involvedObject"]["name"] == name]

    @staticmethod
    def path(namespace, kind, name):
        base, plural = RESOURCES[kind]
        return f"{base}/namespaces/{namespace}/{plural}/{name}"

    def stored(self, namespace, kind, name):
        """Returns the object, None where there is none."""
        status, answer = self.api.request("GET", self.path(namespace, kind, name))
        self.assertIn(status, (200, 404), answer)
        return answer if status == 200 else None

    def apply_as(self, manager, namespace, kind, body, force=True):
        return self.api.request(
            "PATCH", f"{self.path(namespace, kind, body['metadata']['name'])}?fieldManager={manager}&force="
            + str(force).lower(), body, "application/apply-patch+yaml")


class Populater(Service):
    """A controller that watches, while its `with` block lasts."""

    def __init__(self, cluster, binary, *arguments, user=None):
        self.is_killed = False
        self._metrics_port, = free_ports(1)
        self._serves = any(argument.startswith("--webhooks") for argument in arguments)
        super().__init__(cluster, [binary, "populate", f"--metrics-port={self._metrics_port}", *arguments], user)

    def is_up(self):
        watches = any(line.startswith("watching the namespaces") for line in self.lines)
        return watches and (not self._serves or super().is_up())

    def ask(self, path):
        """Returns (HTTP code, text)."""
        connection = http.client.HTTPConnection("127.0.0.1", self._metrics_port, timeout=120)
        try:
            connection.request("GET", path)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        finally:
            connection.close()

    def metrics(self):
        """Returns {name with labels: value}."""
        lines = self.ask("/metrics")[1].splitlines()
        return {key: float(value) for key, _, value in (line.rpartition(" ") for line in lines if line[0] != "#")}

    def leads(self):
        return self.metrics()["populate_leader"] == 1

    def kill(self):
        self.is_killed = True
        self.stop(signal.SIGKILL)

    def __exit__(self, *_):
        super().__exit__()
        delete_configurations(self._cluster)


class NobodyAdmits:
    """While its `with` block lasts no ConfigMap is created in namespaces with the label stuck=yes: somebody's webhook,
    without which nothing is to be stored, hangs up, or with `hangs` takes its whole time for each answer."""

    SECONDS = 10  # as many as a webhook has by default
    NAME = "stuck.example.org"

    def __init__(self, cluster, hangs=False):
        self._cluster, self._hangs = cluster, hangs
        self._holds = False  # not before the server asks it
        self._asked = 0
        self._connections = []

    def _listen(self):
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return  # it is over
            self._asked += 1
            if self._holds:
                self._connections.append(connection)
            else:
                connection.close()

    def __enter__(self):
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._listener = threading.Thread(target=self._listen)
        self._listener.start()
        self._api = self._cluster.api()
        self._api.post(f"{CONFIGURATIONS}/{KINDS[0]}", {
            "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration",
            "metadata": {"name": self.NAME}, "webhooks": [{
                "name": self.NAME, "clientConfig": {"url": f"https://127.0.0.1:{self._socket.getsockname()[1]}/"},
                "sideEffects": "None", "admissionReviewVersions": ["v1"], "failurePolicy": "Fail",
                "timeoutSeconds": self.SECONDS, "namespaceSelector": {"matchLabels": {"stuck": "yes"}}, "rules": [{
                    "apiGroups": [""], "apiVersions": ["*"], "resources": ["configmaps"], "operations": ["CREATE"]}]}]})
        self._api.request("POST", NAMESPACES, {"metadata": {"name": "stuck-probe", "labels": {"stuck": "yes"}}})
        path = f"{NAMESPACES}/stuck-probe/configmaps?dryRun=All"
        wait_for("nobody asks the webhook", lambda: self._api.request("POST", path, config_map("one"))[0] == 500)
        self._asked, self._holds = 0, self._hangs
        return self

    def is_asked(self):
        """For somebody else than us."""
        return self._asked > 0

    def __exit__(self, *_):
        self._api.request("DELETE", f"{CONFIGURATIONS}/{KINDS[0]}/{self.NAME}")
        self._api.close()
        self._socket.shutdown(socket.SHUT_RDWR)
        self._listener.join()
        for one in (*self._connections, self._socket):
            one.close()


class Controlled(Templates):
    """Each test has controllers of its own."""

    def begin(self, cluster, binary):
        super().begin(cluster, binary)
        self.controllers = []

    def populater(self, *arguments, user=None):
        return Populater(self.cluster, self.binary, *arguments, user=user)

    def controller(self, *arguments, user=None):
        """Starts one. At the end of the test it is told to end, as it should."""
        controller = self.enterContext(self.populater(*arguments, user=user))
        self.controllers.append(controller)
        self.addCleanup(self.end, controller)
        return controller

    def end(self, controller):
        self.assertEqual(-signal.SIGKILL if controller.is_killed else 0, controller.stop(), controller.lines)

    def made(self, namespace):
        """Returns {"ConfigMap/note": data, and None of other kinds} of what templates have made."""
        made = {}
        for kind, base in (("ConfigMap", "/api/v1"), ("Role", "/apis/rbac.authorization.k8s.io/v1")):
            items = self.api.get(f"{base}/namespaces/{namespace}/{kind.lower()}s?labelSelector={TEMPLATE}")["items"]
            made.update({f"{kind}/{item['metadata']['name']}": item.get("data") for item in items})
        return made

    def wait_until_made(self, expected, *namespaces, seconds=240):
        """`expected` is what made() is to return of each."""
        try:
            wait_for("", lambda: all(self.made(namespace) == expected for namespace in namespaces), seconds)
        except ClusterError:
            made = [(namespace, self.made(namespace)) for namespace in namespaces]
            said = "\n".join(line for controller in self.controllers for line in controller.lines)
            self.fail(f"{expected} is expected, there is {made}, and told was:\n{said}")

    def events(self, namespace, kind):
        """Returns {(reason, message): how often} of the Events of this type that we have made."""
        events = {}
        for event in self.api.get(f"{NAMESPACES}/{namespace}/events")["items"]:
            if event["source"].get("component") == "kubectl-prune-populate" and event["type"] == kind:
                about = event["involvedObject"]
                self.assertEqual(("Namespace", namespace), (about["kind"], about["name"]))
                key = (event["reason"], event["message"])
                events[key] = events.get(key, 0) + 1
        return events

    def event(self, namespace, kind, text):
        """Returns {reason: how often} of the Events in whose message the text is, once there is one."""
        def found():
            events = self.events(namespace, kind).items()
            return {reason: count for (reason, message), count in events if text in message}
        wait_for(f"no {kind} Event says {text}", found)
        return found()

    def status(self, name):
        return self.api.get(f"{TEMPLATES}/{name}").get("status", {})

    def wait_for_status(self, name, seconds=240, **expected):
        """Until the template says so of what it is now."""
        def is_expected():
            template = self.api.get(f"{TEMPLATES}/{name}")
            status = template.get("status", {})
            return status.get("observedGeneration") == template["metadata"]["generation"] and {
                key: status.get(key) for key in expected} == expected
        try:
            wait_for("", is_expected, seconds)
        except ClusterError:
            self.fail(f"the status of {name} is {self.status(name)}, and not {expected}")

    def label(self, namespace, **labels):
        self.api.patch(f"{NAMESPACES}/{namespace}", {"metadata": {"labels": labels}})

    def label_template(self, name, labels):
        self.api.patch(f"{TEMPLATES}/{name}", {"metadata": {"labels": labels}})

    def remove(self, name):
        self.api.delete(f"{TEMPLATES}/{name}")

    def with_test(self, **labels):
        """A selector of namespaces of this test."""
        return {"matchLabels": {"test": str(self.number), **labels}}
