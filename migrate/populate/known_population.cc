#include "migrate/populate/known_population.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "kube/base/result.h"
#include "kube/base/text.h"
#include "kube/client/answer_meaning.h"
#include "kube/json/json.h"
#include "migrate/cluster/object_metadata.h"
#include "migrate/populate/keys.h"

namespace migrate::populate {

TimePoint TimeOfDay() {
  return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
}

std::shared_ptr<const KnownNamespace> Population::FindNamespace(std::string_view name) const {
  const auto found = namespaces->find(name);
  return found == namespaces->end() ? nullptr : found->second;
}

std::optional<Population> KnownPopulation::current() const {
  const std::lock_guard lock(mutex_);
  return current_;
}

void KnownPopulation::Replace(Population::Templates templates, Population::Namespaces namespaces) {
  Swap(Population{
      .templates = std::make_shared<const Population::Templates>(std::move(templates)),
      .namespaces = std::make_shared<const Population::Namespaces>(std::move(namespaces))});
}

// Only the thread that calls this changes what is there: nothing comes between.
void KnownPopulation::Change(
    const std::function<void(Population::Templates&, Population::Namespaces&)>& change) {
  Population next = current().value();
  Population::Templates templates = *next.templates;
  Population::Namespaces namespaces = *next.namespaces;
  change(templates, namespaces);
  next.templates = std::make_shared<const Population::Templates>(std::move(templates));
  next.namespaces = std::make_shared<const Population::Namespaces>(std::move(namespaces));
  Swap(std::move(next));
}

void KnownPopulation::SetConfigurations(Population::Configurations configurations) {
  Population next = current().value();
  next.configurations =
      std::make_shared<const Population::Configurations>(std::move(configurations));
  Swap(std::move(next));
}

void KnownPopulation::NoteCurrent() {
  const std::lock_guard lock(mutex_);
  if (current_) current_->stale_since.reset();
}

// What was there is let go behind the lock: it may be large.
void KnownPopulation::Swap(std::optional<Population> next) {
  const std::lock_guard lock(mutex_);
  current_.swap(next);
}

void KnownPopulation::NoteStale(TimePoint time) {
  const std::lock_guard lock(mutex_);
  if (current_ && !current_->stale_since) current_->stale_since = time;
}

namespace {

using cluster::WatchEventType;
using kube::json::Document;
using kube::json::Value;

// Templates hold whole objects.
constexpr std::int64_t kTemplatesPerChunk = 50;
// Their CRD comes once, if ever.
constexpr std::chrono::seconds kConfigurationPause(30);

template <typename Entry>
using Found = std::map<std::string, std::optional<Entry>>;

std::string NameOf(const Value& object) {
  return std::string(cluster::MetadataText(object, "name"));
}

/// Takes the objects of one attempt to read a list.
template <typename Entry>
class Taker : public cluster::ItemTaker {
 public:
  using ReadFunction = std::optional<Entry> (*)(const Value& object);

  explicit Taker(ReadFunction read) : read_(read) {}

  void Handle(std::size_t, Document& item, std::uint64_t) override {
    auto entry = read_(item.root());
    if (!entry) return;
    std::string name = NameOf(item.root());
    const std::lock_guard lock(mutex_);
    found.insert_or_assign(std::move(name), std::move(entry));
  }

  Found<Entry> found;

