#include "kube/cel/recovery.h"

#include <algorithm>

namespace kube::cel {
namespace {

using enum TokenKind;

constexpr int kMostErrors = 100;
constexpr int kMostRecoveries = 30;
constexpr int kMostSkipped = 256;

std::string Quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\t') {
      out += "\\t";
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\r') {
      out += "\\r";
    } else {
      out += c;
    }
  }
  return out += '\'';
}

std::string Describe(TokenSet tokens) {
  std::vector<std::string_view> names;
  for (unsigned kind = 0; kind <= static_cast<unsigned>(kEscapedIdentifier); ++kind) {
    if ((tokens >> kind & 1U) != 0) names.push_back(TokenName(static_cast<TokenKind>(kind)));
  }
  if (names.size() == 1) return std::string(names[0]);
  std::string out = "{";
  for (const std::string_view name : names) {
    if (out.size() > 1) out += ", ";
    out += name;
  }
  return out += '}';
}

/// The text from the first of some tokens to the end of the last.
std::string_view TextBetween(const Token& first, const Token& last) {
  const char* end = last.text.data() + last.text.size();
  return {first.text.data(), static_cast<std::size_t>(end - first.text.data())};
}

}  // namespace

// ---- Tokens.

const Token& RecoveringParser::At(std::size_t distance) {
  const std::size_t index = std::min(index_ + distance - 1, tokens_.size() - 1);
  // Characters that are no tokens are reported once the parser looks behind them.
  while (lexer_errors_ < lexed_.errors.size() &&
         lexed_.errors[lexer_errors_].tokens_before <= index) {
    const LexerError& error = lexed_.errors[lexer_errors_++];
    Report(error.start, "token recognition error at: '" + std::string(error.text) + "'");
  }
  return tokens_[index];
}

void RecoveringParser::Consume() {
  if (skipped_left_ && (*skipped_left_)-- == 0) {
    errors_.push_back(
        {-1, "error recovery token lookahead limit exceeded: " + std::to_string(kMostSkipped)});
    throw GivenUp();
  }
  if (Look(1) != kEof) ++index_;
}

void RecoveringParser::ConsumeUntil(TokenSet tokens) {
  while (Look(1) != kEof && !LooksAt(1, tokens)) Consume();
}

const Token* RecoveringParser::TakeToken() {
  const Token* token = &At(1);
  EndRecovery();
  Consume();
  return token;
}

const Token* RecoveringParser::Match(TokenKind kind, int state, TokenSet next) {
  SetState(state, SetOf(kind));
  if (Look(1) == kind) return TakeToken();
  CountRecovery();
  skipped_left_ = kMostSkipped;
  const Token* token = nullptr;
  if (DeleteToken()) {
    token = &At(1);
    Consume();
  } else if (LooksAt(1, Resolve(next))) {
    token = InsertToken(kind);
  } else {
    Mismatch();
  }
  skipped_left_ = std::nullopt;
  return token;
}

bool RecoveringParser::Synchronize(int state, TokenSet tokens, Sync sync) {
  SetState(state, tokens);
  if (is_recovering_ || (tokens & kRuleEnd) != 0 || LooksAt(1, tokens)) return true;
  if (sync == Sync::kBlock) return DeleteToken() || Mismatch();
  ReportUnwanted();
  ConsumeUntil(Expected() | RecoverySet());
  return true;
}

// ---- Errors.

void RecoveringParser::Report(std::int32_t position, const std::string& message) {
  if (reports_ < kMostErrors) {
    ++reports_;
    errors_.push_back({position, "Syntax error: " + message});
    return;
  }
  errors_.push_back(
      {position, "Syntax error: More than " + std::to_string(kMostErrors) + " syntax errors"});
  throw GivenUp();
}

bool RecoveringParser::Mismatch() {
  failure_ = Failure{false, index_, index_, Expected()};
  return false;
}

bool RecoveringParser::NoViable(std::size_t distance) {
  At(distance);
  failure_ = Failure{true, index_, std::min(index_ + distance - 1, tokens_.size() - 1), 0};
  return false;
}

