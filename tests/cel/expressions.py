"""Makes up expressions of CEL: most compile, some do not, and some end in an error. The same for the same seed."""
import random
import re

PLAIN = ["int", "uint", "double", "bool", "string"]
ORDERED = PLAIN + ["bytes", "google.protobuf.Duration", "google.protobuf.Timestamp"]
SUMMED = ["int", "uint", "double", "google.protobuf.Duration"]
KEYS = ["string", "string", "int", "bool", "uint"]
SHORT = {"Duration": "google.protobuf.Duration", "Timestamp": "google.protobuf.Timestamp"}

LITERALS = {
    "int": ["0", "1", "-1", "2", "3", "7", "10", "0x1F", "100", "9223372036854775807", "-9223372036854775808"],
    "uint": ["0u", "1u", "2u", "5u", "0xFFu", "18446744073709551615u"],
    "double": ["0.0", "1.0", "-0.0", "1.5", "-2.25", "1e3", "1e300", "1e-7", "9007199254740993.0", "3.14159"],
    "bool": ["true", "false"],
    "string": ["''", "'a'", "'abc'", "\"b c\"", "'foo-bar'", "'Ünï'", "'é\\u4e2d\\U0001F600'", "r'\\d+'", "'a,b,,c'",
               "'10'", "'-7'", "'1.5'", "'true'", "'5m'", "'1h30m0.5s'", "'2026-11-21T10:20:30.5Z'", "'1.2.3'",
               "'10.0.0.1'", "'10.0.0.0/8'", "'fe80::1'", "'https://a.example.com:80/p/q?x=1&x=2'", "'100Mi'",
               "'1500m'", "'%d and %s'", "'''x\ny'''", "'\\t\\n\\''", "' pad '", "'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'"],
    "bytes": ["b''", "b'abc'", "b'\\xff\\x00'", "b'é'", "bytes('ab')"],
    "null_type": ["null"],
    "type": ["int", "string", "type(1)", "type(null)", "type([])", "list", "map", "bool", "bytes", "double", "uint",
             "null_type", "type(type(1))"],
    "google.protobuf.Duration": ["duration('1h')", "duration('-90s')", "duration('0s')", "duration('1.5ms')",
                                 "duration('100000h')", "duration('nope')"],
    "google.protobuf.Timestamp": ["timestamp('2026-11-21T00:00:00Z')", "timestamp('1969-12-31T23:59:59.999Z')",
                                  "timestamp('2024-02-29T12:30:00+05:30')", "timestamp(0)",
                                  "timestamp('9999-12-31T23:59:59Z')"],
    "kubernetes.Quantity": ["quantity('1')", "quantity('100Mi')", "quantity('1500m')", "quantity('-2k')",
                            "quantity('1e3')", "quantity('9223372036854775807')", "quantity('x')"],
    "net.IP": ["ip('10.0.0.1')", "ip('::1')", "ip('fe80::1')", "ip('127.0.0.1')", "ip('224.0.0.1')", "ip('0.0.0.0')"],
    "net.CIDR": ["cidr('10.0.0.0/8')", "cidr('10.0.0.7/8')", "cidr('fd00::/8')", "cidr('192.168.1.0/24')"],
    "kubernetes.URL": ["url('https://a.example.com:80/p/q?x=1&x=2')", "url('/path')", "url('http://[::1]:8080/')"],
    "kubernetes.Semver": ["semver('1.2.3')", "semver('1.2.3-rc.1+build')", "semver('0.0.1')",
                          "semver('v1.2', true)"],
    "kubernetes.NamedFormat": ["format.dns1123Label()", "format.uuid()", "format.date()", "format.labelValue()",
                               "format.uri()", "format.byte()", "format.datetime()", "format.qualifiedName()"],
}

