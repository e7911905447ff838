#include "kube/yaml/yaml.h"

#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

namespace kube::yaml {
namespace {

// Expected values are what kubectl 1.32 answers to: kubectl annotate --local -f FILE a=b -o json

std::string Describe(const ParseError& error) {
  return "error " + std::to_string(error.line) + ":" + std::to_string(error.column) + ": " +
         error.message;
}

std::string ToJson(std::string_view text) {
  json::Document document;
  if (const auto error = Parse(text, 1, document)) return Describe(*error);
  return json::Print(document.root(), json::KeyOrder::kSorted);
}

std::string MessageOf(std::string_view text) {
  json::Document document;
  const auto error = Parse(text, 1, document);
  return error ? error->message : "no error";
}

using Pairs = std::vector<std::pair<const char*, const char*>>;

void CheckAll(const Pairs& pairs) {
  for (const auto& [yaml, json] : pairs) {
    INFO(yaml);
    CHECK(ToJson(yaml) == json);
  }
}

TEST_CASE("Plain scalars resolve as in YAML 1.1", "[yaml]") {
  CheckAll({
      {"[y, Y, yes, Yes, YES, true, True, TRUE, on, On, ON]",
       "[true,true,true,true,true,true,true,true,true,true,true]"},
      {"[n, N, no, No, NO, false, False, FALSE, off, Off, OFF]",
       "[false,false,false,false,false,false,false,false,false,false,false]"},
      {"[yEs, tRue, oN, yess, nope]", R"(["yEs","tRue","oN","yess","nope"])"},
      {"[~, null, Null, NULL, nUll, '', \"\"]", R"([null,null,null,null,"nUll","",""])"},
      {"{a: , b: ~}", R"({"a":null,"b":null})"},
      {"", "null"},
      {"# only a comment\n", "null"},
      {"[2001-01-01, 2001-01-01T00:00:00Z, 2001-01-01 1:2:3, 1:30, 190:20:30]",
       R"(["2001-01-01","2001-01-01T00:00:00Z","2001-01-01 1:2:3","1:30","190:20:30"])"},
      {"[=, <<, a, -x, a#b, 1.2.3, 0x, 0b2, ._5, 0x1p3]",
       R"(["=","\u003c\u003c","a","-x","a#b","1.2.3","0x","0b2","._5","0x1p3"])"},
  });
}

TEST_CASE("Numbers get the text that Go's conversion gives them", "[yaml]") {
  CheckAll({
      {"[0, -0, +1, 1_000, 1__0, 0x1F, 0x_1F, 0b11, -0b11, +0b11, 0o17, 010, -010, 08, 0_8]",
       "[0,0,1,1000,10,31,31,3,-3,3,15,8,-8,8,8]"},
      {"[9223372036854775807, 9223372036854775808, 18446744073709551615]",
       "[9223372036854775807,9223372036854775808,18446744073709551615]"},
      {"[18446744073709551616, -9223372036854775809, 123456789012345678901234]",
       "[18446744073709552000,-9223372036854776000,1.2345678901234569e+23]"},
      {"[1.0, 1., .5, -.5, +.5, .5_5, 1_000.5, 1e3, 1E3, .5e3, 12e03, 1e21, 1e20, 1e-7, 0.000001]",
       "[1,1,0.5,-0.5,0.5,0.55,1000.5,1000,1000,500,12000,1e+21,100000000000000000000,1e-7,"
       "0.000001]"},
      {"[1e400, -1e400, 1e-400, .5_, .5__5]", R"(["1e400","-1e400",0,".5_",".5__5"])"},
  });
  CHECK(MessageOf("a: .inf") == "json: unsupported value: +Inf");
  CHECK(MessageOf("a: -.INF") == "json: unsupported value: -Inf");
  CHECK(MessageOf("a: .nan") == "json: unsupported value: NaN");
}

TEST_CASE("Explicit tags decide", "[yaml]") {
  CheckAll({
      {"[!!str 3, !!str ~, !!int \"3\", !!float 3, !!float 0x10, !!bool yes, !!null '']",
       R"(["3","~",3,3,16,true,null])"},
      {"[! 123, ! \"x\", !foo 123, !!foo 3, !<tag:yaml.org,2002:int> \"3\"]",
       R"(["123","x","123","3",3])"},
      {"[!!timestamp 2001-01-01, !!timestamp \"2001-1-1 1:2:3.4\"]",
       R"(["2001-01-01","2001-1-1 1:2:3.4"])"},
      {"[!!binary aGVsbG8=, !!binary \"/w==\", !!binary \"aGVs\\nbG8=\"]",
       "[\"hello\",\"\xEF\xBF\xBD\",\"hello\"]"},
      {"[!!map [a], !!str {a: b}, !!set {a, b}]", R"([["a"],{"a":"b"},{"a":null,"b":null}])"},
      {"a: !!str\nb: !!str", R"({"a":"","b":""})"},
  });
  CHECK(MessageOf("!!int 3.0") == "cannot decode !!float `3.0` as a !!int");
  CHECK(MessageOf("a: !!int") == "cannot decode !!null `` as a !!int");
  CHECK(MessageOf("!!timestamp x") == "cannot decode !!str `x` as a !!timestamp");
  CHECK(MessageOf("!!timestamp 2001-02-30") == "cannot decode !!str `2001-02-30` as a !!timestamp");
  CHECK(MessageOf("!!float 18446744073709551615") ==
        "cannot decode !!int `18446744073709551615` as a !!float");
  CHECK(MessageOf("!!binary x") == "!!binary value contains invalid base64 data");
}

TEST_CASE("Keys become strings", "[yaml]") {
  CheckAll({
      {"{1: a, 0x10: b, true: c, no: d, 2001-01-01: e, !!int '3': f, !foo 4: g}",
       R"({"1":"a","16":"b","2001-01-01":"e","3":"f","4":"g","false":"d","true":"c"})"},
      // sigs.k8s.io/yaml brings the float of a key down to a float32.
      {"{1.1: a, 123456789.5: b, 1e3: c, 0.00001: d, 1e300: e, .nan: f, -0.0: g, 1e6: h}",
       R"({"-0":"g",".inf":"e",".nan":"f","1.1":"a","1.2345679e+08":"b","1000":"c","1e+06":"h","1e-05":"d"})"},
      {"{? a : b, ? c}", R"({"a":"b","c":null})"},
      {"? a\n: b", R"({"a":"b"})"},
      {"{a, b: c, \"d\":e, f:g}", R"({"a":null,"b":"c","d":"e","f:g":null})"},
      {"[a: b, c]", R"([{"a":"b"},"c"])"},
  });
  CHECK(MessageOf("~: a") == "unsupported map key of type: null");
  CHECK(MessageOf(": a") == "did not find expected key");
  CHECK(MessageOf("12345678901234567890: a") ==
        "unsupported map key of type: uint64, key: 12345678901234567890");
  CHECK(MessageOf("{[a]: b}") == "invalid map key: a list is none, quote it");
  CHECK(MessageOf("{{a: b}: c}") == "invalid map key");
}

TEST_CASE("Of equal YAML keys the last one wins", "[yaml]") {
  CHECK(ToJson("{a: 1, b: 2, a: 3}") == R"({"a":3,"b":2})");
  CHECK(ToJson("a: 1\n'a': {b: 1}\n!!str a: [2]") == R"({"a":[2]})");
  CHECK(ToJson("{1: a, '1': b}") == R"({"1":"b"})");
  std::string many;
  for (int i = 0; i < 200; ++i) {
    many += "k" + std::to_string(i % 100) + ": " + std::to_string(i) + "\n";
  }
  json::Document document;
  REQUIRE(!Parse(many, 1, document));
  CHECK(document.root().size() == 100);
  CHECK(document.root().Find("k7")->text() == "107");
}

TEST_CASE("What has no JSON is no error where a later key takes its place", "[yaml]") {
  CheckAll({
      {"{a: .inf, a: 1}", R"({"a":1})"},
      {"{a: {b: [.nan]}, a: 1}", R"({"a":1})"},
      {"{a: {~: 1}, a: 1}", R"({"a":1})"},
      {"{a: &a .nan, a: 1, ? *a : b}", R"({".nan":"b","a":1})"},
  });
  CHECK(MessageOf("{a: 1, a: .inf}") == "json: unsupported value: +Inf");
  CHECK(MessageOf("[{a: {~: 1}, b: 1}]") == "unsupported map key of type: null");
  CHECK(MessageOf(".nan") == "json: unsupported value: NaN");
  CHECK(MessageOf("[{&a .inf : 1}, *a]") == "json: unsupported value: +Inf");
}

TEST_CASE("Quoted and block scalars are strings", "[yaml]") {
  CheckAll({
      {"['1', \"yes\", '~', 'it''s', \"a\\tb\\x41\\u263a\\U0001F600\\\n  c\"]",
       "[\"1\",\"yes\",\"~\",\"it's\",\"a\\tbA\xE2\x98\xBA\xF0\x9F\x98\x80"
       "c\"]"},
      {R"("\N\_\L\P\e\0")", "\"\xC2\x85\xC2\xA0\\u2028\\u2029\\u001b\\u0000\""},
      {"a: 'b\n\n  c'", R"({"a":"b\nc"})"},
      {"a: b\n  c\n\n  d", R"({"a":"b c\nd"})"},
      {"a: |\n  b\n   c\n\n\n", R"({"a":"b\n c\n"})"},
      {"a: |-\n  b\n\nc: |+\n  d\n\n", R"({"a":"b","c":"d\n\n"})"},
      {"a: |2\n  foo\n   bar", R"({"a":"foo\n bar\n"})"},
      {"a: >\n b\n\n\n c\n  d\n e\n\n", R"({"a":"b\n\nc\n d\ne\n"})"},
      {"a: >-\n\n b\n c", R"({"a":"\nb c"})"},
      {"a: |\n 1", R"({"a":"1\n"})"},
  });
}

TEST_CASE("Aliases are replaced by what they stand for", "[yaml]") {
  CheckAll({
      {"[&a x, *a]", R"(["x","x"])"},
      {"a: &a {b: [1]}\nc: *a", R"({"a":{"b":[1]},"c":{"b":[1]}})"},
      {"[&a 1, &a 2, *a]", "[1,2,2]"},
      {"&a k: 1\nb: *a", R"({"b":"k","k":1})"},
      {"a: &a 010\n*a : b", R"({"8":"b","a":8})"},
      {"[&a , *a]", "[null,null]"},
  });
  CHECK(MessageOf("a: *nope").find("anchor") != std::string::npos);
  CHECK(MessageOf("a: &x {b: *x}") == "anchor 'x' value contains itself");
  CHECK(MessageOf("a: &x [b]\n? *x\n: c") == "invalid map key");
}

TEST_CASE("What an alias stands for is a value of its own", "[yaml]") {
  json::Document document;
  REQUIRE(!Parse("{a: &a {b: {c: 1}}, d: *a}", 1, document));
  REQUIRE(document.root().Find("a")->Find("b")->Erase("c"));
  CHECK(json::Print(document.root()) == R"({"a":{"b":{}},"d":{"b":{"c":1}}})");
}

TEST_CASE("Merge keys fill in, the later entry wins", "[yaml]") {
  CheckAll({
      {"{<<: {a: 1}, a: 2}", R"({"a":2})"},
      {"{a: 2, <<: {a: 1}}", R"({"a":1})"},
      {"{<<: [{a: 1}, {a: 2, b: 3}], c: 1}", R"({"a":1,"b":3,"c":1})"},
      {"{p: &p {a: 1}, q: {<<: *p, b: 2}, r: {<<: [*p]}}",
       R"({"p":{"a":1},"q":{"a":1,"b":2},"r":{"a":1}})"},
      {"{\"<<\": {a: 1}}", R"({"\u003c\u003c":{"a":1}})"},
      {"{!!merge <<: {a: 1}}", R"({"a":1})"},
      {"{!!str <<: {a: 1}}", R"({"\u003c\u003c":{"a":1}})"},
  });
  const std::string want_map = "map merge requires map or sequence of maps as the value";
  CHECK(MessageOf("{<<: x}") == want_map);
  CHECK(MessageOf("{<<: }") == want_map);
  CHECK(MessageOf("{<<: [x]}") == want_map);
  CHECK(MessageOf("{a: &a [{b: 1}], <<: *a}") == want_map);
}

TEST_CASE("Alias bombs fail early", "[yaml]") {
  std::string bomb = "a: &a [x,x,x,x,x,x,x,x,x]\n";
  for (char c = 'b'; c <= 'i'; ++c) {
    const std::string before = std::string("*") + static_cast<char>(c - 1);
    bomb += std::string(1, c) + ": &" + c + " [" + before;
    for (int i = 0; i < 8; ++i) bomb += "," + before;
    bomb += "]\n";
  }
  CHECK(MessageOf(bomb) == "document contains excessive aliasing");

  std::string long_string = "a: &a " + std::string(1'000'000, 'x') + "\nb: [";
  for (int i = 0; i < 100; ++i) long_string += "*a,";
  CHECK(MessageOf(long_string + "]") == "document contains excessive aliasing");
}

TEST_CASE("Aliases cannot nest deeper than JSON may", "[yaml]") {
  const std::string open(400, '[');
  const std::string close(400, ']');
  std::string text = "- &a0 " + open + close + "\n";
  for (int i = 1; i < 40; ++i) {
    text += "- &a" + std::to_string(i) + " " + open + "*a" + std::to_string(i - 1) + close + "\n";
  }
  CHECK(MessageOf(text) == "exceeded max depth");
}

TEST_CASE("Deep YAML nesting is an error", "[yaml]") {
  const auto repeat = [](std::size_t count, const char* part) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i) text += part;
    return text;
  };
  // As go-yaml and encoding/json, which stop at 10,000.
  for (const std::size_t depth : {10'001U, 100'000U}) {
    CHECK(MessageOf(repeat(depth, "[") + repeat(depth, "]")) == "exceeded max depth");
    CHECK(MessageOf(repeat(depth, "{a: ") + repeat(depth, "}")) == "exceeded max depth");
    CHECK(MessageOf(repeat(depth, "- ")) == "exceeded max depth");
    CHECK(MessageOf(repeat(depth, "[")) != "no error");
    CHECK(MessageOf(repeat(depth, "{a: ")) != "no error");
    CHECK(MessageOf(repeat(depth, "? ")) != "no error");
  }
  const std::string deep = repeat(900, "[") + repeat(900, "]");
  CHECK(ToJson(deep) == deep);
}

TEST_CASE("Only so many directives are taken", "[yaml]") {
  std::string directives = "\xEF\xBB\xBF# above\n \n";
  for (int i = 0; i < 100; ++i) directives += "%TAG !" + std::to_string(i) + "! x:\r\n";
  json::Document document;
  CHECK(!Parse(directives + "---\na: 1\n", 1, document));
  std::string lines;
  for (int i = 0; i < 200; ++i) lines += " %\n";
  const auto error = Parse(directives + "%TAG !y! x:\n---\na: 1\n", 1, document);
  REQUIRE(error);
  CHECK(error->message == "exceeded max directives");
  CHECK(error->line == 103);
  CHECK(!Parse("a: |\n" + lines, 1, document));
}

TEST_CASE("Line breaks and byte order marks of all kinds", "[yaml]") {
  CheckAll({
      {"a: b\r\nc: |\r\n  d\r\n  e\r\n", R"({"a":"b","c":"d\ne\n"})"},
      {"a: b\rc: d", R"({"a":"b","c":"d"})"},
      {"a: b\xC2\x85"
       "c: d",
       R"({"a":"b","c":"d"})"},
      {"\xEF\xBB\xBF"
       "a: b",
       R"({"a":"b"})"},
      {"a: b\n...\nc: [", R"({"a":"b"})"},
      {"---\na: b\n", R"({"a":"b"})"},
  });
}

TEST_CASE("Tabs may separate but not indent", "[yaml]") {
  CheckAll({
      {"a:\tb", R"({"a":"b"})"},
      {"a: b\t# c", R"({"a":"b"})"},
      {"a: [b,\n\tc]", R"({"a":["b","c"]})"},
      {"a: \"b\n\tc\"", R"({"a":"b c"})"},
      {"a: b\n  \tc", R"({"a":"b c"})"},
  });
  CHECK(MessageOf("a:\n\t- b") != "no error");
  CHECK(MessageOf("a:\n\tb: c") != "no error");
  CHECK(MessageOf("a:\n\t1.5") == "found character that cannot start any token");
  CHECK(MessageOf("a: |\n\tb") != "no error");
  CHECK(MessageOf("a: b\n\tc") != "no error");
}

TEST_CASE("Text that go-yaml does not take is an error", "[yaml]") {
  for (const char* text : {"a: b: c",
                           "a: - b",
                           "a: [b",
                           "a: {b",
                           "a: \"b",
                           "a: \"b\n",
                           "a: 'b\n",
                           "a: \"",
                           "a: \"b\"c",
                           "a: @b",
                           "a: %b",
                           "a: `b",
                           "a: \"\\d\"",
                           "a: \"\\ud83d\"",
                           "a: b\nc",
                           "a: b\nc\n",
                           "a:\n\"b\"\n",
                           "a:\n[b]\n",
                           "a:\n{b: c}\nd:",
                           "a: &a &b c",
                           "a: [b]]",
                           "a:\n  - b\n  c: d",
                           "a: b\n c: d",
                           "%YAML 1.1\n",
                           "a: \"b\x01\"",
                           "a: \"\x7f\"",
                           "a: b\xFF",
                           "a: \xC0\x80",
                           "a: \xED\xA0\x80",
                           "a: \xEF\xBF\xBF",
                           "a: \"\xC2\x9F\"",
                           "a: *b",
                           "a: |\n\n\n  b\n c"}) {
    INFO(text);
    CHECK(MessageOf(text) != "no error");
  }
}

TEST_CASE("Errors say where", "[yaml]") {
  json::Document document;
  const auto error_at = [&document](std::string_view text) {
    const auto error = Parse(text, 100, document);
    return error ? std::to_string(error->line) + ":" + std::to_string(error->column) : "no error";
  };
  CHECK(error_at("a: b\nc: d: e") == "101:5");
  CHECK(error_at("a: b\nc: !!int x") == "101:4");
  CHECK(error_at("a: b\n\nc: \"\x02\"") == "102:5");
  CHECK(error_at("a: b\r\nc: \xFF") == "101:4");
  CHECK(document.root().is_null());
}

// Expected values are what kubectl 1.32 prints for: kubectl annotate --local -f FILE a=b -o yaml

std::string Reprint(std::string_view json) {
  json::Document document;
  if (document.Parse(json)) return "no JSON";
  return yaml::Print(document.root());
}

TEST_CASE("YAML is laid out as kubectl does", "[yaml]") {
  CHECK(Reprint(R"({"b":[],"a":{"d":{},"c":[1,[2,[3]],{"e":[{"f":null,"g":true}]}]}})") ==
        "a:\n"
        "  c:\n"
        "  - 1\n"
        "  - - 2\n"
        "    - - 3\n"
        "  - e:\n"
        "    - f: null\n"
        "      g: true\n"
        "  d: {}\n"
        "b: []\n");
  CHECK(Reprint("[]") == "[]\n");
  CHECK(Reprint("\"a\"") == "a\n");
  CHECK(Reprint("\"a\\nb\"") == "|-\n  a\n  b\n");
}

TEST_CASE("Keys are sorted as go-yaml does", "[yaml]") {
  CHECK(Reprint(R"({"a10":0,"b":0,"a2":0,"B":0,"1":0,"_":0,"10":0,"2":0,"01":0,"a-":0})") ==
        "_: 0\n\"1\": 0\n\"01\": 0\n\"2\": 0\n\"10\": 0\nB: 0\na-: 0\na2: 0\na10: 0\n"
        "b: 0\n");
}

TEST_CASE("Strings are quoted only where they have to be", "[yaml]") {
  const Pairs pairs = {
      {R"("")", "\"\""},
      {R"("yes")", "\"yes\""},
      {R"("n")", "\"n\""},
      {R"("~")", "\"~\""},
      {R"("1")", "\"1\""},
      {R"("0o7")", "\"0o7\""},
      {R"("1_000")", "\"1_000\""},
      {R"("1e3")", "\"1e3\""},
      {R"("1e400")", "1e400"},
      {R"(".5")", "\".5\""},
      {R"("2001-1-1")", "\"2001-1-1\""},
      {R"("2001-13-1")", "2001-13-1"},
      {R"("1:30")", "\"1:30\""},
      {R"("1:60")", "1:60"},
      {R"("12:30:45.5")", "\"12:30:45.5\""},
      {R"("a")", "a"},
      {R"("a: b")", "'a: b'"},
      {R"("a:b")", "a:b"},
      {R"("a:")", "'a:'"},
      {R"("a #b")", "'a #b'"},
      {R"("a#b")", "a#b"},
      {R"("- a")", "'- a'"},
      {R"("-a")", "-a"},
      {R"("-")", "'-'"},
      {R"("---")", "'---'"},
      {R"("..")", ".."},
      {R"("...")", "'...'"},
      {R"("? a")", "'? a'"},
      {R"("?a")", "?a"},
      {R"(":a")", ":a"},
      {R"("@a")", "'@a'"},
      {R"("%a")", "'%a'"},
      {R"("[a]")", "'[a]'"},
      {R"("a,b")", "a,b"},
      {R"(" a")", "' a'"},
      {R"("a ")", "'a '"},
      {R"("it's")", "it's"},
      {R"("'q'")", "'''q'''"},
      {R"("\"q\"")", "'\"q\"'"},
      {R"("x\\y")", "x\\y"},
      {R"("a\tb")", "\"a\\tb\""},
      {R"("a\rb")", "\"a\\rb\""},
      {R"("a\u001b[0m")", "\"a\\e[0m\""},
      {R"("\u0000")", "\"\\0\""},
      {R"("\u00e9")", "\xC3\xA9"},
      {R"("\ud83d\ude00")", "\"\\U0001F600\""},
      {R"("\ufeffa")", "\"\\uFEFF\\x61\""},
      {R"("a\u2028b")", "\"a\\Lb\""},  // kubectl breaks the line there
      {R"("<<")", "\"<<\""},           // kubectl prints what merges when read back
  };
  for (const auto& [json, yaml] : pairs) {
    INFO(json);
    CHECK(Reprint(json) == yaml + std::string("\n"));
  }
}

TEST_CASE("Lines become literal blocks", "[yaml]") {
  CHECK(Reprint(R"({"a":"b\nc"})") == "a: |-\n  b\n  c\n");
  CHECK(Reprint(R"({"a":"b\nc\n"})") == "a: |\n  b\n  c\n");
  CHECK(Reprint(R"({"a":"b\n\nc\n\n"})") == "a: |+\n  b\n\n  c\n\n");
  CHECK(Reprint(R"({"a":"\nb"})") == "a: |2-\n\n  b\n");
  CHECK(Reprint(R"({"a":"\n"})") == "a: |2+\n\n");
  CHECK(Reprint(R"({"a":" b\nc"})") == "a: |2-\n   b\n  c\n");
  CHECK(Reprint(R"({"a":"b \nc"})") == "a: \"b \\nc\"\n");
  CHECK(Reprint(R"({"a":"b\tc\nd"})") == "a: \"b\\tc\\nd\"\n");
  CHECK(Reprint(R"(["b\n",{"k":"\n x\n"}])") == "- |\n  b\n- k: |2\n\n     x\n");
}

TEST_CASE("Long lines are folded behind column 80", "[yaml]") {
  std::string words;
  for (int i = 0; i < 30; ++i) words += "word ";
  const auto print = [](const std::string& text) { return Reprint("{\"k125\":\"" + text + "\"}"); };
  CHECK(print(words + "e") ==
        "k125: word word word word word word word word word word word word word word word word\n"
        "  word word word word word word word word word word word word word word e\n");
  CHECK(print(words) ==
        "k125: 'word word word word word word word word word word word word word word word\n"
        "  word word word word word word word word word word word word word word word '\n");
  CHECK(print("\\t" + words) ==
        "k125: \"\\tword word word word word word word word word word word word word word word\n"
        "  word word word word word word word word word word word word word word word \"\n");
}

TEST_CASE("Keys with lines and long keys stand behind a question mark", "[yaml]") {
  CHECK(Reprint(R"({"a\nb":{"c":1}})") == "? |-\n  a\n  b\n: c: 1\n");
  CHECK(Reprint(R"({"a\rb":1})") == "? \"a\\rb\"\n: 1\n");
  const std::string key(129, 'm');
  CHECK(Reprint("{\"" + key + "\":[1]}") == "? " + key + "\n: - 1\n");
  CHECK(Reprint("{\"" + key.substr(1) + "\":[1]}") == key.substr(1) + ":\n- 1\n");
}

TEST_CASE("Numbers are printed as they are held", "[yaml]") {
  CHECK(Reprint("[1,-0.5,1e+21,1.0,12345678901234567890123]") ==
        "- 1\n- -0.5\n- 1e+21\n- 1.0\n- 12345678901234567890123\n");
}

TEST_CASE("Keys that compare in a circle can be printed", "[yaml]") {
  std::string json = "{";
  for (int i = 0; i < 1000; ++i) {
    json += "\"a" + std::to_string(i * 37 % 101) + (i % 3 == 0 ? "b" : "0x") + std::to_string(i) +
            "\":0,";
  }
  json.back() = '}';
  json::Document document;
  REQUIRE(!document.Parse(json));
  json::Document back;
  REQUIRE(!Parse(yaml::Print(document.root()), 1, back));
  CHECK(json::Equal(document.root(), back.root()));
}

TEST_CASE("Deep values can be printed", "[yaml]") {
  const std::string json = std::string(5000, '[') + std::string(5000, ']');
  CHECK(Reprint(json).size() == 5000 * 2 + 1);
}

}  // namespace
TEST_CASE("It is known in which line a key stands", "[kube][yaml]") {
  const std::string text =
      "# first\na:\n  b/c: 1\n  list:\n  - x: 1\n  - {y: 2,\n     z: 3}\nd: &m {e: 1}\nf: *m\n"
      "g:\n  <<: *m\n  <<: *m\n  h: 1\n";
  json::Document document;
  KeyLines lines;
  REQUIRE_FALSE(Parse(text, 10, document, nullptr, &lines));
  CHECK(lines.LineOf("/a", 0) == 11);
  CHECK(lines.LineOf("/a/b~1c", 0) == 12);
  CHECK(lines.LineOf("/a/list/0/x", 0) == 14);
  CHECK(lines.LineOf("/a/list/1/y", 0) == 15);
  CHECK(lines.LineOf("/a/list/1/z", 0) == 16);
  CHECK(lines.LineOf("/f/e", 0) == 18);  // of an alias nothing is known but its key
  CHECK(lines.LineOf("/g/h", 0) == 22);
  CHECK(lines.LineOf("/nothing", 7) == 7);
  CHECK_FALSE(lines.repeated);
}

TEST_CASE("A key that its map has twice is found", "[kube][yaml]") {
  json::Document document;
  KeyLines lines;
  REQUIRE_FALSE(Parse("a: {x: 1}\nb: {x: 1}\n'a': 2\n", 1, document, nullptr, &lines));
  REQUIRE(lines.repeated);
  CHECK(lines.repeated->pointer == "/a");
  CHECK(lines.repeated->line == 3);
}

TEST_CASE("A list of one name as a key is taken where that is asked for", "[kube][yaml]") {
  const auto read = [](const std::string& text) {
    json::Document document;
    KeyLines lines;
    const auto error = Parse(text, 1, document, nullptr, &lines, BracketKeys::kTaken);
    if (error) return std::to_string(error->line) + ": " + error->message;
    return json::Print(document.root());
  };
  CHECK(read("[a]: b") == R"({"[a]":"b"})");
  CHECK(read("x:\n  [ a.b/c ]:\n    d: [1, [2]]\n") == R"({"x":{"[a.b/c]":{"d":[1,[2]]}}})");
  CHECK(read("{[a]: {[b]: c}, '[d]': e}") == R"({"[a]":{"[b]":"c"},"[d]":"e"})");
  CHECK(read("? [a]\n: b\n") == R"({"[a]":"b"})");
  CHECK(read("[true]: b\n[1]: c") == R"({"[1]":"c","[true]":"b"})");
  CHECK(read("[a]: 1\n'[a]': 2\n") == R"({"[a]":2})");
  // Lists that are no keys.
  CHECK(read("- [a]\n- x: [b]\n") == R"([["a"],{"x":["b"]}])");
  const std::string refused = "invalid map key: a key in brackets is one name, without quotes";
  CHECK(read("x: 1\n[a, b]: c") == "2: " + refused);
  CHECK(read("[]: c") == "1: " + refused);
  CHECK(read("['a']: c") == "1: " + refused);
  CHECK(read("[[a]]: c") == "1: " + refused);
  CHECK(read("[{a: b}]: c") == "1: " + refused);
  CHECK(read("[!!str a]: c") == "1: " + refused);
  CHECK(read("x: &x a\n[*x]: c") == "2: " + refused);
  CHECK(read("&x [a]: c") == "1: invalid map key");
  CHECK(read("{a: b}: c") == "1: invalid map key");
  KeyLines lines;
  json::Document document;
  REQUIRE_FALSE(Parse("a:\n  [b]: 1\n", 1, document, nullptr, &lines, BracketKeys::kTaken));
  CHECK(lines.LineOf("/a/[b]", 0) == 2);
}

}  // namespace kube::yaml
