// replay_vectors [--corpus FOLDER] FILE...: replays vector files, one line after the other, and
// prints what comes out otherwise than the API server answered. Exit code 0 only if every line
// passed. FOLDER has the CRDs that lines name by their files.
#include <cstdio>
#include <fstream>
#include <iostream>

#include "tests/vectors/ops.h"

namespace vectors {
namespace {

struct Op {
  std::string_view name;
  void (*replay)(const Vector& vector, Mismatches& mismatches);
};

constexpr Op kOps[] = {
    {"prune", ReplayPrune},
    {"structural", ReplayStructural},
    {"nonstructural-condition", ReplayNonStructuralCondition},
    {"validate-schema", ReplayValidateSchema},
    {"validate-crd", ReplayValidateCrd},
    {"server", ReplayServer},
    {"prune-defaults", ReplayPruneDefaults},
    {"validate-update", ReplayValidateUpdate},
    {"json-text", ReplayJsonText},
    {"get-object-meta", ReplayGetObjectMeta},
    {"cel-expr", ReplayCelExpr},
    {"validate-cel", ReplayValidateCel},
};

void ReplayOp(const Vector& vector, Mismatches& mismatches) {
  for (const Op& op : kOps) {
    if (op.name == vector.op) return op.replay(vector, mismatches);
  }
  throw BadVector("unknown op \"" + std::string(vector.op) + "\"");
}

/// Where the server's answer varies a line has `anyOf`: it is enough if one of them comes out.
void ReplayAnyOf(const kube::json::Value& line, std::string_view object_text,
                 Mismatches& mismatches) {
  const std::string_view op = GetText(line, "op");
  const kube::json::Value& input = Get(line, "input");
  ReplayOp({op, input, Get(line, "expected"), object_text}, mismatches);
  const kube::json::Value* any_of = line.Find("anyOf", kube::json::Type::kArray);
  if (any_of == nullptr || mismatches.empty()) return;
  for (const kube::json::Value& expected : any_of->elements()) {
    Mismatches with_other;
    ReplayOp({op, input, expected, object_text}, with_other);
    if (!with_other.empty()) continue;
    mismatches = Mismatches();
    return;
  }
}

/// What is wrong with one line; empty where it passed.
std::string ReplayLine(const std::string& text) {
  kube::json::Document document;
  if (auto error = document.Parse(text)) return "  not JSON: " + error->message + "\n";
  const kube::json::Value& line = document.root();
  const std::string name = "  " + std::string(line.FindText("name")) + "\n";
  try {
    Mismatches mismatches;
    ReplayAnyOf(line, RawMember(RawMember(text, "input"), "object"), mismatches);
    return mismatches.empty() ? std::string() : name + mismatches.text();
  } catch (const std::exception& error) {
    return name + "  " + error.what() + "\n";
  }
}

struct Counts {
  int passed = 0;
  int failed = 0;
};

void ReplayFile(const char* path, Counts& counts) {
  std::ifstream file(path);
  std::string text;
  int number = 0;
  while (std::getline(file, text)) {
    ++number;
    const std::string problems = ReplayLine(text);
    problems.empty() ? ++counts.passed : ++counts.failed;
    if (!problems.empty()) std::cout << path << ":" << number << "\n" << problems;
  }
  if (number > 0 && file.eof()) return;
  ++counts.failed;
  std::cout << path << ": cannot be read, or has no lines\n";
}

}  // namespace
}  // namespace vectors

int main(int argc, char** argv) {
  vectors::Counts counts;
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--corpus" && i + 1 < argc) {
      vectors::SetCorpus(argv[++i]);
    } else {
      vectors::ReplayFile(argv[i], counts);
    }
  }
  std::cout << counts.passed << " passed, " << counts.failed << " failed\n";
  return counts.failed == 0 && counts.passed > 0 ? 0 : 1;
}
