"""`kubectl-prune populate` in a cluster of a thousand namespaces: whatever changes of templates and labels, in the end
each object is as the rules say, none is missing and none too many.

populate_scale_test.py BINARY [TEST...]. COUNT=50 in the environment: fewer namespaces. Exit code 77 (skipped) without a
server.
"""
import base64
import hashlib
import json
import os
import pathlib
import sys

from cluster import Cluster, ClusterError, wait_for
from migrations import ask_in_parallel
from populating import (NAMESPACES, OPT_OUT, RESOURCES, TEMPLATE, Controlled, bring_in_the_crd, config_map, limit_range,
                        quota, role, role_binding)
from runner import end, run_tests

BINARY = None
CLUSTER = None
COUNT = int(os.environ.get("COUNT") or 1000)
SECONDS = 240  # far more than it takes
PART_OF = "applyset.kubernetes.io/part-of"
TIERS = ("web", "data", "batch")


def apply_set(template):
    """Returns the id of the ApplySet whose parent is this template, as KEP-3659 makes it of what names the parent."""
    names = f"{template}..NamespaceTemplate.policy.kubectl-prune.dev"
    return f"applyset-{base64.urlsafe_b64encode(hashlib.sha256(names.encode()).digest()).decode().rstrip('=')}-v1"


def seen(item):
    """Returns what is compared of an object: all but what the server itself writes into it."""
    metadata = item["metadata"]
    content = {key: value for key, value in item.items() if key not in ("apiVersion", "kind", "metadata", "status")}
    return {**content, "labels": metadata.get("labels", {}), "annotations": metadata.get("annotations", {})}


class Model:
    """What is to be in each namespace, told by the rules alone."""

    def __init__(self):
        self.labels = {}  # by namespace
        self.annotated = set()  # namespaces that opt out by an annotation
        self.templates = {}  # by name: ({label: values that are selected}, objects)
        self.objects = {}  # by namespace: {(kind, name): as seen() has it}
        self.theirs = {}  # {(kind, namespace, name): as seen() has it} that no template has made

    def is_left_alone(self, namespace):
        return namespace in self.annotated or OPT_OUT.items() <= self.labels[namespace].items()

    def selected(self, template):
        """Returns the namespaces that a template is for."""
        selector = self.templates[template][0]
        return [namespace for namespace, labels in self.labels.items() if not self.is_left_alone(namespace)
                and all(labels.get(key) in values for key, values in selector.items())]

    def settle(self):
        """Brings the namespaces to what the templates say; those that opt out stay as they are."""
        for namespace in self.labels:
            if not self.is_left_alone(namespace):
                self.objects[namespace] = {}
        # Of several templates with an object the last one by name counts.
        for template in sorted(self.templates):
            for namespace in self.selected(template):
                for body in self.templates[template][1]:
                    key = body["kind"], body["metadata"]["name"]
                    self.objects[namespace][key] = self._made(body, template, namespace)

    @staticmethod
    def _made(body, template, namespace):
        made = json.loads(json.dumps(body).replace("$(NAMESPACE)", namespace))
        return {**seen(made), "labels": {TEMPLATE: template, PART_OF: apply_set(template)}}

    def expected(self):
        """Returns {(kind, namespace, name): as seen() has it}."""
        return {**self.theirs, **{(kind, namespace, name): body for namespace, objects in self.objects.items()
                                  for (kind, name), body in objects.items()}}


