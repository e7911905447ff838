#include "kube/go/go_regexp.h"

#include <re2/re2.h>

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "kube/base/text.h"
#include "kube/base/utf8.h"
#include "kube/go/go_regexp_stack.h"

namespace kube::go {
namespace {

using kube::base::IsDigit;

using Kind = RegexpStack::Kind;

constexpr int kMaxRepeat = 1000;

constexpr std::string_view kPosixClasses[] = {"alnum", "alpha", "ascii", "blank", "cntrl",
                                              "digit", "graph", "lower", "print", "punct",
                                              "space", "upper", "word",  "xdigit"};

struct UnicodeName {
  std::string_view folded;
  std::string_view re2;
};

// Generated from PropertyValueAliases.txt (gc) and Scripts.txt of Unicode 15.0, which Go has since
// 1.21; sorted by the folded name.
// clang-format off
constexpr UnicodeName kUnicodeNames[] = {
    {"adlam", "Adlam"}, {"ahom", "Ahom"}, {"anatolianhieroglyphs", "Anatolian_Hieroglyphs"},
    {"any", "Any"}, {"arabic", "Arabic"}, {"armenian", "Armenian"}, {"ascii", "ASCII"},
    {"assigned", "Assigned"}, {"avestan", "Avestan"}, {"balinese", "Balinese"}, {"bamum", "Bamum"},
    {"bassavah", "Bassa_Vah"}, {"batak", "Batak"}, {"bengali", "Bengali"},
    {"bhaiksuki", "Bhaiksuki"}, {"bopomofo", "Bopomofo"}, {"brahmi", "Brahmi"},
    {"braille", "Braille"}, {"buginese", "Buginese"}, {"buhid", "Buhid"}, {"c", "C"},
    {"canadianaboriginal", "Canadian_Aboriginal"}, {"carian", "Carian"}, {"casedletter", "LC"},
    {"caucasianalbanian", "Caucasian_Albanian"}, {"cc", "Cc"}, {"cf", "Cf"}, {"chakma", "Chakma"},
    {"cham", "Cham"}, {"cherokee", "Cherokee"}, {"chorasmian", "Chorasmian"},
    {"closepunctuation", "Pe"}, {"cn", "Cn"}, {"cntrl", "Cc"}, {"co", "Co"}, {"combiningmark", "M"},
    {"common", "Common"}, {"connectorpunctuation", "Pc"}, {"control", "Cc"}, {"coptic", "Coptic"},
    {"cs", "Cs"}, {"cuneiform", "Cuneiform"}, {"currencysymbol", "Sc"}, {"cypriot", "Cypriot"},
    {"cyprominoan", "Cypro_Minoan"}, {"cyrillic", "Cyrillic"}, {"dashpunctuation", "Pd"},
    {"decimalnumber", "Nd"}, {"deseret", "Deseret"}, {"devanagari", "Devanagari"}, {"digit", "Nd"},
    {"divesakuru", "Dives_Akuru"}, {"dogra", "Dogra"}, {"duployan", "Duployan"},
    {"egyptianhieroglyphs", "Egyptian_Hieroglyphs"}, {"elbasan", "Elbasan"}, {"elymaic", "Elymaic"},
    {"enclosingmark", "Me"}, {"ethiopic", "Ethiopic"}, {"finalpunctuation", "Pf"}, {"format", "Cf"},
    {"georgian", "Georgian"}, {"glagolitic", "Glagolitic"}, {"gothic", "Gothic"},
    {"grantha", "Grantha"}, {"greek", "Greek"}, {"gujarati", "Gujarati"},
    {"gunjalagondi", "Gunjala_Gondi"}, {"gurmukhi", "Gurmukhi"}, {"han", "Han"},
    {"hangul", "Hangul"}, {"hanifirohingya", "Hanifi_Rohingya"}, {"hanunoo", "Hanunoo"},
    {"hatran", "Hatran"}, {"hebrew", "Hebrew"}, {"hiragana", "Hiragana"},
    {"imperialaramaic", "Imperial_Aramaic"}, {"inherited", "Inherited"},
    {"initialpunctuation", "Pi"}, {"inscriptionalpahlavi", "Inscriptional_Pahlavi"},
    {"inscriptionalparthian", "Inscriptional_Parthian"}, {"javanese", "Javanese"},
    {"kaithi", "Kaithi"}, {"kannada", "Kannada"}, {"katakana", "Katakana"}, {"kawi", "Kawi"},
    {"kayahli", "Kayah_Li"}, {"kharoshthi", "Kharoshthi"},
    {"khitansmallscript", "Khitan_Small_Script"}, {"khmer", "Khmer"}, {"khojki", "Khojki"},
    {"khudawadi", "Khudawadi"}, {"l", "L"}, {"lao", "Lao"}, {"latin", "Latin"}, {"lc", "LC"},
    {"lepcha", "Lepcha"}, {"letter", "L"}, {"letternumber", "Nl"}, {"limbu", "Limbu"},
    {"lineara", "Linear_A"}, {"linearb", "Linear_B"}, {"lineseparator", "Zl"}, {"lisu", "Lisu"},
    {"ll", "Ll"}, {"lm", "Lm"}, {"lo", "Lo"}, {"lowercaseletter", "Ll"}, {"lt", "Lt"}, {"lu", "Lu"},
    {"lycian", "Lycian"}, {"lydian", "Lydian"}, {"m", "M"}, {"mahajani", "Mahajani"},
    {"makasar", "Makasar"}, {"malayalam", "Malayalam"}, {"mandaic", "Mandaic"},
    {"manichaean", "Manichaean"}, {"marchen", "Marchen"}, {"mark", "M"},
    {"masaramgondi", "Masaram_Gondi"}, {"mathsymbol", "Sm"}, {"mc", "Mc"}, {"me", "Me"},
    {"medefaidrin", "Medefaidrin"}, {"meeteimayek", "Meetei_Mayek"},
    {"mendekikakui", "Mende_Kikakui"}, {"meroiticcursive", "Meroitic_Cursive"},
    {"meroitichieroglyphs", "Meroitic_Hieroglyphs"}, {"miao", "Miao"}, {"mn", "Mn"},
    {"modi", "Modi"}, {"modifierletter", "Lm"}, {"modifiersymbol", "Sk"},
    {"mongolian", "Mongolian"}, {"mro", "Mro"}, {"multani", "Multani"}, {"myanmar", "Myanmar"},
    {"n", "N"}, {"nabataean", "Nabataean"}, {"nagmundari", "Nag_Mundari"},
    {"nandinagari", "Nandinagari"}, {"nd", "Nd"}, {"newa", "Newa"}, {"newtailue", "New_Tai_Lue"},
    {"nko", "Nko"}, {"nl", "Nl"}, {"no", "No"}, {"nonspacingmark", "Mn"}, {"number", "N"},
    {"nushu", "Nushu"}, {"nyiakengpuachuehmong", "Nyiakeng_Puachue_Hmong"}, {"ogham", "Ogham"},
    {"olchiki", "Ol_Chiki"}, {"oldhungarian", "Old_Hungarian"}, {"olditalic", "Old_Italic"},
    {"oldnortharabian", "Old_North_Arabian"}, {"oldpermic", "Old_Permic"},
    {"oldpersian", "Old_Persian"}, {"oldsogdian", "Old_Sogdian"},
    {"oldsoutharabian", "Old_South_Arabian"}, {"oldturkic", "Old_Turkic"},
    {"olduyghur", "Old_Uyghur"}, {"openpunctuation", "Ps"}, {"oriya", "Oriya"}, {"osage", "Osage"},
    {"osmanya", "Osmanya"}, {"other", "C"}, {"otherletter", "Lo"}, {"othernumber", "No"},
    {"otherpunctuation", "Po"}, {"othersymbol", "So"}, {"p", "P"}, {"pahawhhmong", "Pahawh_Hmong"},
    {"palmyrene", "Palmyrene"}, {"paragraphseparator", "Zp"}, {"paucinhau", "Pau_Cin_Hau"},
    {"pc", "Pc"}, {"pd", "Pd"}, {"pe", "Pe"}, {"pf", "Pf"}, {"phagspa", "Phags_Pa"},
    {"phoenician", "Phoenician"}, {"pi", "Pi"}, {"po", "Po"}, {"privateuse", "Co"}, {"ps", "Ps"},
    {"psalterpahlavi", "Psalter_Pahlavi"}, {"punct", "P"}, {"punctuation", "P"},
    {"rejang", "Rejang"}, {"runic", "Runic"}, {"s", "S"}, {"samaritan", "Samaritan"},
    {"saurashtra", "Saurashtra"}, {"sc", "Sc"}, {"separator", "Z"}, {"sharada", "Sharada"},
    {"shavian", "Shavian"}, {"siddham", "Siddham"}, {"signwriting", "SignWriting"},
    {"sinhala", "Sinhala"}, {"sk", "Sk"}, {"sm", "Sm"}, {"so", "So"}, {"sogdian", "Sogdian"},
    {"sorasompeng", "Sora_Sompeng"}, {"soyombo", "Soyombo"}, {"spaceseparator", "Zs"},
    {"spacingmark", "Mc"}, {"sundanese", "Sundanese"}, {"surrogate", "Cs"},
    {"sylotinagri", "Syloti_Nagri"}, {"symbol", "S"}, {"syriac", "Syriac"}, {"tagalog", "Tagalog"},
    {"tagbanwa", "Tagbanwa"}, {"taile", "Tai_Le"}, {"taitham", "Tai_Tham"}, {"taiviet", "Tai_Viet"},
    {"takri", "Takri"}, {"tamil", "Tamil"}, {"tangsa", "Tangsa"}, {"tangut", "Tangut"},
    {"telugu", "Telugu"}, {"thaana", "Thaana"}, {"thai", "Thai"}, {"tibetan", "Tibetan"},
    {"tifinagh", "Tifinagh"}, {"tirhuta", "Tirhuta"}, {"titlecaseletter", "Lt"}, {"toto", "Toto"},
    {"ugaritic", "Ugaritic"}, {"unassigned", "Cn"}, {"uppercaseletter", "Lu"}, {"vai", "Vai"},
    {"vithkuqi", "Vithkuqi"}, {"wancho", "Wancho"}, {"warangciti", "Warang_Citi"},
    {"yezidi", "Yezidi"}, {"yi", "Yi"}, {"z", "Z"}, {"zanabazarsquare", "Zanabazar_Square"},
    {"zl", "Zl"}, {"zp", "Zp"}, {"zs", "Zs"},
};
// clang-format on

std::string Folded(std::string_view name) {
  std::string folded;
  for (const char c : name) {
    if (c == '_' || c == '-' || c == ' ') continue;
    folded += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return folded;
}

/// The name by which RE2 knows the Unicode class that Go's regexp knows as `name` (as in \p{name});
/// empty if Go knows none.
///
/// Classes are general categories, their long names, scripts and Any, Assigned, ASCII. As Go 1.25
/// and later: upper and lower case, '_', '-' and ' ' do not count. Some names that Go knows RE2
/// does not (Cn, LC, scripts of Unicode 15); they are returned as they are.
std::string_view FindUnicodeClass(std::string_view name) {
  const std::string folded = Folded(name);
  const auto* found = std::lower_bound(
      std::begin(kUnicodeNames), std::end(kUnicodeNames), folded,
      [](const UnicodeName& entry, const std::string& key) { return entry.folded < key; });
  if (found == std::end(kUnicodeNames) || found->folded != folded) return {};
  return found->re2;
}

bool IsOctalDigit(char32_t c) { return c >= '0' && c <= '7'; }

bool IsWordCharacter(char32_t c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

int HexDigit(char32_t c) { return c < 0x80 ? base::HexDigitValue(static_cast<char>(c)) : -1; }

/// The first byte of `text` that is no UTF-8, and what follows; empty where all is.
std::string_view FindBadUtf8(std::string_view text) {
  while (!text.empty()) {
    const base::Rune rune = base::DecodeRune(text);
    if (rune.IsBad()) break;
    text.remove_prefix(rune.size);
  }
  return text;
}

bool IsCaptureName(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return c == '_' || IsWordCharacter(static_cast<unsigned char>(c));
  });
}

/// True for what stands between "[:" and ":]".
bool IsPosixClass(std::string_view name) {
  if (name.starts_with('^')) name.remove_prefix(1);
  return std::find(std::begin(kPosixClasses), std::end(kPosixClasses), name) !=
         std::end(kPosixClasses);
}

/// What Go's regexp makes of a pattern.
struct GoRegexp {
  /// The text of Go's error; absent if Go accepts the pattern.
  std::optional<std::string> error;
  /// The same expression in the words of RE2, without the names of groups; only without an error.
  std::string re2;
};

/// One pass over the pattern. A function that returns false (or nothing) has set the error.
class Parser {
 public:
  explicit Parser(std::string_view pattern) : pattern_(pattern), rest_(pattern) {}

