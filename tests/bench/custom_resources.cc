#include "tests/bench/custom_resources.h"

#include <cstdio>
#include <fstream>
#include <stdexcept>

namespace bench {

const std::string_view kSchema = R"({"type": "object", "properties": {
  "spec": {"type": "object", "properties": {
    "replicas": {"type": "integer"},
    "weight": {"type": "number"},
    "paused": {"type": "boolean"},
    "image": {"type": "string"},
    "selector": {"type": "object", "additionalProperties": {"type": "string"}},
    "endpoints": {"type": "array", "items": {"type": "object", "properties": {
      "name": {"type": "string"},
      "port": {"type": "integer"},
      "target": {"x-kubernetes-int-or-string": true},
      "ready": {"type": "boolean"}}}}}},
  "status": {"type": "object", "properties": {
    "phase": {"type": "string"},
    "conditions": {"type": "array", "items": {"type": "object", "properties": {
      "type": {"type": "string"},
      "status": {"type": "string"},
      "lastTransitionTime": {"type": "string", "format": "date-time"},
      "message": {"type": "string"}}}}}}}})";

namespace {

/// What varies between objects, derived from their number.
struct Shape {
  std::uint64_t number;
  std::size_t endpoints;
  bool has_unknown_fields() const { return number % 8 == 0; }
};

std::string Name(std::uint64_t number) {
  char name[32];
  std::snprintf(name, sizeof(name), "widget-%09llu", static_cast<unsigned long long>(number));
  return name;
}

std::string JsonEndpoint(const Shape& shape, std::size_t i) {
  const std::string n = std::to_string(i);
  std::string text = R"({"name":"port-)" + n + R"(","port":)" + std::to_string(1024 + i);
  text += i % 2 == 0 ? R"(,"target":"http-)" + n + '"' : ",\"target\":" + std::to_string(8000 + i);
  if (shape.has_unknown_fields() && i == 0) text += R"(,"proto":"TCP")";
  return text + R"(,"ready":true})";
}

std::string JsonObject(const Shape& shape) {
  const std::string name = Name(shape.number);
  std::string text =
      R"({"apiVersion":"bench.example.com/v1","kind":"Widget","metadata":{"name":")" + name +
      R"(","namespace":"default","uid":"7f0b6a1e-4f4c-4a59-9f0e-)" + name.substr(4) +
      R"(","resourceVersion":")" + std::to_string(1000 + shape.number) +
      R"(","generation":3,"creationTimestamp":"2024-05-06T07:08:09Z","labels":{"app":"bench",)"
      R"("tier":"backend"},"annotations":{"note":"caf\u00e9 \"quoted\" \\ text"}},"spec":{)"
      R"("replicas":3,"weight":0.25,"paused":false,"image":"registry.example.com/team/widget:1.2.3",)"
      R"("selector":{"app":"bench","name":")" +
      name + R"("},)";
  if (shape.has_unknown_fields()) text += R"("legacyMode":true,)";
  text += R"("endpoints":[)";
  for (std::size_t i = 0; i < shape.endpoints; ++i) {
    if (i > 0) text += ',';
    text += JsonEndpoint(shape, i);
  }
  return text +
         R"(]},"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True",)"
         R"("lastTransitionTime":"2024-05-06T07:09:00Z","message":"all endpoints answer"}]}})";
}

std::string YamlObject(const Shape& shape) {
  const std::string name = Name(shape.number);
  std::string text =
      "apiVersion: bench.example.com/v1\nkind: Widget\nmetadata:\n  name: " + name +
      "\n  namespace: default\n  resourceVersion: \"" + std::to_string(1000 + shape.number) +
      "\"\n  generation: 3\n  labels:\n    app: bench\n    tier: backend\n  annotations:\n"
      "    note: \"caf\\u00e9 \\\"quoted\\\" text\"\nspec:\n  replicas: 3\n  weight: 0.25\n"
      "  paused: false\n  image: registry.example.com/team/widget:1.2.3\n  selector:\n"
      "    app: bench\n    name: " +
      name + "\n";
  if (shape.has_unknown_fields()) text += "  legacyMode: true\n";
  text += "  endpoints:\n";
  for (std::size_t i = 0; i < shape.endpoints; ++i) {
    const std::string n = std::to_string(i);
    text += "  - name: port-" + n + "\n    port: " + std::to_string(1024 + i) +
            "\n    target: http-" + n + "\n    ready: true\n";
  }
  return text +
         "status:\n  phase: Running\n  conditions:\n  - type: Ready\n    status: \"True\"\n"
         "    lastTransitionTime: \"2024-05-06T07:09:00Z\"\n";
}

/// `json`, which has no white space outside of strings, as kubectl prints an item of a List.
std::string Indented(const std::string& json) {
  std::string text;
  std::size_t level = 2;
  bool in_string = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (c == '"' && (i == 0 || json[i - 1] != '\\')) in_string = !in_string;
    if (!in_string && (c == '}' || c == ']')) text += "\n" + std::string(--level * 4, ' ');
    text += c;
    if (in_string) continue;
    if (c == '{' || c == '[') text += "\n" + std::string(++level * 4, ' ');
    if (c == ',') text += "\n" + std::string(level * 4, ' ');
    if (c == ':') text += ' ';
  }
  return text;
}

std::string TextOf(const Shape& shape, Format format) {
  switch (format) {
    case Format::kJson:
      return JsonObject(shape);
    case Format::kIndentedJson:
      return Indented(JsonObject(shape));
    case Format::kYaml:
      break;
  }
  return YamlObject(shape) + "---\n";
}

/// Objects without endpoints are about 690 bytes, an endpoint is about 62, if not indented.
std::size_t EndpointsFor(std::size_t object_bytes) {
  return object_bytes < 814 ? 2 : (object_bytes - 690) / 62;
}

}  // namespace

std::uint64_t WriteCustomResources(const std::string& path, Format format, std::size_t object_bytes,
                                   std::uint64_t total_bytes) {
  std::ofstream file(path, std::ios::binary);
  const bool json = format != Format::kYaml;
  if (json)
    file << R"({"apiVersion":"v1","kind":"List","metadata":{"resourceVersion":""},"items":[)";
  Shape shape{0, EndpointsFor(object_bytes)};
  for (std::uint64_t written = 0; written < total_bytes && file; ++shape.number) {
    const std::string text = TextOf(shape, format);
    if (json && shape.number > 0) file << ",\n";
    file << text;
    written += text.size();
  }
  if (json) file << "]}\n";
  if (!file.flush()) throw std::runtime_error("cannot write " + path);
  return shape.number;
}

}  // namespace bench