class Scale(Controlled):
    def setUp(self):
        self.begin(CLUSTER, BINARY)
        self.model = Model()

    def forget(self):
        """The cluster goes with its only test."""

    def test_all_that_changes_at_once_is_followed_object_by_object(self):
        self.make_namespaces(0, COUNT)
        self.controller()
        self.make_templates()
        self.settles()

        # Once the controller does not count them any more: nobody says in which order it sees what comes next.
        self.relabel(self.numbered(20, 3), OPT_OUT)
        self.annotate(self.numbered(20, 13), "true")
        self.wait_for_counts()
        before, revisions = self.model.expected(), self.revisions()
        self.change_all()
        self.settles()
        # What stays as it was, in most of all namespaces, was not even written.
        same = [key for key, body in self.model.expected().items() if before.get(key) == body]
        self.assertLess(2 * COUNT, len(same))
        now = self.revisions()
        self.assertEqual([], [key for key in same if revisions[key] != now[key]])

        self.relabel(self.numbered(40, 3), dict.fromkeys(OPT_OUT))
        self.annotate(self.numbered(40, 13), None)
        self.settles()
        controller, = self.controllers
        self.assertEqual(0, controller.stop(), controller.lines)
        self.assert_as_expected()

    def make_templates(self):
        self.add("base", {}, config_map("contacts", mail="ops@example.com"),
                 config_map("settings", mode="strict", place="$(NAMESPACE)"))
        self.add("data", {"tier": ["data", "batch"]}, limit_range("small", "100m"))
        self.add("rights", {}, role("reader", "get", "list"), role_binding("readers", "reader", "of-$(NAMESPACE)"))
        self.add("special", {"tier": ["batch"]}, config_map("settings", mode="special"), role("special", "delete"))
        self.add("web", {"tier": ["web"]}, quota("few", "10"))

    def change_all(self):
        """A template is changed, another one removed, a selector is changed; namespaces change sides, go and come."""
        self.model.templates[self.full("base")][1][:] = [
            config_map("settings", mode="loose", place="$(NAMESPACE)"), config_map("notice", {"annotations": {
                "for": "all of $(NAMESPACE)"}}, text="new")]
        self.change(self.full("base"), *self.model.templates[self.full("base")][1])
        # Under what it had there is an object of "base" too.
        self.remove(self.full("special"))
        del self.model.templates[self.full("special")]
        for number, tier in enumerate(TIERS):
            self.relabel(self.numbered(21, 7 * number), {"tier": tier})
        self.choose("data", {"tier": ["data", "web"]})
        self.relabel(self.numbered(50, 3), {"test": None})
        self.make_namespaces(COUNT, COUNT + COUNT // 50)

    def full(self, name):
        return f"{name}-{self.number}"

    def selection(self, selector):
        return {"test": [str(self.number)], **selector}

    @staticmethod
    def written(selection):
        return {"matchExpressions": [{"key": key, "operator": "In", "values": values}
                                     for key, values in selection.items()]}

    def add(self, name, selector, *objects):
        selection = self.selection(selector)
        self.model.templates[self.template(name, *objects, selector=self.written(selection))] = selection, [*objects]

    def choose(self, name, selector):
        selection = self.selection(selector)
        self.model.templates[self.full(name)] = selection, self.model.templates[self.full(name)][1]
        self.select(self.full(name), self.written(selection))

    def make_namespaces(self, first, last):
        """One in nine has an object of somebody, with a name as templates have."""
        new = {self.full(f"n{number:04}"): {"test": str(self.number), "tier": TIERS[number % len(TIERS)]}
               for number in range(first, last)}
        ask_in_parallel(CLUSTER, list(new), lambda api, name: api.post(
            NAMESPACES, {"metadata": {"name": name, "labels": new[name]}}))
        self.model.labels.update(new)
        for name in list(new)[::9]:
            body = config_map("few", whose="theirs")
            self.api.post(f"{NAMESPACES}/{name}/configmaps", body)
            self.model.theirs["ConfigMap", name, "few"] = seen(body)

    def numbered(self, step, first):
        """Returns every so many of the namespaces that there were at the beginning."""
        return [self.full(f"n{number:04}") for number in range(first, COUNT, step)]

    def relabel(self, namespaces, labels):
        for name in namespaces:
            merged = {**self.model.labels[name], **labels}
            self.model.labels[name] = {key: value for key, value in merged.items() if value is not None}
        ask_in_parallel(CLUSTER, namespaces, lambda api, name: api.patch(
            f"{NAMESPACES}/{name}", {"metadata": {"labels": labels}}))

    def annotate(self, namespaces, value):
        """Has them opt out by an annotation, or none of them any more."""
        change = self.model.annotated.update if value else self.model.annotated.difference_update
        change(namespaces)
        ask_in_parallel(CLUSTER, namespaces, lambda api, name: api.patch(
            f"{NAMESPACES}/{name}", {"metadata": {"annotations": dict.fromkeys(OPT_OUT, value)}}))

    def items(self):
        """Yields (key, object) of all objects in namespaces of this test, and of all that a template has made."""
        for kind, (base, plural) in RESOURCES.items():
            for item in self.api.get(f"{base}/{plural}")["items"]:
                metadata = item["metadata"]
                if metadata["namespace"] in self.model.labels or TEMPLATE in metadata.get("labels", {}):
                    yield (kind, metadata["namespace"], metadata["name"]), item

    def found(self):
        """As Model.expected."""
        return {key: seen(item) for key, item in self.items()}

    def revisions(self):
        return {key: item["metadata"]["resourceVersion"] for key, item in self.items()}

    def wait_for_counts(self):
        """Until each template says of how many namespaces it is what it is now, and that nothing has failed."""
        for name in self.model.templates:
            self.wait_for_status(name, SECONDS, namespaces=len(self.model.selected(name)), failures=[])

    def settles(self):
        self.model.settle()
        self.wait_for_counts()
        try:
            wait_for("", lambda: self.found() == self.model.expected(), SECONDS, 1)
        except ClusterError:
            self.assert_as_expected()

    def assert_as_expected(self):
        found, expected = self.found(), self.model.expected()
        different = [f"{key}: {found.get(key)} and not {expected.get(key)}" for key in sorted({*found, *expected})
                     if found.get(key) != expected.get(key)]
        said = [line for controller in self.controllers for line in controller.lines][-20:]
        self.assertEqual([], different[:20], "\n".join([f"{len(different)} differences, and told was:", *said]))


def main():
    global BINARY, CLUSTER
    BINARY = str(pathlib.Path(sys.argv[1]).resolve())
    with Cluster() as CLUSTER:
        bring_in_the_crd(CLUSTER)
        return run_tests(sys.modules[__name__], sys.argv[2:])


if __name__ == "__main__":
    end(main)