  GoRegexp Parse() {
    while (!rest_.empty()) {
      const std::string_view before = rest_;
      is_repetition_ = false;
      if (!ParseNext() || !CheckLimits()) return {std::move(error_), {}};
      last_repetition_ = is_repetition_ ? before : std::string_view();
    }
    const bool closed = stack_.Finish();
    if (CheckLimits() && !closed) Fail("missing closing )", pattern_);
    if (error_) return {std::move(error_), {}};
    CopyUpTo(pattern_.size());
    return {std::nullopt, std::move(re2_)};
  }

 private:
  bool ParseNext() {
    switch (rest_[0]) {
      case '(':
        return ParseGroup();
      case ')':
        return ParseGroupEnd();
      case '|':
        stack_.AddBar();
        return Skip(1);
      case '[':
        return ParseClass();
      case '^':
      case '$':
        return PushAndSkip(Kind::kEmpty, 1);
      case '.':
        return PushAndSkip(Kind::kClass, 1);
      case '*':
      case '+':
      case '?':
        return ParseRepetition({.op = rest_[0]}, rest_.substr(1));
      case '{':
        return ParseCounts();
      case '\\':
        return ParseBackslash();
      default:
        return NextRune() && PushAndSkip(Kind::kLiteral, 0);
    }
  }