# By result. <...> is an expression of the type, with T any type, K one of keys, O one that has an order, S one that has
# sums. {x}, {y}: names that are bound, by what stands behind the colon.
FORMS = {
    "int": ["<int> + <int>", "<int> - <int>", "<int> * <int>", "<int> / <int>", "<int> % <int>", "-<int>",
            "(<int>)", "size(<string>)", "<string>.size()", "size(<list(T)>)", "<list(T)>.size()", "size(<map(K, T)>)",
            "<bytes>.size()", "int(<string>)", "int(<uint>)", "int(<double>)", "int(<Timestamp>)", "int(<int>)",
            "<Timestamp>.getFullYear()", "<Timestamp>.getMonth()", "<Timestamp>.getDayOfYear()",
            "<Timestamp>.getDate('America/New_York')", "<Timestamp>.getHours('+05:30')", "<Timestamp>.getDayOfWeek()",
            "<Timestamp>.getMilliseconds()", "<Duration>.getHours()", "<Duration>.getMinutes()",
            "<Duration>.getSeconds()", "<Duration>.getMilliseconds()", "<string>.indexOf(<string>)",
            "<string>.indexOf(<string>, <int>)", "<string>.lastIndexOf(<string>)", "<list(T)>.indexOf(<T>)",
            "<list(T)>.lastIndexOf(<T>)", "<kubernetes.Quantity>.asInteger()", "<kubernetes.Quantity>.sign()",
            "<kubernetes.Quantity>.compareTo(<kubernetes.Quantity>)", "<net.IP>.family()",
            "<net.CIDR>.prefixLength()", "<kubernetes.Semver>.major()",
            "<kubernetes.Semver>.compareTo(<kubernetes.Semver>)"],
    "uint": ["<uint> + <uint>", "<uint> - <uint>", "<uint> * <uint>", "<uint> / <uint>", "<uint> % <uint>",
             "uint(<int>)", "uint(<double>)", "uint(<string>)"],
    "double": ["<double> + <double>", "<double> - <double>", "<double> * <double>", "<double> / <double>",
               "-<double>", "double(<int>)", "double(<string>)", "double(<uint>)",
               "<kubernetes.Quantity>.asApproximateFloat()"],
    "bool": ["!<bool>", "<bool> && <bool>", "<bool> || <bool>", "<bool> && <bool> && <bool>", "<T> == <T>",
             "<T> != <T>", "<O> < <O>", "<O> <= <O>", "<O> > <O>", "<O> >= <O>", "<int> < <double>", "<uint> >= <int>",
             "<T> in <list(T)>", "<K> in <map(K, T)>", "<string>.contains(<string>)", "<string>.startsWith(<string>)",
             "<string>.endsWith(<string>)", "<string>.matches('^[a-c]+(-[0-9]*)?$')", "<string>.matches(<string>)",
             "<list(T)>.all({x:T}, <bool>)", "<list(T)>.exists({x:T}, <bool>)", "<list(T)>.exists_one({x:T}, <bool>)",
             "<map(K, T)>.all({x:K}, <bool>)", "<map(K, T)>.exists({x:K}, {y:T}, <bool>)",
             "<list(T)>.all({x:int}, {y:T}, <bool>)", "<list(T)>.existsOne({x:int}, {y:T}, <bool>)",
             "<list(O)>.isSorted()", "<optional(T)>.hasValue()", "<optional(T)> == <optional(T)>",
             "bool(<string>)", "isQuantity(<string>)", "isURL(<string>)", "isIP(<string>)", "isCIDR(<string>)",
             "isSemver(<string>)", "isSemver(<string>, <bool>)", "ip.isCanonical(<string>)",
             "<kubernetes.Quantity>.isGreaterThan(<kubernetes.Quantity>)",
             "<kubernetes.Quantity>.isLessThan(<kubernetes.Quantity>)", "<kubernetes.Quantity>.isInteger()",
             "<kubernetes.Semver>.isGreaterThan(<kubernetes.Semver>)", "<net.IP>.isLoopback()",
             "<net.IP>.isUnspecified()", "<net.IP>.isGlobalUnicast()", "<net.IP>.isLinkLocalMulticast()",
             "<net.CIDR>.containsIP(<net.IP>)", "<net.CIDR>.containsIP(<string>)",
             "<net.CIDR>.containsCIDR(<net.CIDR>)", "sets.contains(<list(T)>, <list(T)>)",
             "sets.equivalent(<list(T)>, <list(T)>)", "sets.intersects(<list(T)>, <list(T)>)",
             "<kubernetes.NamedFormat>.validate(<string>).hasValue()", "has({'a': <T>}.a)", "has({'a': <T>}.b)",
             "type(<T>) == <type>", "!!<bool>", "(<bool>)"],
    "string": ["<string> + <string>", "string(<int>)", "string(<uint>)", "string(<double>)", "string(<bool>)",
               "string(<bytes>)", "string(<Duration>)", "string(<Timestamp>)", "<string>.lowerAscii()",
               "<string>.upperAscii()", "<string>.trim()", "<string>.replace(<string>, <string>)",
               "<string>.replace(<string>, <string>, <int>)", "<string>.substring(<int>)",
               "<string>.substring(<int>, <int>)", "<string>.charAt(<int>)", "<list(string)>.join()",
               "<list(string)>.join(<string>)", "<string>.find('[a-z]+')", "strings.quote(<string>)",
               "'%s %d'.format([<T>, <int>])", "'%s|%s'.format([<T>, <T>])", "'%.2f %e %x'.format([<double>, <double>, <int>])",
               "'%b %o %X'.format([<int>, <uint>, <string>])", "<string>.format([<T>, <int>])",
               "string(<net.IP>)", "string(<net.CIDR>)", "<kubernetes.URL>.getHost()",
               "<kubernetes.URL>.getHostname()", "<kubernetes.URL>.getPort()", "<kubernetes.URL>.getScheme()",
               "<kubernetes.URL>.getEscapedPath()"],
    "bytes": ["bytes(<string>)", "<bytes> + <bytes>"],
    "type": ["type(<T>)", "type(<optional(T)>)", "type(<map(K, T)>)"],
    "google.protobuf.Duration": ["<Duration> + <Duration>", "<Duration> - <Duration>", "<Timestamp> - <Timestamp>",
                                 "duration(<string>)"],
    "google.protobuf.Timestamp": ["<Timestamp> + <Duration>", "<Timestamp> - <Duration>", "timestamp(<string>)",
                                  "timestamp(<int>)"],
    "kubernetes.Quantity": ["quantity(<string>)", "<kubernetes.Quantity>.add(<kubernetes.Quantity>)",
                            "<kubernetes.Quantity>.add(<int>)", "<kubernetes.Quantity>.sub(<kubernetes.Quantity>)",
                            "<kubernetes.Quantity>.sub(<int>)"],
    "net.IP": ["ip(<string>)", "<net.CIDR>.ip()"],
    "net.CIDR": ["cidr(<string>)", "<net.CIDR>.masked()"],
    "kubernetes.URL": ["url(<string>)"],
    "kubernetes.Semver": ["semver(<string>)", "semver(<string>, <bool>)"],
    "list(string)": ["<string>.split(<string>)", "<string>.split(<string>, <int>)", "<string>.findAll('[a-z0-9]+')",
                     "<string>.findAll('.', <int>)"],
    "list(int)": ["lists.range(3)", "lists.range(<string>.size())", "lists.range(-1)"],
    "map(string, list(string))": ["<kubernetes.URL>.getQuery()"],
    "optional(list(string))": ["<kubernetes.NamedFormat>.validate(<string>)"],
    "optional(kubernetes.NamedFormat)": ["format.named(<string>)"],
}
ANY = ["<bool> ? <T> : <T>", "<list(T)>[<int>]", "<map(K, T)>[<K>]", "<optional(T)>.value()",
       "<optional(T)>.orValue(<T>)", "(<T>)", "{'a': <T>}.a", "dyn(<T>)"]
