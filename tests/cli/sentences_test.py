"""Tests that only the room of reports, and the rooms above it, put facts into sentences. A room below may word a refusal,
which is thrown, and backend programs say what they like.

A text below reports is a refusal if it is inside a `throw`, or an argument of an exception or of a function that does not
return, or a condition of such; or if the function that returns it, or the constant that it is in, is used for those
alone, directly or through others."""

import bisect
import re
import unittest

from backend_program import SOURCE
from rooms_test import compile_commands, rooms_seen

# (files, functions and constants and variables whose texts may be sentences, the reason)
ALLOWED = [
    (
        r"(plan|workloads)/",
        r"meaning|plural|title|how_text|\w*(parameters?|schema|section|transfer)",
        "help on the keys of a config, and titles of problems",
    ),
    (r"plan/suggestion|workloads/parameters", r"did_you_mean|type_error", "parts of refusals, also of options"),
    (
        r"workloads/evidence|verdicts/roofline|results/google_benchmark",
        r"compare|judge_against|why_\w+|skip",
        "the reason of a status, which is a text in files",
    ),
    (r"session/engine", r"reason|verify_again", "the same"),
    (
        r"(host|session)/",
        r"unreadable_?|unknown|unusable_|conditions|conditions_of|count_others|call|processes|full_throughput"
        r"|reference|why_no_energy|settings|cpu_model",
        "the reason why a reading is unknown, which is a text in files",
    ),
    (r"session/conformance", r"\w+", "the faults of a backend program, for its author"),
    (
        r"session/(worker|rank|reported_time|mismatch|backend_names)",
        r"\w+",
        "the reason of a status that a program cannot give: it ended, its ranks differ, its answer is refused",
    ),
    (r"session/engine", r"hidden_by_further_runs|wait_for_own_speed", "the same; progress, which no file has"),
    (
        r"session/discovery",
        r"time_limit",
        "part of the reason of a status",
    ),
    (r"results/file_kind", r"kinds", "names of kinds of files"),
    (r"verdicts/break_even_from_results", r"title", "the question of an answer, which a config gives otherwise"),
]