  // Groups

  bool ParseGroup() {
    if (rest_.starts_with("(?")) return ParsePerlGroup();
    stack_.OpenGroup(true, fold_case_);
    return Skip(1);
  }

  bool ParseGroupEnd() {
    if (!stack_.CloseGroup(fold_case_)) return CheckLimits() && Fail("unexpected )", pattern_);
    return Skip(1);
  }

  bool ParsePerlGroup() {
    if (rest_.size() > 4 && rest_.substr(2, 2) == "P<") return ParseNamedGroup(4);
    if (rest_.size() > 3 && rest_[2] == '<') return ParseNamedGroup(3);
    return ParseFlags();
  }

  /// RE2 is given the group without its name: it knows one of the two forms only and lets no two
  /// groups have the same name, as Go does.
  bool ParseNamedGroup(std::size_t name_start) {
    const std::size_t end = rest_.find('>');
    if (end == std::string_view::npos) {
      return CheckUtf8(rest_) && Fail("invalid named capture", rest_);
    }
    const std::string_view name = rest_.substr(name_start, end - name_start);
    if (!CheckUtf8(name)) return false;
    if (!IsCaptureName(name)) return Fail("invalid named capture", rest_.substr(0, end + 1));
    stack_.OpenGroup(true, fold_case_);
    return Replace(end + 1, "(");
  }