OF_ORDERED = ["<list(T)>.min()", "<list(T)>.max()"]
LISTS = ["[]", "[<T>]", "[<T>, <T>]", "[<T>, <T>, <T>]", "[?<optional(T)>, <T>]", "<list(T)> + <list(T)>",
         "<list(T)>.filter({x:T}, <bool>)", "<list(U)>.map({x:U}, <T>)", "<list(U)>.map({x:U}, <bool>, <T>)",
         "<list(U)>.transformList({x:int}, {y:U}, <T>)", "<map(K, U)>.transformList({x:K}, {y:U}, <bool>, <T>)",
         "<list(T)>.slice(<int>, <int>)", "<list(T)>.reverse()", "<list(T)>.distinct()", "[<list(T)>].flatten()",
         "<list(O)>.sort()", "<list(T)>.sortBy({x:T}, <O>)"]
MAPS = ["{}", "{<K>: <T>}", "{<K>: <T>, <K>: <T>}", "{?<K>: <optional(T)>}",
        "<map(K, U)>.transformMap({x:K}, {y:U}, <T>)", "<list(U)>.transformMapEntry({x:int}, {y:U}, {<K>: <T>})"]
OPTIONALS = ["optional.none()", "optional.of(<T>)", "optional.ofNonZeroValue(<T>)", "<list(T)>[?<int>]",
             "<map(K, T)>[?<K>]", "{'a': <T>}.?a", "{'a': <T>}.?b", "<optional(T)>.or(<optional(T)>)",
             "<optional(U)>.optMap({x:U}, <T>)", "<optional(U)>.optFlatMap({x:U}, <optional(T)>)", "<list(T)>.first()",
             "<list(T)>.last()"]
PLACE = re.compile(r"<([A-Za-z][A-Za-z0-9_.]*(?:\([A-Za-z0-9_., ()]*\))?)>|\{([xy]):([A-Za-z]+)\}")
NOISE = ["", "(", ")", "'", '"', "&", "?", ".", " ", "[", "]", "{", "1", "$", "é", "\\", ",", "u", "0x", ":", "\n", "x",
         "`", "//", "😀"]


def split_type(text):
    """'map(string, list(int))' -> ('map', ['string', 'list(int)'])."""
    name, _, rest = text.partition("(")
    if not rest:
        return name, []
    parts, depth, part = [], 0, ""
    for letter in rest[:-1]:
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            parts.append(part.strip())
            part = ""
        else:
            part += letter
    return name, parts + [part.strip()]


