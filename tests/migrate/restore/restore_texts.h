#pragma once

#include <deque>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "kube/json/json.h"
#include "kube/schema/schema_props.h"
#include "migrate/restore/taken_fields.h"

namespace migrate::restore {

/// A comparison of forms that are given as JSON, with results as texts.
class TextComparison {
 public:
  /// `pruned` and `schema` may be empty: none.
  TextComparison(std::string_view backup, std::string_view pruned, std::string_view live,
                 std::string_view schema = "", const CompareOptions& options = {}) {
    const kube::json::Value* left = pruned.empty() ? nullptr : &Parse(pruned);
    if (!schema.empty()) {
      auto read = kube::schema::ReadSchemaProps(Parse(schema));
      if (!read) throw std::invalid_argument(read.error());
      schema_ = std::make_unique<kube::schema::SchemaProps>(*std::move(read));
    }
    live_ = &Parse(live);
    result_ = Compare({Parse(backup), left, *live_, schema_.get()}, options, arena_);
    if (kube::json::Print(*live_) != kube::json::Print(Parse(live)))
      throw std::logic_error("the live object was changed");
  }

  /// The object as it is to be; "" where it stays as it is.
  std::string restored() const {
    return result_.restored ? kube::json::Print(*result_.restored) : "";
  }
  std::string taken() const { return Names(result_.taken); }
  std::string kept() const { return Names(result_.kept); }
  std::string conflicts() const { return Names(result_.conflicts); }
  const Comparison& result() const { return result_; }
  const kube::json::Value& live() const { return *live_; }

 private:
  const kube::json::Value& Parse(std::string_view text) {
    documents_.push_back(std::make_unique<kube::json::Document>());
    if (documents_.back()->Parse(text)) throw std::invalid_argument(std::string(text));
    return documents_.back()->root();
  }
  static std::string Names(const Paths& paths) {
    std::string text;
    for (const std::string& path : paths.first) text += (text.empty() ? "" : " ") + path;
    return text;
  }

  std::deque<std::unique_ptr<kube::json::Document>> documents_;
  std::unique_ptr<kube::schema::SchemaProps> schema_;
  const kube::json::Value* live_ = nullptr;
  kube::json::Arena arena_;
  Comparison result_;
};

}  // namespace migrate::restore