  /// (?i), (?i:, (?s-i:, (?: and the like.
  bool ParseFlags() {
    const std::string_view start = rest_;
    Skip(2);
    bool fold_case = fold_case_;
    bool negative = false;
    bool saw_flag = false;
    while (!rest_.empty()) {
      const std::optional<char32_t> flag = NextRune();
      if (!flag) return false;
      if (*flag == ':' || *flag == ')') {
        if (negative && !saw_flag) break;
        if (*flag == ':') stack_.OpenGroup(false, fold_case_);
        fold_case_ = fold_case;
        return true;
      }
      if (*flag == '-' && !negative) {
        negative = true;
        saw_flag = false;
        continue;
      }
      if (*flag != 'i' && *flag != 'm' && *flag != 's' && *flag != 'U') break;
      if (*flag == 'i') fold_case = !negative;
      saw_flag = true;
    }
    return Fail("invalid or unsupported Perl syntax", ReadSince(start));
  }

  // Repetitions

  /// `after` follows the operator, but for a ? that makes it lazy.
  bool ParseRepetition(RegexpStack::Repetition repetition, std::string_view after) {
    const std::string_view before = rest_;
    if (after.starts_with('?')) after.remove_prefix(1);
    rest_ = after;
    if (!last_repetition_.empty()) {
      return Fail("invalid nested repetition operator", ReadSince(last_repetition_));
    }
    if (!stack_.Repeat(repetition)) {
      return Fail("missing argument to repetition operator", ReadSince(before));
    }
    if (!CheckLimits()) return false;
    const bool counts = repetition.min >= 2 || repetition.max >= 2;
    if (counts && !stack_.RepeatsAreValid()) {
      return Fail("invalid repeat count", ReadSince(before));
    }
    is_repetition_ = true;
    return true;
  }