 private:
  const ReadFunction read_;
  std::mutex mutex_;
};

std::optional<TemplateEntry> ReadTemplate(const Value& object) { return ReadTemplateEntry(object); }

/// Takes what has become of one.
template <typename Entry>
using Note = std::function<void(const std::string& name, std::optional<Entry> entry)>;

/// The watch of one of both lists, whose changes go to `note`, and its names to `names`.
template <typename Entry>
cluster::ListWatch::Options OptionsOf(typename Taker<Entry>::ReadFunction read,
                                      const Note<Entry>& note, std::set<std::string>& names) {
  cluster::ListWatch::Options options;
  const auto kept = std::make_shared<std::shared_ptr<Taker<Entry>>>();
  options.make_taker = [read, kept] { return *kept = std::make_shared<Taker<Entry>>(read); };
  options.on_list = [note, kept, &names] {
    const auto taker = std::move(*kept);
    // What is not in it any more is gone.
    for (const std::string& name : std::exchange(names, {})) note(name, std::nullopt);
    for (auto& [name, entry] : taker->found) {
      names.insert(name);
      note(name, std::move(entry));
    }
  };
  options.on_event = [read, note, &names](WatchEventType type, Value& object) {
    const std::string name = NameOf(object);
    if (type == WatchEventType::kDeleted) {
      names.erase(name);
      note(name, std::nullopt);
    } else if (auto entry = read(object)) {
      names.insert(name);
      note(name, std::move(entry));
    }
  };
  return options;
}

}  // namespace

PopulationWatch::PopulationWatch(const kube::client::Session& session, const LogFunction& tell,
                                 std::function<void()> on_news, bool watches_configurations)
    : session_(session),
      on_news_(std::move(on_news)),
      tell_(tell),
      template_watch_(TemplateOptions(tell), session),
      namespace_watch_(NamespaceOptions(tell), session),
      watches_configurations_(watches_configurations) {}

cluster::ListWatch::Options PopulationWatch::TemplateOptions(const LogFunction& tell) {
  auto options = OptionsOf<TemplateEntry>(
      ReadTemplate,
      [this](const std::string& name, std::optional<TemplateEntry> entry) {
        news_.templates[name] = entry;
        changes_.templates[name] = std::move(entry);
        on_news_();
      },
      templates_);
  options.target = TemplatesPath();
  options.what = "NamespaceTemplates";
  options.chunk_size = kTemplatesPerChunk;
  options.tell = tell;
  return options;
}

cluster::ListWatch::Options PopulationWatch::NamespaceOptions(const LogFunction& tell) {
  auto options = OptionsOf<ClusterNamespace>(
      ReadClusterNamespace,
      [this](const std::string& name, std::optional<ClusterNamespace> found) {
        news_.namespaces[name] = found;
        changes_.namespaces[name] = std::move(found);
        on_news_();
      },
      namespaces_);
  options.target = kNamespacesPath;
  options.what = "namespaces";
  options.tell = tell;
  return options;
}

// One that selects by a field that is misspelt is told, and waits for nobody.
cluster::ListWatch::Options PopulationWatch::ConfigurationOptions() {
  using Entry = kube::base::Result<InitializationConfiguration, std::vector<std::string>>;
  auto options = OptionsOf<Entry>(
      [](const Value& object) -> std::optional<Entry> {
        return ReadInitializationConfiguration(object);
      },
      [this](const std::string& name, std::optional<Entry> entry) {
        are_configurations_new_ = true;
        configurations_.erase(name);
        if (entry && !*entry) {
          tell_("the NamespaceInitializationConfiguration " + name +
                " is left alone: " + kube::base::Join(entry->error(), ", "));
        }
        if (entry && *entry) configurations_.emplace(name, **std::move(entry));
        on_news_();
      },
      configuration_names_);
  options.target = std::string("/apis/") + kGroup + "/" + kVersion + "/" + kConfigurationPlural;
  options.what = "NamespaceInitializationConfigurations";
  options.tell = tell_;
  return options;
}

void PopulationWatch::LookForConfigurations() {
  const auto now = session_.clock.Now();
  if (!watches_configurations_ || configuration_watch_ || now < configurations_due_) return;
  configurations_due_ = now + kConfigurationPause;
  configuration_watch_.emplace(ConfigurationOptions(), session_);
  const auto problem = configuration_watch_->Begin();
  if (!problem) return;
  configuration_watch_.reset();
  if (MeaningOf(*problem) == kube::client::Meaning::kNotFound) return;
  if (std::exchange(is_configuration_trouble_told_, true)) return;
  tell_("NamespaceInitializationConfigurations are not seen: " + problem->message);
}

std::optional<std::vector<InitializationConfiguration>> PopulationWatch::TakeConfigurations() {
  if (!std::exchange(are_configurations_new_, false)) return std::nullopt;
  std::vector<InitializationConfiguration> all;
  for (const auto& [name, each] : configurations_) all.push_back(each);
  return all;
}

bool PopulationWatch::Begin() {
  if (const auto error = template_watch_.Begin()) ThrowForTemplates(*error);
  if (session_.is_stopped()) return false;
  if (const auto error = namespace_watch_.Begin()) throw kube::base::Error(error->message);
  LookForConfigurations();
  return !session_.is_stopped();
}

void PopulationWatch::Advance() {
  template_watch_.Advance();
  namespace_watch_.Advance();
  LookForConfigurations();
  if (configuration_watch_) configuration_watch_->Advance();
}

PopulationChanges PopulationWatch::TakeChanges() { return std::exchange(changes_, {}); }

PopulationChanges PopulationWatch::TakeNews() { return std::exchange(news_, {}); }

std::optional<kube::base::Clock::TimePoint> PopulationWatch::blind_since() const {
  const auto& one = template_watch_.blind_since();
  const auto& other = namespace_watch_.blind_since();
  if (one && other) return std::min(*one, *other);
  return one ? one : other;
}

namespace {

constexpr std::chrono::milliseconds kFeedPause(100);

}  // namespace

void CacheUpdater::Begin() {
  has_begun_ = true;
  if (known_ != nullptr) known_->Replace({}, {});
  Feed();
}

void CacheUpdater::Feed() {
  HandOn();
  if (known_ == nullptr) return;
  watch_.blind_since() ? known_->NoteStale(TimeOfDay()) : known_->NoteCurrent();
}

void CacheUpdater::FeedSoon() {
  if (has_begun_ && clock_.Now() >= fed_at_ + kFeedPause) HandOn();
}

void CacheUpdater::HandOn() {
  fed_at_ = clock_.Now();
  const PopulationChanges news = watch_.TakeNews();
  auto configurations = watch_.TakeConfigurations();
  if (known_ == nullptr) return;
  if (configurations) known_->SetConfigurations(*std::move(configurations));
  if (news.empty()) return;
  known_->Change([&news](Population::Templates& templates, Population::Namespaces& namespaces) {
    for (const auto& [name, entry] : news.templates) {
      templates.erase(name);
      if (!entry || !entry->usable) continue;
      templates[name] = std::make_shared<const NamespaceTemplate>(*entry->usable);
    }
    for (const auto& [name, found] : news.namespaces) {
      namespaces.erase(name);
      if (!found) continue;
      namespaces[name] = std::make_shared<const KnownNamespace>(
          KnownNamespace{.target = found->target, .created = found->created});
    }
  });
}

}  // namespace migrate::populate