class Expressions:
    """`variables` are {expression: type} that may be used beside literals, such as {"self.size": "int"}."""

    def __init__(self, seed, variables=None):
        self.random = random.Random(seed)
        self.variables = dict(variables or {})
        self.mistakes = 0.0  # how often a part is of another type than the one that is asked for

    def any_type(self, depth=1):
        choice = self.random.random()
        if depth == 0 or choice < 0.62:
            return self.random.choice(PLAIN)
        if choice < 0.72:
            return self.random.choice([name for name in LITERALS if name != "null_type"])
        inner = self.any_type(depth - 1)
        if choice < 0.86:
            return f"list({inner})"
        if choice < 0.96:
            return f"map({self.random.choice(KEYS)}, {inner})"
        return f"optional({inner})"

    def text(self):
        """An expression of any type; one in six has a mistake or two."""
        choice = self.random.random()
        self.mistakes = 0.06 if choice < 0.1 else 0
        text = self.of(self.any_type(2), self.random.choice([1, 2, 2, 3, 3, 4]))
        if choice > 0.94:
            for _ in range(self.random.choice([1, 1, 2])):
                at = self.random.randrange(len(text) + 1)
                text = text[:at] + self.random.choice(NOISE) + text[at + self.random.choice([0, 1, 1]):]
        return text

    def of(self, wanted, depth, bound=()):
        """An expression of the type. `bound`: [(name, type)] of macros around it."""
        wanted = SHORT.get(wanted, wanted)
        if self.random.random() < self.mistakes:
            wanted = self.any_type()
        variables = [name for name, its in [*bound, *self.variables.items()] if its == wanted]
        if variables and self.random.random() < (0.55 if depth else 0.85):
            return self.random.choice(variables)
        dyns = [name for name, its in self.variables.items() if its == "dyn"]
        if dyns and self.random.random() < 0.06:
            return self.random.choice(dyns)  # fits everywhere, until it is evaluated
        if depth <= 0:
            return self.leaf(wanted)
        return self.fill(self.random.choice(self.forms(wanted)), wanted, depth - 1, bound)

    def leaf(self, wanted):
        name, inner = split_type(wanted)
        if name == "list":
            return "[" + ", ".join(self.leaf(inner[0]) for _ in range(self.random.choice([0, 1, 1, 2, 3]))) + "]"
        if name == "map":
            keys = self.random.sample(LITERALS[inner[0]], self.random.choice([0, 1, 1, 2]))
            return "{" + ", ".join(f"{key}: {self.leaf(inner[1])}" for key in keys) + "}"
        if name == "optional":
            return self.random.choice(["optional.none()", f"optional.of({self.leaf(inner[0])})"])
        return self.random.choice(LITERALS[name])

    def forms(self, wanted):
        name, _ = split_type(wanted)
        special = FORMS.get(wanted, [])
        general = {"list": LISTS, "map": MAPS, "optional": OPTIONALS}.get(name, [])
        ordered = OF_ORDERED if wanted in ORDERED else []
        sums = ["<list(T)>.sum()"] if wanted in SUMMED else []
        # A literal or a function of the type itself, rather than what any type has.
        own = special * 3 + general * 2 + ordered + sums
        return own + self.random.sample(ANY, 3 if own else len(ANY))

    def fill(self, form, wanted, depth, bound):
        """Puts expressions into the places of a form, each variable of types the same everywhere in it."""
        name, inner = split_type(wanted)
        types = {"K": self.random.choice(KEYS), "U": self.any_type(), "O": self.random.choice(ORDERED)}
        types["T"] = self.any_type()
        if form in ANY or form in OF_ORDERED or form == "<list(T)>.sum()":
            types["T"] = wanted
        elif form in LISTS or form in OPTIONALS:
            types["T"] = inner[0]
            if form == "<list(O)>.sort()":
                types["O"] = inner[0] if inner[0] in ORDERED else "int"
        elif form in MAPS:
            types["K"], types["T"] = inner
        names = [f"{letter}{len(bound)}" for letter in "xy"]
        bound = list(bound)

        def expand(match):
            of, letter, bound_type = match.groups()
            if letter:
                bound.append((names["xy".index(letter)], types.get(bound_type, bound_type)))
                return names["xy".index(letter)]
            of = re.sub(r"\b[KTUO]\b", lambda one: types[one.group()], of)
            text = self.of(of, depth, bound)
            # An operator binds no tighter than its place.
            before, behind = form[:match.start()], form[match.end():]
            is_part = before.endswith((" ", "-", "!")) and not before.endswith((", ", ": ")) or behind[:1] in (".", "[") \
                or behind[:1] == " "
            return f"({text})" if is_part and not re.fullmatch(r"[\w.']+", text) else text

        return PLACE.sub(expand, form)
