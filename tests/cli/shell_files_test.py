"""Tests the manual page and the completions in shells and man(1). All of them are generated from --help."""

import os
import re
import shutil
import subprocess
import unittest

from backend_program import BUILD, FolderTest

DRIVER = BUILD / "breakeven"
SHARE = BUILD / "share"


def good(*words, **more):
    done = subprocess.run(words, capture_output=True, text=True, **more)
    assert done.returncode == 0, f"{words}: {done.stderr}"
    return done.stdout


def commands(*outer):
    """Every command and its subcommands, as lists of words."""
    found = [list(outer)]
    help_text = good(DRIVER, *outer, "--help")
    if "\nSubcommands:\n" in help_text:
        for name in re.findall(r"^  ([a-z]+)", help_text.split("\nSubcommands:\n")[1], re.MULTILINE):
            found += commands(*outer, name)
    return found


def options(*command):
    """The long options that a command's help shows."""
    return re.findall(r"^  (?:-\w, )?(--[a-z0-9-]+)", good(DRIVER, *command, "--help"), re.MULTILINE)


# Expected completions in every shell: the words typed so far, the last one unfinished, and the candidates.
EXPECTED = [
    (["thresh"], ["threshold"]),
    (["run", "qui"], ["quick"]),
    (["run", "quick", "--prec"], ["--precision"]),
    (["run", "quick", "--backends", "refer"], ["reference"]),
    (["run", "quick", "--backends", "reference,refer"], ["reference,reference"]),
    (["rank", "--by", "co"], ["cost"]),
    (["history", "che"], ["check"]),
    (["help", "conf"], ["conformance"]),
    (["completion", "z"], ["zsh"]),
    (["report", "--csv", "hay"], ["haystack"]),
    (["report", "hay"], ["haystack"]),
]


class Completion(FolderTest):
    def setUp(self):
        super().setUp()
        (self.folder / "haystack").write_text("")

    def in_shell(self, shell, script, *words):
        if not shutil.which(shell):
            self.skipTest(f"no {shell} here")
        environment = {**os.environ, "PATH": f"{BUILD}:{os.environ['PATH']}", "HOME": str(self.folder)}
        done = subprocess.run([shell, *words, "-c", script], cwd=self.folder, env=environment, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.stderr, "")
        return done.stdout.split()

    def test_bash(self):
        for words, expected in EXPECTED + [(["rank", "--by", "=", "co"], ["cost"]), (["rank", "--by", "="], ["time", "energy", "cost"])]:
            line = " ".join(f"'{word}'" for word in ["breakeven", *words])
            script = f"""source '{SHARE}/bash-completion/completions/breakeven'
                COMP_WORDS=({line}) COMP_CWORD={len(words)}
                _breakeven; printf '%s\\n' "${{COMPREPLY[@]}}" """
            with self.subTest(words=words):
                self.assertEqual(sorted(self.in_shell("bash", script)), sorted(expected))

    def test_bash_is_told_which_function_completes(self):
        script = f"source '{SHARE}/bash-completion/completions/breakeven'; complete -p breakeven"
        self.assertEqual(" ".join(self.in_shell("bash", script)), "complete -F _breakeven breakeven")

    def test_fish(self):
        for words, expected in EXPECTED:
            line = " ".join(["breakeven", *words])
            script = f"source '{SHARE}/fish/vendor_completions.d/breakeven.fish'; complete -C '{line}' | cut -f 1"
            with self.subTest(words=words):
                self.assertEqual(sorted(set(self.in_shell("fish", script, "--no-config"))), sorted(expected))

    def test_zsh(self):
        """zsh completes only in a terminal, so that what _describe and _files would be given is looked at."""
        for words, expected in EXPECTED:
            line = " ".join(f"'{word}'" for word in ["breakeven", *words])
            script = f"""compdef() {{ :; }}
                source '{SHARE}/zsh/site-functions/_breakeven'
                _describe() {{ print -l -- ${{(P)2%%:*}}; }}
                _files() {{ print -l -- ${{words[CURRENT]}}*(N); }}
                words=({line}) CURRENT={len(words) + 1}
                _breakeven; true"""
            with self.subTest(words=words):
                self.assertEqual(sorted(self.in_shell("zsh", script, "-f")), sorted(expected))

    def test_every_option_and_command_is_offered(self):
        for command in commands():
            offered = [line.split("\t")[0] for line in good(DRIVER, "__complete", *command, "--").splitlines()]
            self.assertEqual(offered, options(*command), command)
            self.assertNotEqual(offered, [])


class ManualPage(unittest.TestCase):
    def test_groff_has_nothing_to_say(self):
        if not shutil.which("groff"):
            self.skipTest("no groff here")
        done = subprocess.run(["groff", "-man", "-Kutf8", "-Tutf8", "-ww", SHARE / "man" / "man1" / "breakeven.1"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("EXIT STATUS", re.sub(".\b", "", done.stdout))

    def test_every_option_is_in_it(self):
        page = (SHARE / "man" / "man1" / "breakeven.1").read_text().replace("\\-", "-")
        for command in commands():
            name = " ".join(["breakeven", *command])
            heading = f".SS {name}\n" if command else ".SH OPTIONS\n"
            self.assertIn(heading, page)
            part = re.split(r"^\.S[SH] ", page.split(heading, 1)[1], maxsplit=1, flags=re.MULTILINE)[0]
            for option in options(*command):
                self.assertRegex(part, rf"\\fB(-\w, )?{option}\\fR", f"{name} {option}")


if __name__ == "__main__":
    unittest.main()
