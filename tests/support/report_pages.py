"""Reads a page of -o html as a browser without scripts does, and knows hostile and large input for one."""
import html.parser
import json
import re

# Elements that have no end.
VOID = {"meta", "input", "br", "img", "link"}
# What a page of ours is made of: markup that came out of a name would be something else.
ELEMENTS = {"html", "head", "meta", "title", "style", "script", "body", "header", "main", "section", "p", "h1",
            "h2", "h3", "b", "small", "span", "a", "ul", "ol", "li", "dl", "div", "dt", "dd", "pre", "table",
            "thead", "tbody", "tr", "th", "td", "details", "summary", "svg", "rect", "title", "figure", "figcaption"}
# Texts that try to be more than text.
HOSTILE = ["<script>parent.hacked=1</script>", "<img src=x onerror=hacked=1>", "\"'><svg/onload=hacked=1>",
           "</script><script>hacked=1</script>", "</style></title></textarea><!--", "]]><![CDATA[", "&lt;b&gt;",
           "javascript:hacked=1", "`|a|` *b* [c](http://evil.example) @everyone #1", "\u202egpj.exe\u2066",
           "a\u2028b\u2029c", "\x1b[2J\x07\x00\x0b\x7f\x9b", "\ufffe\uffff", "\n\n# h\n| a | b |\n|---|---|\n"]


class Page(html.parser.HTMLParser):
    """The elements of a page: text by heading, rows of tables, attributes. Wrong nesting is an error."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.elements, self.attributes, self.rows, self.scripts = [], set(), [], [], []
        self.sections, self.texts = [], {}
        self.feed(text)
        self.close()
        assert self.open == [], self.open

    def handle_starttag(self, tag, attributes):
        self.elements.add(tag)
        self.attributes += [(tag, name, value) for name, value in attributes]
        if tag == "details":
            self.sections.append([])
        if tag == "tr":
            (self.sections[-1] if "details" in self.open else self.rows).append([])
        if tag in ("td", "th"):
            self._row().append("")
        if tag == "script":
            self.scripts.append([dict(attributes), ""])
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag

    def handle_data(self, data):
        if "script" in self.open:
            self.scripts[-1][1] += data
            return
        for tag in ("td", "th"):
            if tag in self.open:
                self._row()[-1] += data
        for tag in {"h1", "title", "style", "summary", "ul"} & set(self.open):
            self.texts[tag] = self.texts.get(tag, "") + data

    def handle_comment(self, data):
        raise AssertionError(f"a comment: {data}")

    def _row(self):
        return (self.sections[-1] if "details" in self.open else self.rows)[-1]

    def tally(self, name):
        """The number on top of the page with this name."""
        return int(re.search(rf"(?:^|\n)(\d+) {name}\n", self.texts["ul"] + "\n")[1])

    def report(self):
        """The report for programs that the page has in it."""
        return json.loads(next(text for attributes, text in self.scripts
                               if attributes.get("type") == "application/json"))


def crd(number, name=None, properties=None):
    plural = f"widgets{number}"
    return {"apiVersion": "apiextensions.k8s.io/v1beta1", "kind": "CustomResourceDefinition",
            "metadata": {"name": f"{plural}.demo.example.com"},
            "spec": {"group": "demo.example.com", "scope": "Namespaced", "preserveUnknownFields": True,
                     "names": {"plural": plural, "kind": name or f"Widget{number}"},
                     "versions": [{"name": "v1", "served": True, "storage": True}],
                     "validation": {"openAPIV3Schema": {"type": "object", "properties": {
                         "spec": {"type": "object", "properties": properties or {}}}}}}}


def custom_resource(number, name, fields, manager="helm", when="2026-01-02T03:04:05Z", kind=None):
    return {"apiVersion": "demo.example.com/v1", "kind": kind or f"Widget{number}",
            "metadata": {"name": name, "namespace": "shop", "managedFields": [
                {"manager": manager, "operation": "Update", "apiVersion": "demo.example.com/v1", "time": when,
                 "fieldsType": "FieldsV1", "fieldsV1": {"f:spec": {f"f:{field}": {} for field in fields}}}]},
            "spec": {field: "x" for field in fields}}


def as_list(items):
    return {"apiVersion": "v1", "kind": "List", "items": list(items)}


def hostile():
    """A CRD and objects with HOSTILE in every place that lets anything in."""
    fields = {f"f{i}{text}": text for i, text in enumerate(HOSTILE)}
    one = crd(0, properties={f"p{text}": {"type": text} for text in HOSTILE})
    good = crd(1)
    objects = [custom_resource(1, f"o{i}{text}", fields, manager=text, when=text) for i, text in enumerate(HOSTILE)]
    objects += [{"apiVersion": "x.example.com/v1" + text, "kind": text, "metadata": {"name": text}} for text in HOSTILE]
    return as_list([one, good, *objects])


def large(crds, fields):
    """So many CRDs, each with an object that loses its part of so many fields."""
    each = fields // crds
    items = []
    for number in range(crds):
        names = [f"field{number}x{i}" for i in range(each)]
        when = f"20{20 + number % 6}-0{1 + number % 9}-11T10:00:00Z"
        items += [crd(number), custom_resource(number, f"object{number}", names, f"manager{number % 40}", when)]
    return as_list(items)
