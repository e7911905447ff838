#!/usr/bin/env python3
"""Small inputs that would have us print, keep or look for names over and over take little memory, and end.

Usage: hostile_size_test.py KUBECTL_PRUNE FAKE_API_SERVER
"""
import copy
import json
import os
import random
import resource
import subprocess
import sys
import unittest

import sandbox

LONG = "N" * 100_000
MANY = [f"k{i}" for i in range(3000)]
MOST_KIB = 400 * 1024  # with AddressSanitizer; every name once for each of MANY would be 300 MB and more
CRD = {"apiVersion": "apiextensions.k8s.io/v1beta1", "kind": "CustomResourceDefinition",
       "metadata": {"name": "widgets.demo.example.com"}, "spec": {
           "group": "demo.example.com", "scope": "Namespaced", "preserveUnknownFields": True,
           "names": {"plural": "widgets", "kind": "Widget", "listKind": "WidgetList",
                     "singular": "widget"},
           "versions": [{"name": "v1", "served": True, "storage": True}],
           "validation": {"openAPIV3Schema": {"type": "object", "properties": {"spec": {
               "type": "object", "additionalProperties": {"type": "object"}}}}}}}
OBJECT = {"apiVersion": "demo.example.com/v1", "kind": "Widget",
          "metadata": {"name": "a", "namespace": "b"}, "spec": {LONG: dict.fromkeys(MANY, 1)}}
BOX = None


def crd_with(**properties):
    crd = copy.deepcopy(CRD)
    crd["spec"]["validation"]["openAPIV3Schema"]["properties"] |= properties
    return crd


def limit_time():
    seconds = 60
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))


