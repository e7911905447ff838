#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "kube/cel/syntax.h"

namespace kube::cel {

/// Kinds of tokens, one bit a kind; the last bit says that a rule may end here.
using TokenSet = std::uint64_t;
inline constexpr TokenSet kRuleEnd = TokenSet{1} << 63U;

template <typename... Kinds>
constexpr TokenSet SetOf(Kinds... kinds) {
  return ((TokenSet{1} << static_cast<unsigned>(kinds)) | ...);
}

/// The tokens of a parser by recursive descent that finds and reports errors, and goes on after
/// them, as ANTLR's DefaultErrorStrategy does. The rules of the grammar derive from it, and wrap
/// themselves in Run(). Numbers of states are those of the parser that ANTLR generates: recovery
/// must not stop twice at the same place.
class RecoveringParser {
 protected:
  /// `tokens` must outlive it. Rules may be nested `most_depth` deep, each kind for itself.
  RecoveringParser(const Tokens& tokens, std::size_t rule_count, int most_depth)
      : lexed_(tokens), tokens_(tokens.tokens), most_depth_(most_depth), depths_(rule_count, 0) {}

  /// Thrown to give up: at too many errors or recoveries, or rules that are nested too deep. The
  /// last of the errors says why.
  struct GivenUp {};

  // ---- Tokens.

  /// The token at a distance from here, which is 1 for the next one; the last one is the end.
  const Token& At(std::size_t distance);
  TokenKind Look(std::size_t distance) { return At(distance).kind; }
  bool LooksAt(std::size_t distance, TokenSet tokens) {
    return (tokens & SetOf(Look(distance))) != 0;
  }

  /// The last token that was taken; null before the first one.
  const Token* Last() const { return index_ == 0 ? nullptr : &tokens_[index_ - 1]; }

  void SetState(int state, TokenSet tokens) {
    state_ = state;
    state_tokens_ = tokens;
  }
  /// The token of `kind`, made up where it is missing and clear; or null and a failure. `next` is
  /// what may come behind it.
  const Token* Match(TokenKind kind, int state, TokenSet next);
  /// The next token, whatever it is.
  const Token* TakeToken();

  enum class Sync : std::uint8_t { kBlock, kLoop };
  /// Makes sure that the next token is one of `tokens`. False: it is not, and a failure is set.
  bool Synchronize(int state, TokenSet tokens, Sync sync = Sync::kBlock);

  /// Sets a failure: no alternative goes on with the token at `distance`. Returns false.
  bool NoViable(std::size_t distance);

  // ---- Rules.

  /// Runs the body of a rule that was invoked in `state`; its caller takes `follow` behind it.
  template <typename Body>
  void Run(std::size_t rule, int state, TokenSet follow, Body body) {
    SetState(state, 0);
    BeginRule(rule, follow);
    body();
    EndRule();
    follow_.pop_back();
    --depths_[rule];
    state_ = state;
  }
  /// The same for the first rule, which nobody invoked. Returns at its end, or once it gave up,
  /// which is false.
  template <typename Body>
  bool RunFirst(std::size_t rule, Body body) {
    try {
      ++depths_[rule];
      body();
      EndRule();
      return true;
    } catch (const GivenUp&) {
      return false;
    }
  }

  std::vector<SyntaxError> errors_;
  std::deque<Token> made_up_;  ///< tokens that Match made up

 private:
  struct Failure {
    bool is_no_viable = false;
    std::size_t first = 0;  // tokens, for is_no_viable
    std::size_t last = 0;
    TokenSet expected = 0;
  };

  void BeginRule(std::size_t rule, TokenSet follow);
  void EndRule();
  void Consume();
  void ConsumeUntil(TokenSet tokens);

  void Report(std::int32_t position, const std::string& message);
  void ReportFailure();
  void ReportUnwanted();
  bool Mismatch();
  TokenSet Resolve(TokenSet tokens) const;
  TokenSet Expected() const { return Resolve(state_tokens_); }
  TokenSet RecoverySet() const;
  void EndRecovery();
  void CountRecovery();
  void Recover();
  bool DeleteToken();
  const Token* InsertToken(TokenKind kind);

  const Tokens& lexed_;
  const std::vector<Token>& tokens_;
  std::size_t index_ = 0;
  std::size_t lexer_errors_ = 0;

  int state_ = 0;
  TokenSet state_tokens_ = 0;
  std::vector<TokenSet> follow_;  // of the rules that run
  int most_depth_;
  std::vector<int> depths_;  // by rule

  std::optional<Failure> failure_;
  bool is_recovering_ = false;
  std::optional<std::size_t> last_error_index_;
  std::vector<int> last_error_states_;
  std::optional<int> skipped_left_;
  int recoveries_ = 0;
  int reports_ = 0;
};

}  // namespace kube::cel
