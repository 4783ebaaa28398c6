"""Tests that scripts/check-docs finds each kind of error in a small tree, and none in a correct tree or in this
repository."""

import subprocess
import sys
import unittest

from backend_program import BUILD, SOURCE, FolderTest

SCRIPT = SOURCE / "scripts" / "check-docs"
PHRASES = """# Say this, not that

| say | not |
|---|---|
| default value | "fallback" of a parameter, `fall_back()` |
| from its output | "told from" |
"""
LONG = "\n".join(["word " * 10] * 4 + ["word"])


class CheckDocsTest(FolderTest):
    def setUp(self):
        super().setUp()
        for name in ("docs", "configs", "scripts", "src/cli"):
            (self.folder / name).mkdir(parents=True)
        self.write("scripts/phrases.md", PHRASES)
        self.write("docs/glossary.md", "# Glossary\n\n## Say this, not that\n")
        self.write("configs/quick.json", "{}")
        self.write("scripts/helper", "#!/bin/sh\n# --fast is its only option\n")

    def write(self, name, text):
        (self.folder / name).write_text(text)
        if text.startswith("#!"):
            (self.folder / name).chmod(0o755)

    def check(self, *options):
        done = subprocess.run(
            [sys.executable, SCRIPT, "--root", self.folder, "--driver", BUILD / "breakeven", *options],
            capture_output=True,
            text=True,
        )
        self.assertEqual(done.stderr, "")
        return done.returncode, done.stdout

    def faults(self, page, name="docs/page.md"):
        """The faults found in one page, as `line: what`."""
        self.write(name, page)
        status, output = self.check()
        found = [line.removeprefix(f"{name}:") for line in output.splitlines() if line.startswith(f"{name}:")]
        self.assertEqual(status, 1 if found else 0, output)
        return found

    def one_fault(self, page, line, words, name="docs/page.md"):
        found = self.faults(page, name)
        self.assertEqual(len(found), 1, found)
        self.assertTrue(found[0].startswith(f"{line}: "), found)
        self.assertIn(words, found[0])

    def test_a_good_page_passes(self):
        page = f"""# A page

Sentences end here. A figure such as 3.5 ms, e.g. this one, does not end one; neither does `a.b` or
[a link](glossary.md#say-this-not-that). See [above](#a-page) and <https://example.org/{"x" * 150}>.

- `build/breakeven run configs/quick.json --seconds 2` runs, and so does `report --html page.html`.
- `scripts/helper --fast`, `breakeven run quick`

      told from code: fallback {" ".join(["word"] * 50)}

| a table | {" | ".join(["few words"] * 50)} |
|---|---|

```sh
BREAKEVEN_BACKENDS=x breakeven gate CONFIG --base DIR --head DIR [--threshold 3%] &&
  breakeven list configs/quick.json | head -n 3 >configs.txt
```
"""
        self.assertEqual(self.faults(page), [])

    def test_a_long_sentence(self):
        self.one_fault(f"# A page\n\nA short one.\nAnother. {LONG}.\n\nShort. cuDNN is short.\n", 4, "a sentence of 41 words")
        row = LONG.replace("\n", "")
        self.one_fault(f"# A page\n\n| {row} |\n", 3, "a sentence of 41 words")
        indented = LONG.replace("\n", "\n  ")
        self.one_fault(f"# A page\n\n- Short.\n- {indented}.\n- Short.\n", 4, "a sentence of 41 words")

    def test_sentences_that_are_long_as_a_rule(self):
        self.one_fault("# A page\n\n" + " ".join(["word"] * 17) + ".\n", 1, "more than 17 words")

    def test_abbreviations_and_decimals_do_not_end_a_sentence(self):
        self.one_fault("# A page\n\n" + "word e.g. 1.5 Word, i.e. S. Smith et al.\n" * 5 + "End.\n\nShort. Short.", 3, "a sentence of 46 words")

    def test_a_forbidden_phrase(self):
        self.one_fault("# A page\n\nThe Fallback is 1.\n", 3, '"fallback": say default value')
        self.one_fault("# A page\n\nIt is told\nfrom this.\n", 3, '"told from": say from its output')
        self.one_fault("# A page\n\n| x | the fallback |\n", 3, "fallback")
        self.one_fault("# The fallback\n", 1, "fallback")
        self.assertEqual(self.faults("# A page\n\n`fallback` and fallbacks.\n"), [])

    def test_a_link_that_leads_nowhere(self):
        self.one_fault("# A page\n\nSee [it](missing.md).\n", 3, "missing.md, which does not exist")
        self.one_fault("# A page\n\nSee [it](glossary.md#nowhere).\n", 3, "no such heading")
        self.one_fault("# A page\n\nSee [it](#nowhere).\n", 3, "no such heading")
        self.one_fault('# A page\n\n<img src="missing.svg">\n', 3, "missing.svg, which does not exist")

    def test_a_path_that_is_not_there(self):
        self.one_fault("# A page\n\nIt is in `src/missing/file.cpp`.\n", 3, "no file src/missing/file.cpp")
        self.assertEqual(self.faults("# A page\n\n`src/backends/NAME/` and `configs/*.json`.\n"), [])

    def test_a_command_that_does_not_run(self):
        for command, words in [
            ("build/breakeven measure configs/quick.json", "no subcommand measure"),
            ("breakeven run configs/quick.json --second 2", "breakeven run has no option --second"),
            ("breakeven history add STORE FILE --since x", "breakeven history add has no option --since"),
            ("breakeven run qick --seconds 2", "no config qick"),
            ("A=1 breakeven list configs/missing.json | head", "no file configs/missing.json"),
            ("breakeven rank a b \\\n  --mixed configs/quick.json", "breakeven rank has no option --mixed"),
            ("scripts/missing", "no script scripts/missing"),
            ("scripts/helper --slow", "scripts/helper has no option --slow"),
            ("build/missing-program", "no program build/missing-program"),
        ]:
            indented = command.replace("\n", "\n    ")
            self.one_fault(f"# A page\n\n    {indented}\n", 3, words)
            self.one_fault(f"# A page\n\n```sh\n{command}\n```\n", 4, words)
            self.one_fault(f"# A page\n\nSee `{command}`.\n".replace("\\\n", " "), 3, words)

    def test_a_script_that_nobody_can_run(self):
        (self.folder / "scripts/helper").chmod(0o644)
        self.one_fault("# A page\n\n    scripts/helper --fast\n", 3, "scripts/helper is not executable")

    def test_options_of_a_script_that_runs_ctest(self):
        self.write("scripts/helper", '#!/bin/sh\n# --fast is an option of its own\nctest "$@"\n')
        self.assertEqual(self.faults("# A page\n\n    scripts/helper --fast --output-on-failure\n"), [])
        self.one_fault("# A page\n\n    scripts/helper --slow\n", 3, "scripts/helper has no option --slow")

    def test_contributing_and_the_recordings_are_pages(self):
        (self.folder / "tests/recorded").mkdir(parents=True)
        for name in ("CONTRIBUTING.md", "tests/recorded/README.md"):
            self.one_fault("# A page\n\nThe fallback.\n", 3, "fallback", name)
            self.write(name, "# A page\n")

    def test_a_page_that_is_too_long_or_too_wide(self):
        self.one_fault("# A page\n" + "\nShort.\n" * 100, 201, "201 lines")
        self.one_fault("# A page\n\n" + "Wide words. " * 12 + "\n", 3, "a line of")

    def test_rows_of_tables_are_not_counted_as_lines(self):
        self.assertEqual(self.faults("# A page\n\n| a |\n|---|\n" + "| b |\n" * 300), [])

    def test_habits(self):
        self.one_fault("# A page\n\nIt is beside it.\n", 3, '"beside": say next to')
        self.one_fault("# A page\n\nA clock is no neighbour.\n", 3, '"is no": say is not a')
        self.one_fault("# A page\n\nIt works, too.\n", 3, '", too": say also')
        self.assertEqual(self.faults("# A page\n\nThere is no `beside`. It is no longer too long.\n"), [])

    def test_a_figure_in_two_pages(self):
        page = "# A page\n\nIt takes {}, on 2 cores, in 95 % of cases.\n"
        for figure in ("1.23 ms", "14.9 µs", "148 of 150", "1,234 x"):
            self.write("docs/other.md", page.format(figure))
            self.one_fault(page.format(figure), 3, f"{figure} stands in docs/other.md already")
        self.write("README.md", page.format("1.23 ms"))
        both = "\nIt takes 10.0 ms, 100 s and 3 of 4.\n"
        self.write("docs/other.md", page.format("`1.23 ms`") + both)
        self.assertEqual(self.faults(page.format("1.23 ms") + both), [])

    def test_too_many_words(self):
        self.one_fault("# A\n\n" + "Short words.\n\n" * 60, 1, "122 lines and", "README.md")
        self.one_fault("# A\n\n" + "Short words. " * 8 + "\n" + ("Short words. " * 8 + "\n") * 50, 1, "words (at most 90 and 700)", "README.md")
        self.write("README.md", "# A\n")
        for number in range(17):
            self.write(f"docs/page-{number}.md", "# A\n" + ("Short words. " * 8 + "\n") * 120)
        status, output = self.check()
        self.assertEqual((status, "docs:1: " in output and "(at most 32,000)" in output), (1, True), output)

    def test_messages(self):
        row = LONG.replace("\n", "")
        source = 'const char* quiet = "told from";  // "told from a comment, which is no message at all"\n'
        source += 'fmt::print("this value is told "\n           "from {} and from nothing else", x);\n'
        source += f'auto raw = R"(first line of it\n{row})";\n'
        source += 'fail("see docs/missing.md for what to do about it");\n'
        found = self.faults(source, "src/cli/main.cpp")
        self.assertEqual([f.split(":")[0] for f in found], ["2", "5", "6"], found)
        for words in ["no file docs/missing.md", "told from", "a sentence of 41 words"]:
            self.assertTrue(any(words in f for f in found), (words, found))
        self.assertEqual(self.check("--only", "docs")[0], 0)
        self.assertEqual(self.check("--only", "messages")[0], 1)

    def test_the_page_of_answers_is_left_out_unless_asked_for(self):
        self.write("docs/answers.md", "# Answers\n\nThe fallback.\n")
        self.assertEqual(self.check()[0], 0)
        status, output = self.check("--all")
        self.assertEqual((status, "docs/answers.md:3:" in output), (1, True), output)

    def test_this_repositorys_pages_and_messages_pass(self):
        done = subprocess.run([sys.executable, SCRIPT, "--driver", BUILD / "breakeven"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_needs_a_built_program(self):
        done = subprocess.run([sys.executable, SCRIPT, "--driver", self.folder / "none"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("is not built", done.stderr)


if __name__ == "__main__":
    unittest.main()