  /// {n}, {n,} or {n,m}. Anything else is a literal brace.
  bool ParseCounts() {
    std::string_view after = rest_.substr(1);
    RegexpStack::Repetition repetition{.op = '{'};
    const std::optional<int> min = TakeCount(after);
    if (!min) return PushAndSkip(Kind::kLiteral, 1);
    std::optional<int> max = min;
    if (after.starts_with(',')) {
      after.remove_prefix(1);
      max = after.starts_with('}') ? -1 : TakeCount(after);
    }
    if (!max || !after.starts_with('}')) return PushAndSkip(Kind::kLiteral, 1);
    after.remove_prefix(1);
    repetition.min = *min;
    repetition.max = *max;
    if (*min > kMaxRepeat || *max > kMaxRepeat || (*max >= 0 && *min > *max)) {
      return Fail("invalid repeat count", rest_.substr(0, rest_.size() - after.size()));
    }
    return ParseRepetition(repetition, after);
  }

  /// A decimal number without leading zeros, from the start of `text`. All numbers above 1000 are
  /// as good as 1001.
  static std::optional<int> TakeCount(std::string_view& text) {
    if (text.empty() || !IsDigit(text[0])) return std::nullopt;
    if (text.size() >= 2 && text[0] == '0' && IsDigit(text[1])) return std::nullopt;
    int count = 0;
    while (!text.empty() && IsDigit(text[0])) {
      count = std::min(count * 10 + (text[0] - '0'), kMaxRepeat + 1);
      text.remove_prefix(1);
    }
    return count;
  }

  // Escapes

  bool ParseBackslash() {
    switch (rest_.size() < 2 ? '\0' : rest_[1]) {
      case 'A':
      case 'b':
      case 'B':
      case 'z':
        return PushAndSkip(Kind::kEmpty, 2);
      case 'C':
        return Fail("invalid escape sequence", rest_.substr(0, 2));
      case 'Q':
        return ParseQuoted();
      case 'p':
      case 'P':
        return ParseUnicodeClass() && PushAndSkip(Kind::kClass, 0);
      default:
        if (IsPerlClass()) return PushAndSkip(Kind::kClass, 2);
        return ParseEscape() && PushAndSkip(Kind::kLiteral, 0);
    }
  }

