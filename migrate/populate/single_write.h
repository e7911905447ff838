#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "kube/client/client.h"
#include "migrate/rewrite/exchange_pool.h"

namespace migrate::populate {

/// A write that is sent once, as what it says is not worth another try. No I/O.
class SingleWrite final : public rewrite::Exchange {
 public:
  SingleWrite(std::string about, kube::client::ApiRequest request)
      : about_(std::move(about)), request_(std::move(request)) {}

  kube::client::ApiRequest Request() const override { return request_; }
  Step OnAnswer(std::string_view, const std::optional<kube::client::CallError>& error,
                kube::json::Document&, kube::base::Clock::TimePoint) override;

  /// The name of what it is about.
  const std::string& about() const { return about_; }
  /// Absent: the server has taken it.
  const std::optional<kube::client::CallError>& error() const { return error_; }

 private:
  const std::string about_;
  const kube::client::ApiRequest request_;
  std::optional<kube::client::CallError> error_;
};

/// An Event of a namespace, in it, or of a NamespaceTemplate, which is in none: in `default`, where
/// a server wants such.
struct PopulationEvent {
  enum class About : std::uint8_t { kNamespace, kTemplate };

  About about = About::kNamespace;
  std::string name, uid;
  bool is_warning = false;
  std::string reason;   ///< "Populated"
  std::string message;  ///< cut to what a server takes
};

/// Creates the Event (core/v1), as of `time`, RFC 3339.
kube::client::ApiRequest EventRequest(const PopulationEvent& event, const std::string& time);

/// Sets the label that says that the namespace was populated (kPopulatedLabel), on the
/// one with this uid alone.
kube::client::ApiRequest PopulatedLabelRequest(const std::string& namespace_,
                                               const std::string& uid);

}  // namespace migrate::populate
