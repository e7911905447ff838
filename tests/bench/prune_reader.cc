#include <fstream>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "kube/json/json.h"
#include "kube/json/list_splitter.h"
#include "kube/schema/pruning.h"
#include "kube/schema/schema_props.h"
#include "kube/schema/structural.h"
#include "kube/yaml/yaml.h"
#include "tests/bench/custom_resources.h"
#include "tests/bench/readers.h"

namespace bench {
namespace {

/// Looks at objects one after the other and counts what pruning would remove.
class Pruner : public kube::schema::UnknownFieldSink {
 public:
  Pruner() {
    if (schema_text_.Parse(kSchema)) throw std::runtime_error("the schema is no JSON");
    const auto props = kube::schema::ReadSchemaProps(schema_text_.root());
    if (!props) throw std::runtime_error(props.error());
    schema_ = kube::schema::MakeStructural(*props, schema_text_.arena());
  }

  void Look(const kube::json::Value& object) {
    ++counts_.objects;
    kube::schema::FindUnknownFields(object, &schema_, true, *this);
  }
  void OnUnknownField(const kube::schema::UnknownField&) override { ++counts_.unknown_fields; }
  const Counts& counts() const { return counts_; }

 private:
  kube::json::Document schema_text_;
  kube::schema::StructuralSchema schema_;
  Counts counts_;
};

class JsonObjects : public kube::json::ListSplitter::Sink {
 public:
  explicit JsonObjects(Pruner& pruner) : pruner_(pruner) {}
  void OnObject(kube::json::ListSplitter::Kind kind, std::string_view text,
                const kube::json::TextPosition&) override {
    if (kind == kube::json::ListSplitter::Kind::kList) return;
    if (const auto error = document_.Parse(text)) throw std::runtime_error(error->message);
    pruner_.Look(document_.root());
  }

 private:
  Pruner& pruner_;
  kube::json::Document document_;
};

std::ifstream Open(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot open " + path);
  return file;
}

}  // namespace

Counts PruneJson(const std::string& path) {
  Pruner pruner;
  JsonObjects objects(pruner);
  kube::json::ListSplitter splitter(objects);
  std::ifstream file = Open(path);
  std::vector<char> buffer(64 * 1024);
  while (file) {
    file.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    const auto error = splitter.Push({buffer.data(), static_cast<std::size_t>(file.gcount())});
    if (error) throw std::runtime_error(error->message);
  }
  if (const auto error = splitter.Finish()) throw std::runtime_error(error->message);
  return pruner.counts();
}

Counts PruneYaml(const std::string& path) {
  Pruner pruner;
  kube::json::Document document;
  std::ifstream file = Open(path);
  std::string text;
  for (std::string line; std::getline(file, line);) {
    if (line != "---") {
      text += line + '\n';
      continue;
    }
    if (const auto error = kube::yaml::Parse(text, 1, document)) {
      throw std::runtime_error(error->message);
    }
    pruner.Look(document.root());
    text.clear();
  }
  return pruner.counts();
}

}  // namespace bench