  /// \Q...\E, or \Q... to the end.
  bool ParseQuoted() {
    Skip(2);
    std::string_view quoted = rest_.substr(0, rest_.find("\\E"));
    Skip(std::min(rest_.size(), quoted.size() + 2));
    while (!quoted.empty()) {
      const base::Rune rune = base::DecodeRune(quoted);
      if (rune.IsBad()) return Fail("invalid UTF-8", quoted);
      stack_.Push(Kind::kLiteral, fold_case_);
      quoted.remove_prefix(rune.size);
    }
    return true;
  }

  bool IsPerlClass() const {
    return rest_.size() >= 2 && rest_[0] == '\\' &&
           std::string_view("dDsSwW").find(rest_[1]) != std::string_view::npos;
  }

  bool IsUnicodeClass() const { return rest_.starts_with("\\p") || rest_.starts_with("\\P"); }

  /// \pL, \p{Greek}, \p{^Greek}.
  bool ParseUnicodeClass() {
    const std::string_view start = rest_;
    Skip(2);
    const std::optional<char32_t> first = NextRune();
    if (!first) return false;
    std::string_view sequence = ReadSince(start);
    std::string_view name = sequence.substr(2);
    if (*first == '{') {
      const std::size_t end = start.find('}');
      if (end == std::string_view::npos) {
        return CheckUtf8(start) && Fail("invalid character class range", start);
      }
      sequence = start.substr(0, end + 1);
      name = start.substr(3, end - 3);
      if (!CheckUtf8(name)) return false;
    }
    const bool inverted = name.starts_with('^');
    const std::string_view re2_name = FindUnicodeClass(name.substr(inverted ? 1 : 0));
    if (re2_name.empty()) return Fail("invalid character class range", sequence);
    rest_ = start;
    return Replace(sequence.size(), std::string(sequence.substr(0, 2)) + (inverted ? "{^" : "{") +
                                        std::string(re2_name) + "}");
  }

  /// An escape that is one character; rest_ starts with the backslash.
  std::optional<char32_t> ParseEscape() {
    const std::string_view start = rest_;
    Skip(1);
    if (rest_.empty()) return FailRune("trailing backslash at end of expression", "");
    const std::optional<char32_t> escaped = NextRune();
    if (!escaped) return std::nullopt;
    const bool digit_follows = !rest_.empty() && IsOctalDigit(static_cast<unsigned char>(rest_[0]));
    if (*escaped == '0' || (IsOctalDigit(*escaped) && digit_follows)) {
      return ParseOctal(*escaped - '0');
    }
    if (*escaped == 'x') return ParseHex(start);
    static constexpr std::string_view kLetters = "afnrtv";
    static constexpr std::string_view kMeanings = "\a\f\n\r\t\v";
    if (*escaped < 0x80) {
      const std::size_t letter = kLetters.find(static_cast<char>(*escaped));
      if (letter != std::string_view::npos) return static_cast<char32_t>(kMeanings[letter]);
      if (!IsWordCharacter(*escaped)) return escaped;
    }
    return FailRune("invalid escape sequence", ReadSince(start));
  }

  /// Up to two more digits.
  char32_t ParseOctal(char32_t value) {
    for (int i = 1; i < 3 && !rest_.empty() && rest_[0] >= '0' && rest_[0] <= '7'; ++i) {
      value = value * 8 + static_cast<char32_t>(rest_[0] - '0');
      Skip(1);
    }
    return value;
  }

  /// \xFF or \x{10FFFF}; \x is read.
  std::optional<char32_t> ParseHex(std::string_view start) {
    if (rest_.empty()) return FailRune("invalid escape sequence", ReadSince(start));
    const std::optional<char32_t> first = NextRune();
    if (!first) return std::nullopt;
    if (*first == '{') return ParseHexInBraces(start);
    const std::optional<char32_t> second = NextRune();
    if (!second) return std::nullopt;
    if (HexDigit(*first) < 0 || HexDigit(*second) < 0) {
      return FailRune("invalid escape sequence", ReadSince(start));
    }
    return static_cast<char32_t>(HexDigit(*first) * 16 + HexDigit(*second));
  }