class HostileSize(unittest.TestCase):
    def run_in_little_memory(self, *command):
        """Fails as well where it is killed for its time: what takes minutes for so little hangs."""
        with open(os.devnull, "wb") as null, subprocess.Popen(
                ["kubectl-prune", *command], cwd=BOX.work, stdin=null,
                # What AddressSanitizer keeps of freed memory is not the program's.
                env=BOX.environment | {"ASAN_OPTIONS": "quarantine_size_mb=16"},
                stdout=null, stderr=null, preexec_fn=limit_time) as process:
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        self.assertIn(process.returncode, (0, 1, 2))
        self.assertLess(usage.ru_maxrss, MOST_KIB, command)
        return process.returncode

    def write(self, name, value):
        (BOX.work / name).write_text(json.dumps(value))
        return "-f", name

    def test_a_long_key_above_many_unknown_fields(self):
        files = self.write("crd.json", CRD) + self.write("object.json", OBJECT)
        for command in (["check"], ["check", "--show-objects", "-o", "json"], ["diff"],
                        ["migrate", "--enable-pruning", "-o", "json"]):
            self.run_in_little_memory(*command[:1], "--local", *files, *command[1:])

    def test_many_unknown_fields_with_owners(self):
        # Minutes, if each were looked for among all.
        names = [f"k{i}" for i in range(40_000)]
        crd = crd_with(spec={"type": "object"})
        owned = {"f:spec": {f"f:{name}": {} for name in names}}
        widget = OBJECT | {"spec": dict.fromkeys(reversed(names), 1)}
        widget["metadata"] = OBJECT["metadata"] | {"managedFields": [
            {"manager": "m", "operation": "Update", "fieldsType": "FieldsV1", "fieldsV1": owned}]}
        files = self.write("crd.json", crd) + self.write("object.json", widget)
        self.run_in_little_memory("check", "--local", *files)

    def test_many_unknown_fields_in_a_list_without_owners(self):
        count = 50_000
        crd = crd_with(list={"type": "array", "items": {"type": "object"}})
        owned = {"f:list": {f"f:{i}": {} for i in range(count)}}
        widget = OBJECT | {"spec": {}, "list": [{"a": 1}] * count}
        widget["metadata"] = OBJECT["metadata"] | {"managedFields": [
            {"manager": "m", "operation": "Update", "fieldsType": "FieldsV1", "fieldsV1": owned}]}
        files = self.write("crd.json", crd) + self.write("object.json", widget)
        self.run_in_little_memory("check", "--local", *files)

    def test_many_properties_that_are_alike(self):
        defaults = {f"k{i}": {"type": "integer", "default": 1} for i in range(10_000, 30_000)}
        crd = crd_with(spec={"type": "object", "properties": defaults})
        del crd["spec"]["preserveUnknownFields"]
        self.run_in_little_memory("check", "--local", *self.write("crd.json", crd))

    def test_many_defaults_with_formats_and_patterns(self):
        # Minutes, if the expression of a format were compiled for each text that is held against it. (A match takes
        # RE2 megabytes, and AddressSanitizer some 10 ms to hand them out: hence no more texts.)
        text = {"type": "string", "format": "hostname", "pattern": "^[\\pL.]{1,400}$"}
        defaults = {f"k{i}": {"type": "string", "format": "hostname", "default": "a.example.com"}
                    for i in range(150)}
        crd = crd_with(list={"type": "array", "items": text, "default": ["a.example.com"] * 150},
                       spec={"type": "object", "properties": defaults})
        del crd["spec"]["preserveUnknownFields"]
        self.run_in_little_memory("check", "--local", *self.write("crd.json", crd))

    def test_very_many_defaults_for_many_objects(self):
        # Minutes, if each default were looked for among all that the object has by then.
        crd = crd_with(spec={"type": "object", "properties": {
            f"k{i}": {"type": "integer", "default": 1} for i in range(10_000)}})
        del crd["spec"]["preserveUnknownFields"]
        objects = {"kind": "List", "apiVersion": "v1", "items": [OBJECT | {"spec": {}}] * 50}
        self.run_in_little_memory("check", "--local", *self.write("crd.json", crd),
                                  *self.write("objects.json", objects))

    def test_patterns_that_take_minutes(self):
        # The first alone takes RE2 two minutes. The pairs were compiled anew for each element.
        slow = {"type": "string", "pattern": "^(?:" + "a?" * 1600 + "){1000}$", "default": "a" * 4000}
        def by_turns(*patterns):
            return {"type": "array", "default": ["x"] * 1000, "items": {
                "type": "string", "anyOf": [{"pattern": p} for p in patterns]}}
        greedy = {f"g{i}": {"type": "string", "pattern": "\\pL" * 2690 + str(i), "default": "x"}
                  for i in range(60)}
        letters = {f"k{i}": {"type": "string", "pattern": f"(\\pL{{100}}|x){{3}}{i}", "default": "x"}
                   for i in range(1000)}
        crd = crd_with(slow=slow, empty=by_turns("^(?:" + "|" * 200 + "){999}a$",
                                                 "^(?:" + "|" * 201 + "){999}a$"),
                       classes=by_turns("\\pL|" * 1500 + "a", "\\pL|" * 1600 + "b"),
                       long=by_turns("\\pL|" * 100_000, "\\pL|" * 100_001), **letters, **greedy)
        del crd["spec"]["preserveUnknownFields"]
        self.run_in_little_memory("check", "--local", *self.write("crd.json", crd))

    def test_many_patterns_that_remember_much(self):
        # Each would fill megabytes with the states that its text leads to.
        letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
        words = "|".join(one + letters[i * 7 % 60] for i, one in enumerate(letters[2:]))
        patterns = {f"f{i}": {"type": "string", "pattern": f"^(?:[ab]*a[ab]{{13}}c{i}|{words})$"}
                    for i in range(180)}
        text = "".join(random.Random(1).choice("ab") for _ in range(8000))
        crd = crd_with(spec={"type": "object", "required": ["q"], "properties": patterns})
        for name in ("a", "b"):
            widget = OBJECT | {"metadata": {"name": name, "namespace": "b"},
                               "spec": {"q": 1} | dict.fromkeys(patterns, text)}
            self.write(f"{name}.json", widget)
        files = self.write("crd.json", crd)
        self.run_in_little_memory("check", "--local", *files, "-f", "a.json", "-f", "b.json")

    def test_a_long_key_above_many_fields_that_are_required(self):
        required = {"type": "object", "required": MANY}
        crd = crd_with(spec={"type": "object", "additionalProperties": required})
        files = self.write("crd.json", crd) + self.write("object.json", OBJECT)
        self.run_in_little_memory("check", "--local", *files)
        del crd["spec"]["preserveUnknownFields"]
        spec = crd["spec"]["validation"]["openAPIV3Schema"]["properties"]["spec"]
        spec["default"] = {LONG: {}}
        self.run_in_little_memory("check", "--local", *self.write("crd.json", crd))

    def test_a_long_list_with_keys_of_which_one_element_is_invalid(self):
        # Minutes, if each element were looked for among all.
        element = {"type": "object", "required": ["k"], "properties": {
            "k": {"type": "integer"}, "v": {"type": "string", "maxLength": 1}}}
        crd = crd_with(list={"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"],
                             "items": element})
        elements = [{"k": i, "v": "a"} for i in range(30_000)] + [{"k": -1, "v": "ab"}]
        files = self.write("crd.json", crd) + self.write("object.json", OBJECT | {"spec": {}, "list": elements})
        self.run_in_little_memory("check", "--local", *files)

    def test_a_long_property_above_many_that_are_not_structural(self):
        crd = crd_with(**{LONG: {"type": "object", "properties": dict.fromkeys(MANY, {})}})
        self.run_in_little_memory("check", "--local", *self.write("crd.json", crd))

    def propose(self, live, new, *objects):
        """Exit code 0 says that both were read and compared."""
        for crd in (live, new):
            crd["spec"]["preserveUnknownFields"] = False
        self.write("live.json", live)
        self.write("objects.json", {"kind": "List", "apiVersion": "v1", "items": list(objects)})
        with BOX.server("live.json", "objects.json"):
            code = self.run_in_little_memory("check", *self.write("new.json", new), "--fail-on=none")
        self.assertEqual(0, code)

    def test_a_long_key_above_very_many_changes(self):
        # A gigabyte, if each path were kept; minutes, if each name were looked for among all of an object.
        name, fields = LONG[:1000], [f"k{i}" for i in range(20_000)]

        def crd(text):
            return crd_with(spec={"type": "object", "properties": {
                name: {"type": "object", "properties": dict.fromkeys(fields, text)}}})
        objects = [OBJECT | {"metadata": {"name": f"o{i}", "namespace": "b"}, "spec": {name: dict.fromkeys(fields, "abc")}}
                   for i in range(3)]
        self.propose(crd({"type": "string"}), crd({"type": "string", "maxLength": 2, "nullable": True}), *objects)

    def test_very_many_names_beside_a_large_map(self):
        # Each name of one side is held against the whole schema of the other.
        names = {f"k{i}": {"type": "object", "properties": {"a": {"type": "string"}}} for i in range(5000)}
        numbers = {f"k{i}": {"type": "integer"} for i in range(5000)}
        self.propose(crd_with(spec={"type": "object", "properties": names}),
                     crd_with(spec={"type": "object", "additionalProperties": {"type": "object", "properties": numbers}}))

    def test_embedded_metadata_that_is_deep_or_wide(self):
        crd = crd_with(spec={"type": "object", "x-kubernetes-embedded-resource": True,
                             "x-kubernetes-preserve-unknown-fields": True})
        crd["spec"]["preserveUnknownFields"] = False
        key = '{"f:' + "k" * 100 + '":'
        deep = key * 4000 + "{}" + "}" * 4000
        wide = {f"k{i}": "v" for i in range(100_000)}
        for metadata in ({"managedFields": [{"fieldsV1": "DEEP"}]}, {"managedFields": [{"fieldsV1": {LONG: wide}}]},
                         {"labels": wide}, wide):
            widget = OBJECT | {"spec": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", **metadata}}}
            (BOX.work / "object.json").write_text(json.dumps(widget).replace('"DEEP"', deep))
            self.run_in_little_memory("check", "--local", *self.write("crd.json", crd), "-f", "object.json")

    def test_many_keys_of_a_list_that_are_unknown(self):
        crd = crd_with(list={"type": "array", "x-kubernetes-list-type": "map",
                             "x-kubernetes-list-map-keys": MANY, "items": {"type": "object"}})
        self.run_in_little_memory("check", "--local", *self.write("crd.json", crd))


if __name__ == "__main__":
    sys.exit(sandbox.run_tests())
