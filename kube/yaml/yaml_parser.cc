#include "kube/yaml/yaml_parser.h"

#include <yaml.h>

#include <algorithm>
#include <cstring>
#include <new>

namespace kube::yaml {
namespace {

std::string_view View(const yaml_char_t* text) {
  return text == nullptr ? std::string_view() : reinterpret_cast<const char*>(text);
}

Mark MarkOf(const yaml_mark_t& mark) { return {mark.index, mark.line, mark.column}; }

Event::Style ScalarStyleOf(yaml_scalar_style_t style) {
  switch (style) {
    case YAML_SINGLE_QUOTED_SCALAR_STYLE:
      return Event::Style::kSingleQuoted;
    case YAML_DOUBLE_QUOTED_SCALAR_STYLE:
      return Event::Style::kDoubleQuoted;
    case YAML_LITERAL_SCALAR_STYLE:
    case YAML_FOLDED_SCALAR_STYLE:
      return Event::Style::kBlock;
    default:
      return Event::Style::kPlain;
  }
}

void SetScalar(const yaml_event_t& from, Event& event) {
  const auto& scalar = from.data.scalar;
  event.type = Event::Type::kScalar;
  event.style = ScalarStyleOf(scalar.style);
  event.anchor = View(scalar.anchor);
  event.tag = View(scalar.tag);
  event.value = {reinterpret_cast<const char*>(scalar.value), scalar.length};
}

void Set(const yaml_event_t& from, Event& event) {
  event = Event();
  event.start = MarkOf(from.start_mark);
  event.end = MarkOf(from.end_mark);
  switch (from.type) {
    case YAML_ALIAS_EVENT:
      event.type = Event::Type::kAlias;
      event.anchor = View(from.data.alias.anchor);
      return;
    case YAML_SCALAR_EVENT:
      return SetScalar(from, event);
    case YAML_SEQUENCE_START_EVENT:
      event.type = Event::Type::kBeginSequence;
      event.is_flow = from.data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE;
      event.anchor = View(from.data.sequence_start.anchor);
      event.tag = View(from.data.sequence_start.tag);
      return;
    case YAML_MAPPING_START_EVENT:
      event.type = Event::Type::kBeginMap;
      event.is_flow = from.data.mapping_start.style == YAML_FLOW_MAPPING_STYLE;
      event.anchor = View(from.data.mapping_start.anchor);
      event.tag = View(from.data.mapping_start.tag);
      return;
    case YAML_SEQUENCE_END_EVENT:
      event.type = Event::Type::kEndSequence;
      return;
    case YAML_MAPPING_END_EVENT:
      event.type = Event::Type::kEndMap;
      return;
    case YAML_DOCUMENT_END_EVENT:
    case YAML_STREAM_END_EVENT:
      event.type = Event::Type::kEnd;
      return;
    default:
      return;
  }
}

}  // namespace

struct Parser::State {
  explicit State(std::string_view text) : rest(text), is_broken_off(!text.ends_with('\n')) {
    if (yaml_parser_initialize(&parser) == 0) throw std::bad_alloc();
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input(&parser, &State::Read, this);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    yaml_event_delete(&event);
    yaml_parser_delete(&parser);
  }

  // A last line without a break gets one, as from kubectl's reader of lines.
  static int Read(void* data, unsigned char* buffer, std::size_t size, std::size_t* size_read) {
    auto& self = *static_cast<State*>(data);
    if (self.rest.empty() && self.is_broken_off) {
      self.rest = "\n";
      self.is_broken_off = false;
    }
    *size_read = std::min(size, self.rest.size());
    std::memcpy(buffer, self.rest.data(), *size_read);
    self.rest.remove_prefix(*size_read);
    return 1;
  }

  yaml_parser_t parser{};
  yaml_event_t event{};
  std::string_view rest;
  bool is_broken_off;
};

Parser::Parser(std::string_view text) : state_(std::make_unique<State>(text)) {}
Parser::~Parser() = default;

bool Parser::Next(Event& event) {
  yaml_parser_t& parser = state_->parser;
  yaml_event_delete(&state_->event);
  if (yaml_parser_parse(&parser, &state_->event) == 0) {
    if (parser.error == YAML_MEMORY_ERROR) throw std::bad_alloc();
    problem_.text =
        parser.problem == nullptr ? "unknown problem parsing YAML content" : parser.problem;
    problem_.mark = MarkOf(parser.problem_mark);
    return false;
  }
  Set(state_->event, event);
  return true;
}

}  // namespace kube::yaml