  std::optional<char32_t> ParseHexInBraces(std::string_view start) {
    char32_t value = 0;
    for (bool any_digit = false; !rest_.empty(); any_digit = true) {
      const std::optional<char32_t> next = NextRune();
      if (!next) return std::nullopt;
      if (*next == '}' && any_digit) return value;
      if (HexDigit(*next) < 0) break;
      value = value * 16 + static_cast<char32_t>(HexDigit(*next));
      if (value > 0x10FFFF) break;
    }
    return FailRune("invalid escape sequence", ReadSince(start));
  }

  // Classes in brackets

  bool ParseClass() {
    const std::string_view start = rest_;
    Skip(1);
    if (rest_.starts_with('^')) Skip(1);
    // A ] is no end where it stands first.
    bool first = true;
    while (first || !rest_.starts_with(']')) {
      first = false;
      if (!ParseClassItem(start)) return false;
    }
    return PushAndSkip(Kind::kClass, 1);
  }

  bool ParseClassItem(std::string_view class_start) {
    const std::size_t name_end = PosixClassEnd();
    if (name_end != 0) {
      const std::string_view name = rest_.substr(0, name_end);
      if (!IsPosixClass(name.substr(2, name.size() - 4))) {
        return Fail("invalid character class range", name);
      }
      return Skip(name_end);
    }
    if (IsUnicodeClass()) return ParseUnicodeClass();
    if (IsPerlClass()) return Skip(2);
    return ParseClassRange(class_start);
  }

  /// The length of the "[:name:]" that rest_ starts with; 0 where there is none.
  std::size_t PosixClassEnd() {
    if (!rest_.starts_with("[:") || no_class_end_follows_) return 0;
    const std::size_t end = rest_.find(":]", 2);
    no_class_end_follows_ = end == std::string_view::npos;  // or each "[:" would search the rest
    return no_class_end_follows_ ? 0 : end + 2;
  }

  /// A single character or a range.
  bool ParseClassRange(std::string_view class_start) {
    const std::string_view start = rest_;
    const std::optional<char32_t> low = ParseClassCharacter(class_start);
    if (!low) return false;
    // [a-] is an a and a -.
    if (rest_.size() < 2 || rest_[0] != '-' || rest_[1] == ']') return true;
    Skip(1);
    const std::optional<char32_t> high = ParseClassCharacter(class_start);
    if (!high) return false;
    return *low <= *high || Fail("invalid character class range", ReadSince(start));
  }

  std::optional<char32_t> ParseClassCharacter(std::string_view class_start) {
    if (rest_.empty()) return FailRune("missing closing ]", class_start);
    return rest_[0] == '\\' ? ParseEscape() : NextRune();
  }

  // Text

  /// Takes a character; U+FFFD at the end of the text, which is no error.
  std::optional<char32_t> NextRune() {
    const base::Rune rune = base::DecodeRune(rest_);
    if (rune.IsBad()) return FailRune("invalid UTF-8", rest_);
    Skip(rune.size);
    return rune.value;
  }

  bool CheckUtf8(std::string_view text) {
    const std::string_view bad = FindBadUtf8(text);
    return bad.empty() || Fail("invalid UTF-8", bad);
  }

  bool Skip(std::size_t size) {
    rest_.remove_prefix(size);
    return true;
  }

  bool PushAndSkip(Kind kind, std::size_t size) {
    stack_.Push(kind, fold_case_);
    return Skip(size);
  }

  /// What was read from `start` on.
  std::string_view ReadSince(std::string_view start) const {
    return start.substr(0, start.size() - rest_.size());
  }

  /// Skips `size` bytes, for which RE2 is given `text`.
  bool Replace(std::size_t size, std::string_view text) {
    CopyUpTo(pattern_.size() - rest_.size());
    re2_ += text;
    copied_ += size;
    return Skip(size);
  }

  void CopyUpTo(std::size_t offset) {
    re2_ += pattern_.substr(copied_, offset - copied_);
    copied_ = offset;
  }

  // Errors