/// What may come next: what the state takes, and behind the end of rules what their callers take.
TokenSet RecoveringParser::Resolve(TokenSet tokens) const {
  for (std::size_t i = follow_.size(); (tokens & kRuleEnd) != 0 && i > 0; --i) {
    tokens = (tokens & ~kRuleEnd) | follow_[i - 1];
  }
  if ((tokens & kRuleEnd) != 0) tokens = (tokens & ~kRuleEnd) | SetOf(kEof);
  return tokens;
}

TokenSet RecoveringParser::RecoverySet() const {
  TokenSet tokens = 0;
  for (const TokenSet follow : follow_) tokens |= follow;
  return tokens & ~kRuleEnd;
}

void RecoveringParser::ReportFailure() {
  if (is_recovering_) return;
  is_recovering_ = true;
  const Token& last = tokens_[failure_->last];
  if (!failure_->is_no_viable) {
    return Report(last.start, "mismatched input " + Quoted(last.text) + " expecting " +
                                  Describe(failure_->expected));
  }
  const Token& first = tokens_[failure_->first];
  // A reserved word where a name should be.
  if (failure_->last == failure_->first + 1 && first.text.size() == 1 &&
      (last.kind == kTrue || last.kind == kFalse || last.kind == kNull) &&
      first.text.data() + 1 == last.text.data()) {
    return Report(last.start,
                  "mismatched input '" + std::string(last.text) + "' expecting IDENTIFIER");
  }
  std::string input(first.text);
  if (first.kind != kEof && last.kind == kEof) {
    input = TextBetween(first, tokens_[failure_->last - 1]);
  } else if (first.kind != kEof) {
    input = TextBetween(first, last);
  }
  Report(last.start, "no viable alternative at input " + Quoted(input));
}

void RecoveringParser::ReportUnwanted() {
  if (is_recovering_) return;
  is_recovering_ = true;
  Report(At(1).start,
         "extraneous input " + Quoted(At(1).text) + " expecting " + Describe(Expected()));
}

// ---- Recovery.

void RecoveringParser::EndRecovery() {
  is_recovering_ = false;
  last_error_states_.clear();
  last_error_index_ = std::nullopt;
}

void RecoveringParser::CountRecovery() {
  if (recoveries_++ == kMostRecoveries) {
    Report(At(1).start,
           "error recovery attempt limit exceeded: " + std::to_string(kMostRecoveries));
    throw GivenUp();
  }
}

/// Skips to where a caller of the rule can go on.
void RecoveringParser::Recover() {
  CountRecovery();
  skipped_left_ = kMostSkipped;
  const bool was_here = std::find(last_error_states_.begin(), last_error_states_.end(), state_) !=
                        last_error_states_.end();
  if (last_error_index_ == index_ && was_here) Consume();
  last_error_index_ = index_;
  if (!was_here) last_error_states_.push_back(state_);
  ConsumeUntil(RecoverySet());
  skipped_left_ = std::nullopt;
}

bool RecoveringParser::DeleteToken() {
  if (!LooksAt(2, Expected())) return false;
  ReportUnwanted();
  Consume();
  EndRecovery();
  return true;
}

const Token* RecoveringParser::InsertToken(TokenKind kind) {
  if (!is_recovering_) {
    is_recovering_ = true;
    Report(At(1).start, "missing " + Describe(Expected()) + " at " + Quoted(At(1).text));
  }
  const Token& place = Look(1) == kEof && index_ > 0 ? tokens_[index_ - 1] : At(1);
  return &made_up_.emplace_back(Token{kind, place.start, "<missing undefined>"});
}

// ---- Rules.

void RecoveringParser::BeginRule(std::size_t rule, TokenSet follow) {
  if (++depths_[rule] > most_depth_) {
    errors_.push_back({-1, "expression recursion limit exceeded: " + std::to_string(most_depth_)});
    throw GivenUp();
  }
  follow_.push_back(follow);
}

void RecoveringParser::EndRule() {
  if (!failure_) return;
  ReportFailure();
  Recover();
  failure_ = std::nullopt;
}

}  // namespace kube::cel
