#include "migrate/check/opened_fields.h"

#include <string>
#include <vector>

#include "kube/meta/object_path.h"

namespace migrate::check {
namespace {

using kube::json::Value;
using kube::meta::FieldChoice;
using kube::meta::PathStep;
using kube::schema::PathElement;
using kube::schema::UnknownField;

class LeafWalk {
 public:
  LeafWalk(const UnknownField& field, const FieldChoice& opened,
           const std::function<void(const UnknownField&)>& take)
      : opened_(opened),
        take_(take),
        folded_path_(field.folded_path),
        elements_(field.elements.begin(), field.elements.end()) {}

  void Walk(const Value& value, const PathStep* path) {
    for (const kube::json::Member& member : value.members())
      Below({.key = member.key.text()}, member.value, path);
    std::size_t index = 0;
    for (const Value& element : value.elements())
      Below({.key = {}, .index = index++, .is_index = true}, element, path);
    if (value.members().empty() && value.elements().empty())
      take_({.folded_path = folded_path_, .elements = elements_, .value = value});
  }

 private:
  void Below(const PathElement& element, const Value& value, const PathStep* path) {
    const PathStep step =
        element.is_index ? PathStep::Index(path, element.index) : PathStep::Key(path, element.key);
    const std::size_t length = folded_path_.size();
    if (element.is_index) {
      folded_path_ += "[*]";
    } else if (opened_.NamesAnyKeyOf(&step)) {
      kube::meta::AppendPathOfKeys(folded_path_);
    } else {
      kube::meta::AppendPathName(folded_path_, element.key);
    }
    elements_.push_back(element);
    Walk(value, &step);
    elements_.pop_back();
    folded_path_.resize(length);
  }

  const FieldChoice& opened_;
  const std::function<void(const UnknownField&)>& take_;
  std::string folded_path_;
  std::vector<PathElement> elements_;
};

}  // namespace

void OpenField(const UnknownField& field, const FieldChoice& opened,
               const std::function<void(const UnknownField&)>& take) {
  const std::vector<PathStep> steps = field.Steps();
  const PathStep* path = steps.empty() ? nullptr : &steps.back();
  if (opened.Of(path) == FieldChoice::Part::kNone) return take(field);
  LeafWalk(field, opened, take).Walk(field.value, path);
}

}  // namespace migrate::check