TOKEN = re.compile(
    r"""(?P<skipped>//(?:\\\n|[^\n])*|/\*.*?\*/|^[ \t]*\#[ \t]*(?:include|error)[^\n]*)
      |(?:u8|[uUL])?R"(?P<mark>[^(\s\\]*)\((?P<raw>.*?)\)(?P=mark)"
      |(?:u8|[uUL])?"(?P<text>(?:\\.|[^"\\\n])*)"
      |(?P<character>(?<![0-9A-Fa-f])'(?:\\.|[^'\\])+')
      |(?P<word>[A-Za-z_]\w*)
      |(?P<other>\.?\d(?:[\w.']|[eEpP][+-])*|::|->|[-+*/%&|^=!<>]=|&&|\|\||\[\[|\]\]|\S)""",
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
PAIRS = {"(": ")", "[": "]", "{": "}"}
NOT_NAMES = set("""if for while switch catch return co_return throw else case do new delete sizeof decltype constexpr requires
    operator const noexcept override final""".split())
VERBS = set("""is are was were be been has have had does do did can cannot could may might must will would should needs
    takes took gives gave ran holds differs differ lacks shows said says computes answers means begins ends""".split())
COMMANDS = "run|re-run|give|use|set|add|measure|repeat|start|make|name|continue|leave|install|allow|find"


def is_sentence(text):
    """True for at least three words with a verb. Values of fmt, paths, options and code are no words."""
    if re.match(r"\s*(SELECT|CREATE|INSERT|ORDER) ", text):
        return False
    text = re.sub(r"\{[^{}]*\}|`[^`]*`", "0", text)
    words = re.findall(r"(?<![\w/.'<-])[A-Za-z]?[a-z]+(?:['-][a-z]+)*(?![\w/(=])", text)
    has_verb = any(word.lower() in VERBS or re.fullmatch("[a-z]{2,}ed", word) for word in words)
    return len(words) >= 3 and (has_verb or re.search(rf"(^|[;:.] )({COMMANDS}) ", text, re.IGNORECASE) is not None)


class Token:
    def __init__(self, kind, text, line):
        self.kind, self.text, self.line = kind, text, line
        self.refused = False
        self.owner = None  # the function or the constant that it is in


def tokens_of(code):
    ends = [i for i, character in enumerate(code) if character == "\n"]
    tokens = []
    for found in TOKEN.finditer(code):
        kind = found.lastgroup if found.lastgroup != "raw" else "text"
        text = found["raw"] if found["raw"] is not None else found[kind]
        if kind == "skipped":
            continue
        if kind == "text" and tokens and tokens[-1].kind == "text":
            tokens[-1].text += text  # adjacent literals are one
        else:
            tokens.append(Token(kind, text, bisect.bisect_left(ends, found.start()) + 1))
    return tokens


class Code:
    """The tokens of a file, each with its owner, and whether it is part of a refusal."""

    def __init__(self, code, refusals):
        self.tokens = tokens_of(code)
        self.texts = [token.text if token.kind != "text" else "" for token in self.tokens]
        self.refusals = refusals
        self.partner = {}
        opened = []
        for i, token in enumerate(self.tokens):
            if token.kind == "other" and token.text in PAIRS:
                opened.append(i)
            elif token.kind == "other" and opened and token.text == PAIRS[self.tokens[opened[-1]].text]:
                self.partner[i] = opened.pop()
                self.partner[self.partner[i]] = i
        self.find_owners()
        self.find_refusals()

    def text(self, i):
        return self.texts[i] if 0 <= i < len(self.texts) else ""

    def is_name(self, i):
        return 0 <= i < len(self.tokens) and self.tokens[i].kind == "word" and self.text(i) not in NOT_NAMES

    def called(self, i):
        """The names before an opening bracket: of a function or a type, and of a type with its variable."""
        i -= 1
        if self.text(i) == ">":
            depth = 0
            while i > 0:
                depth += (self.text(i) == ">") - (self.text(i) == "<")
                i -= 1
                if depth == 0:
                    break
        return {self.text(k) for k in (i, i - 1) if self.is_name(k)} if self.is_name(i) else set()

    def function_with_body(self, i):
        """The name of the function whose body opens at `i`; empty if none does. A lambda is part of its function."""
        k = i - 1
        while self.text(k) in ("const", "noexcept", "override", "final"):
            k -= 1
        arrow = k
        while self.tokens[arrow].kind == "word" or self.text(arrow) in ("::", "<", ">", "*", "&", ","):
            arrow -= 1
        k = arrow - 1 if self.text(arrow) == "->" else k
        while self.text(k) in (")", "}") and k in self.partner:  # over a constructor's initialisers
            k = self.partner[k] - 1
            if self.text(k - 1) not in (",", ":"):
                return self.text(k) if self.is_name(k) else ""
            k -= 2
        return ""

    def find_owners(self):
        for i in range(len(self.tokens)):
            if self.text(i) == "{" and i in self.partner and (name := self.function_with_body(i)):
                for token in self.tokens[i : self.partner[i]]:
                    token.owner = token.owner or name
        i = 0
        while i < len(self.tokens):  # constants and fields, outside of functions and their parameters
            name = self.text(i)
            if self.tokens[i].owner is None and self.is_name(i) and self.text(i + 1) in ("=", "{", "[") and self.is_declared(i):
                while i < len(self.tokens) and self.text(i) != ";":
                    end = self.partner.get(i, i) + 1 if self.text(i) in PAIRS else i + 1
                    for token in self.tokens[i:end]:
                        token.owner = name
                    i = end
            i = self.partner.get(i, i) + 1 if self.text(i) == "(" else i + 1

    def is_declared(self, i):
        """True for a name after its type, as in `std::string why(` or `constexpr Signature signatures[] =`."""
        k = i - 1
        while self.text(k) == "::":
            k -= 2
        return self.is_name(k) and self.text(k) not in ("class", "struct", "enum", "namespace", "public") or self.text(k) in (">", "&", "*")

    def refuse(self, begin, end):
        for token in self.tokens[begin:end]:
            token.refused = True

    def find_refusals(self):
        for i in range(len(self.tokens)):
            if self.text(i) == "throw":
                end = i
                while end < len(self.tokens) and self.text(end) not in (";", ")", "}", ":"):
                    end = self.partner.get(end, end) + 1 if self.text(end) in PAIRS else end + 1
                self.refuse(i, end)
            if self.text(i) in ("(", "{") and i in self.partner:
                name = self.function_with_body(i) if self.text(i) == "{" else ""
                if ({name} if name else self.called(i)) & self.refusals or self.has_status(i):
                    self.refuse(i - 1, self.partner[i])
        for i in reversed(range(len(self.tokens))):  # the conditions of refusals
            if self.text(i) == "if" and self.partner.get(i + 1):
                after = self.partner[i + 1] + 1
                after += self.text(after) == "{"
                after += self.text(after) == "return"
                if after < len(self.tokens) and any(token.refused for token in self.tokens[after : after + 4]):
                    self.refuse(i, after)

    def has_status(self, i):
        """True for the arguments of a status with its reason, as in lose(Status::failed, "...")."""
        k, end = i + 1, self.partner[i]
        while k < end:
            if self.text(k) == "Status" and self.text(k + 1) == "::":
                return self.text(i - 1) not in ("if", "while", "switch", "for") and not self.function_with_body(i)
            k = self.partner.get(k, k) + 1 if self.text(k) in PAIRS else k + 1
        return False

    def variable_of(self, i):
        """The variable or field that is set by the statement of a text; empty if it is not."""
        k = i - 1
        while k > 0 and self.text(k) not in (";", "return"):
            if self.text(k) in (")", "]", "}"):
                if self.text(k) == "}" and self.function_with_body(self.partner.get(k, k)):
                    return ""
                k = self.partner.get(k, k) - 1
                continue
            if self.text(k) in ("=", "+="):
                k -= 1
                while self.text(k) == "]":
                    k = self.partner[k] - 1
                return self.text(k)
            if self.text(k) == "(" and self.text(k - 1) in ("push_back", "emplace_back", "insert"):
                return self.text(k - 3)
            k -= 1
        return ""


def refusals_in(codes):
    """The names of exceptions, of functions that do not return, and of those that are given a fault or a remedy."""
    codes = list(codes)
    names = {"expect", "static_assert"}
    bases = {}
    for code in codes:
        bases |= {found[1]: found[2] for found in re.finditer(r"\b(?:class|struct) (\w+)(?: final)? : (?:public )?([\w:]+)", code)}
        names |= {found[1] for found in re.finditer(r"\[\[noreturn\]\](?:\s+\w[\w:&<>]*)*?\s+(\w+)\(", code)}

    def is_exception(name):
        if name.startswith("std::"):
            return re.search("error|exception|argument|range", name)
        return name in bases and is_exception(bases[name])

    names |= {name for name in bases if is_exception(name)}
    for code in codes:  # functions and lambdas that are given what is refused, or what to do about it
        for found in re.finditer(r"(\w+)(?: = \[[^\]]*\])?\([^;{}()]*\bstd::string(?:_view)?&? (?:fault|remedy)\b", code):
            names.add(found[1])
    return names | {base.removeprefix("std::") for base in bases.values() if base.startswith("std::") and is_exception(base)}


class Sources:
    """Sources as {path: text}. A text is a refusal if its token is, if the name of its function has "fault" in it, or if
    its function, constant or variable is used for refusals alone."""

    def __init__(self, texts):
        refusals = refusals_in(texts.values())
        self.codes = {path: Code(text, refusals) for path, text in texts.items()}
        self.uses = {}
        for path, code in self.codes.items():
            for i, token in enumerate(code.tokens):
                if token.kind == "word" and token.text != token.owner and not (code.is_declared(i) and code.text(i + 1) in list("([={;")):
                    for key in (token.text, (path, token.text), (path, token.text, token.owner)):
                        self.uses.setdefault(key, []).append(token)
        self.refusing = {key for key in self.uses if isinstance(key, str)}
        while wrong := {name for name in self.refusing if not all(map(self.is_refusal, self.uses[name]))}:
            self.refusing -= wrong

    def is_refusal(self, token):
        return token.refused or token.owner is not None and ("fault" in token.owner or token.owner in self.refusing)

    def is_for_refusals(self, path, token, variable):
        uses = self.uses.get((path, variable, token.owner) if token.owner != variable else (path, variable), [])
        return self.is_refusal(token) or bool(uses) and all(map(self.is_refusal, uses))

    def sentences(self, path):
        """[(line, function or constant, variable, text)] of a file, without refusals."""
        code = self.codes[path]
        return [
            (token.line, token.owner or "", code.variable_of(i), token.text)
            for i, token in enumerate(code.tokens)
            if token.kind == "text" and is_sentence(token.text) and not self.is_for_refusals(path, token, code.variable_of(i))
        ]

    def faults(self, path):
        """The sentences that may not be there."""
        return [f"{path}:{line}: {text}" for line, owner, variable, text in self.sentences(path) if not allowed(path, owner, variable)]


def allowed(path, owner, variable):
    """The entries that allow a sentence."""
    return [entry for entry in ALLOWED if re.match(entry[0], path) and any(re.fullmatch(entry[1], name) for name in (owner, variable))]


def read_sources(rooms):
    folder = SOURCE / "src"
    files = [path for room in rooms for path in sorted((folder / room).rglob("*")) if path.suffix in (".h", ".cpp")]
    return {str(path.relative_to(folder)): path.read_text() for path in files}


FOUND = {
    "returned": """std::string f1() { return "the machine was slow in 3 runs"; }""",
    "one of two": """std::string f2(bool b) { return b ? "" : "the machine was slow in 3 runs"; }""",
    "formatted": """std::string f3(int n) { return fmt::format("{} of the runs were slow", n); }""",
    "formatted for a constructor": """Kind f4(int n) { return {.text = fmt::format("{} of the runs were slow", n)}; }""",
    "pushed": """void f5(Texts& all) { all.push_back("measure it again on a quiet machine"); }""",
    "appended": """void f6(std::string& text) { text += "; this machine changed since then"; }""",
    "in pieces": """std::string f7() { return "the machine " /* or */ "was " "slow"; }""",
    "raw": """std::string f8() { return R"x(the machine "m" is slow)x"; }""",
    "in an array": """constexpr std::array<std::string_view, 2> f9{"no", "the machine was slow"};""",
    "in a field": """struct F10 { std::string text = "the machine was slow"; };""",
    "in a lambda": """void f11() { const auto say = [&](int n) { return fmt::format("it takes {} s longer", n); }; }""",
    "in a local constant": """std::string f12() { constexpr const char* what = "its clock is lower"; return what; }""",
    "next to an exception": """void f13(bool b) { if (b) throw std::runtime_error("no"); tell("the machine was slow"); }""",
    "beside a refusal": """std::string f14() { return "the machine was slow"; }
        void g14(Texts& all) { all.push_back(f14()); throw std::runtime_error(f14()); }""",
}
PASSING = [
    """void p1() { throw std::runtime_error("the machine was slow"); }""",
    """void p2(int n) { if (n > 1) throw JsonError(fmt::format("it is {} and must be 1", n) + " and is not"); }""",
    """[[noreturn]] void p3(int n) { const auto text = fmt::format("it is {} and must be 1", n); std::abort(); }""",
    """std::string p4() { return "the machine was slow"; }
       void q4() { if (const std::string why = p4(); !why.empty()) throw std::runtime_error(why); }""",
    """std::string fault_of(int n) { return n == 1 ? "" : "it must be 1 and is not"; }""",
    """struct P6 : std::runtime_error { P6() : std::runtime_error("the machine was slow") {} };""",
    """void p7(Worker& worker) { worker.lose(Status::failed, "broke the protocol: it has no name"); }""",
    """constexpr const char* names[] = {"the number of cores", "machine/cpu", "--resume", "SELECT a FROM accepted", "is {}"};""",
    """// the machine was slow
       /* the machine "was" slow */ constexpr char quote = '"';""",
]


class SentencesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        seen = rooms_seen(compile_commands())
        cls.below = {room for room, others in seen.items() if room != "reports" and not others & {"reports", "worker"}}
        cls.texts = read_sources(sorted(cls.below | {room for room in seen if "reports" in seen[room]}))
        cls.sources = Sources(cls.texts)

    def below_reports(self):
        return [path for path in self.texts if path.split("/")[0] in self.below]

    def test_the_rooms_below_reports_are_those_of_the_driver(self):
        self.assertLessEqual({"rank", "session", "verdicts", "results", "host"}, self.below)
        self.assertFalse({"reports", "cli", "worker", "network"} & self.below)

    def test_no_room_below_reports_makes_sentences(self):
        faults = [fault for path in self.below_reports() for fault in self.sources.faults(path)]
        self.assertEqual(faults, [], "keep facts there (results/note.h), and their words in src/reports/words/")

    def test_what_is_allowed_is_there(self):
        met = {
            entry
            for path in self.below_reports()
            for _, owner, variable, _ in self.sources.sentences(path)
            for entry in allowed(path, owner, variable)
        }
        self.assertEqual([entry for entry in ALLOWED if entry not in met], [])

    def test_planted_sentences_are_found(self):
        path = "verdicts/decision.cpp"
        some = {other: text for other, text in self.texts.items() if other.startswith(("verdicts/", "json/"))}
        lines = self.texts[path].count("\n")
        planted = "\n".join(" ".join(code.splitlines()) for code in FOUND.values()) + "\n" + "\n".join(PASSING)
        sources = Sources(some | {path: self.texts[path] + planted})
        found = [int(fault.split(":")[1]) - lines for fault in sources.faults(path)]
        self.assertEqual(found, list(range(1, len(FOUND) + 1)), list(FOUND))


if __name__ == "__main__":
    unittest.main()