  bool CheckLimits() {
    switch (stack_.limit()) {
      case RegexpStack::Limit::kTooDeep:
        return Fail("expression nests too deeply", pattern_);
      case RegexpStack::Limit::kTooLarge:
        return Fail("expression too large", pattern_);
      case RegexpStack::Limit::kNone:
        return true;
    }
    return true;
  }

  bool Fail(std::string_view what, std::string_view where) {
    error_ = "error parsing regexp: ";
    error_->append(what).append(": `").append(where).append("`");
    return false;
  }

  std::nullopt_t FailRune(std::string_view what, std::string_view where) {
    Fail(what, where);
    return std::nullopt;
  }

  const std::string_view pattern_;
  std::string_view rest_;             // what is not read yet
  std::string_view last_repetition_;  // from the operator just read on, if it was one
  bool is_repetition_ = false;
  bool fold_case_ = false;
  bool no_class_end_follows_ = false;
  RegexpStack stack_;
  std::optional<std::string> error_;
  std::string re2_;
  std::size_t copied_ = 0;  // how much of the pattern is in re2_
};

/// Reads `pattern` as regexp.Compile does (regexp/syntax/parse.go with the flags Perl, Go 1.25 and
/// later). Time and memory grow with the length of the pattern alone.
GoRegexp ParseGoRegexp(std::string_view pattern) { return Parser(pattern).Parse(); }

re2::StringPiece ToPiece(std::string_view text) { return {text.data(), text.size()}; }

// RE2's parser takes up to 15 KiB and 30 us a byte, beside the memory below.
constexpr std::size_t kLongestPattern = 8192;
// In bytes; taken only as it is needed, and kept. The first is enough for nearly all.
constexpr std::int64_t kUsualMemory = std::int64_t{256} << 10;
constexpr std::int64_t kMaxMemory = std::int64_t{16} << 20;
// Each takes 3 to 10 ns where the automaton does not help.
constexpr std::int64_t kMostSteps = std::int64_t{1} << 28;

RE2::Options MakeOptions(std::int64_t memory) {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(memory);
  options.set_never_capture(true);
  return options;
}

}  // namespace

std::optional<std::string> GoRegexpError(std::string_view pattern) {
  return ParseGoRegexp(pattern).error;
}

GoMatcher::GoMatcher(std::string_view pattern) {
  if (pattern.size() > kLongestPattern) return;
  const std::string re2 = ParseGoRegexp(pattern).re2;
  for (const std::int64_t memory : {kUsualMemory, kMaxMemory}) {
    expression_ = std::make_unique<const RE2>(re2, MakeOptions(memory));
    if (expression_->ok()) return;
    expression_.reset();  // it may be large
  }
}

GoMatcher::~GoMatcher() = default;

std::optional<bool> GoMatcher::Matches(std::string_view text) const {
  if (expression_ == nullptr) return std::nullopt;
  if (StepsFor(text) > kMostSteps) return std::nullopt;
  return RE2::PartialMatch(ToPiece(text), *expression_);
}

GoMatcher::Answer GoMatcher::Find(std::string_view text, std::size_t from) const {
  if (expression_ == nullptr || StepsFor(text) > kMostSteps) return {false, std::nullopt};
  re2::StringPiece match;
  if (!expression_->Match(ToPiece(text), from, text.size(), RE2::UNANCHORED, &match, 1)) {
    return {true, std::nullopt};
  }
  const auto begin = static_cast<std::size_t>(match.data() - text.data());
  return {true, Span{begin, begin + match.size()}};
}

std::int64_t GoMatcher::ProgramSize() const {
  constexpr std::int64_t kInstructionSize = 16;
  return expression_ == nullptr ? kMaxMemory / kInstructionSize : expression_->ProgramSize();
}

std::int64_t GoMatcher::StepsFor(std::string_view text) const {
  const auto size = static_cast<std::int64_t>(text.size());
  return expression_ == nullptr ? 0 : (size + 1) * expression_->ProgramSize();
}

std::size_t GoMatcher::MostMemory() const {
  return expression_ == nullptr ? 0 : static_cast<std::size_t>(expression_->options().max_mem());
}

}  // namespace kube::go
