#include "kube/go/go_unicode_names.h"

#include <algorithm>
#include <iterator>

namespace kube::go {
namespace {

struct Name {
  std::string_view folded;
  std::string_view re2;
};

// Generated from PropertyValueAliases.txt (gc) and Scripts.txt of Unicode 15.0, which Go has since
// 1.21; sorted by the folded name.
// clang-format off
constexpr Name kNames[] = {
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

std::string Fold(std::string_view name) {
  std::string folded;
  for (const char c : name) {
    if (c == '_' || c == '-' || c == ' ') continue;
    folded += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return folded;
}

}  // namespace

std::string_view FindUnicodeClass(std::string_view name) {
  const std::string folded = Fold(name);
  const auto* found = std::lower_bound(
      std::begin(kNames), std::end(kNames), folded,
      [](const Name& entry, const std::string& key) { return entry.folded < key; });
  if (found == std::end(kNames) || found->folded != folded) return {};
  return found->re2;
}

}  // namespace kube::go
