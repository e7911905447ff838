#include "migrate/check/diff_targets.h"

#include "migrate/report/program_name.h"

namespace migrate::check {

std::vector<std::string> CrdNamesOf(const std::vector<DiffTarget>& targets) {
  std::set<std::string> names;
  for (const DiffTarget& target : targets) names.insert(target.crd);
  return {names.begin(), names.end()};
}

std::set<std::string> ObjectNamesOf(const CrdIdentity& crd,
                                    const std::vector<DiffTarget>& targets) {
  std::set<std::string> names;
  for (const DiffTarget& target : targets) {
    if (!IsNamed(crd, target.crd)) continue;
    if (target.object.empty()) return {};
    names.insert(target.object);
  }
  return names;
}

std::string RefusalNote(const CrdCheck& check) {
  const report::CrdReport& report = check.facts().report;
  if (report.verdict != report::Verdict::kBlocked) return "";
  return check.name() + ": the API server would refuse it with pruning on; \"" +
         report::OwnCommand("check") + "\" tells why";
}

std::string GivenTwiceNote(const std::string& crd) {
  return crd + " was given more than once; the last one counts";
}

std::string LeftOutError(const CrdCheck& check, const std::string& object, const std::string& why) {
  return check.name() + ": left out " + object + ": " + why;
}

}  // namespace migrate::check
