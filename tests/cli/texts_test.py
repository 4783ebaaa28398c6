"""Tests what the program says about values, files and paths that it cannot use, for all of its commands and options."""

import bz2
import csv
import gzip
import io
import json
import lzma
import os
import re
import resource
import shutil
import subprocess
import unittest
import zipfile

from backend_program import BUILD, SOURCE, FolderTest

DRIVER = BUILD / "breakeven"
RESULT = SOURCE / "results" / "xeon-amx-2-cores" / "precision.json"
CASE = {"op": "matmul", "m": 8, "n": 8, "k": 8, "dtype": "f32"}


def help_of(*command):
    return subprocess.run([DRIVER, *command, "--help"], capture_output=True, text=True, check=True).stdout


def section(text, title):
    """The words at the beginnings of the lines of a section of a help page."""
    found = re.search(rf"^{title}:\n((?:[ ].*\n)*)", text, re.MULTILINE)
    return re.findall(r"^  (\S.*?)(?:   .*)?$", found[1], re.MULTILINE) if found else []


def commands():
    """All commands, as lists of words."""
    for command in section(help_of(), "Subcommands"):
        inner = section(help_of(command), "Subcommands")
        yield from ([command, one] for one in inner) if inner else [[command]]


def options_with_values(command):
    for option in section(help_of(*command), "Options"):
        names, _, value = option.rpartition(" ")
        if value.isupper() or value == "I/N":
            yield names.split(", ")[-1]


class Texts(FolderTest):
    def breakeven(self, *words, **options):
        return subprocess.run([DRIVER, *words], cwd=self.folder, capture_output=True, stdin=subprocess.DEVNULL, **options)

    def refused(self, *words, status=2):
        """Returns the single line on standard error, which is UTF-8."""
        done = self.breakeven(*words)
        said = done.stderr.decode()
        self.assertEqual(done.returncode, status, (words, said))
        self.assertEqual(done.stdout, b"", words)
        self.assertEqual(said.count("\n"), 1, (words, said))
        self.assertLess(len(said), 520, words)
        for raw in ("filesystem error", "std::", "basic_", "not in range", "Value "):
            self.assertNotIn(raw, said, words)
        return said

    def write(self, name, content):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
        return name


class Options(Texts):
    def test_an_empty_value_is_no_value_left_out(self):
        seen = 0
        for command in commands():
            for option in options_with_values(command):
                seen += 1
                for words in ([option, ""], [option + "="]):
                    said = self.refused(*command, *words)
                    self.assertIn(f"{option}: is empty; give a value", said, (command, words))
        self.assertGreater(seen, 80)

    def test_an_empty_positional_is_refused(self):
        for words in (["run", ""], ["list", ""], ["report", ""], ["compare", RESULT, ""], ["history", "list", ""], ["conformance", ""]):
            self.assertIn(": is empty; give a value", self.refused(*words))

    def test_a_list_names_something(self):
        config = self.write("c.json", {"workloads": [CASE]})
        for words in (["--backends", ","], ["--backends=,"], ["--backends", ",,"]):
            for following in ([config], ["--quiet", config]):
                self.assertIn("--backends ,", said := self.refused("run", *words, *following))
                self.assertIn(": names nothing; give names, as in a,b", said)
        self.assertIn("--allow ,: names nothing", self.refused("compare", "a.json", "b.json", "--allow", ","))

    def test_numbers(self):
        config = self.write("c.json", {"workloads": [CASE]})
        seconds = "is not a number above 0 and up to 86400"
        for words, said in (
            (["run", config, "--seconds", "86401"], f"--seconds: '86401' {seconds}"),
            (["run", config, "--seconds", "1e9"], f"--seconds: '1e9' {seconds}"),
            (["run", config, "--seconds", "inf"], f"--seconds: 'inf' {seconds}"),
            (["run", config, "--seconds", "0"], f"--seconds: '0' {seconds}"),
            (["gate", config, "--base", ".", "--head", ".", "--seconds", "86401"], f"--seconds: '86401' {seconds}"),
            (["threshold", config, "--seconds", "x"], f"--seconds: 'x' {seconds}"),
            (["threshold", config, "--minutes", "1e9"], "--minutes: '1e9' is not a number above 0 and up to 527040"),
            (["conformance", "x", "--timeout", "86401"], f"--timeout: '86401' {seconds}"),
            (["history", "list", "h.db", "--wait", "86401"], "--wait: '86401' is not a number from 0 to 86400"),
            (["history", "list", "h.db", "--wait", "-1"], "--wait: '-1' is not a number from 0 to 86400"),
            (["run", config, "--precision", "2"], "--precision: '2' is neither a percentage such as 3% nor a part such as 0.03"),
            (["run", config, "--precision", "200%"], "--precision: '200%' is neither a percentage such as 3% nor a part such as 0.03"),
            (["run", config, "--precision", "%"], "--precision: '%' is neither a percentage such as 3% nor a part such as 0.03"),
            (["report", RESULT, "--label", "a.json="], "--label a.json=: must be FILE=NAME"),
            (["report", RESULT, "--label", "=a"], "--label =a: must be FILE=NAME"),
        ):
            self.assertIn(said, self.refused(*words))
        # Accepted: the next fault is found.
        for precision in ("2%", "0.02", "0.5 %".replace(" ", "")):
            self.assertIn("there is no option '--none'", self.refused("run", config, "--precision", precision, "--none"))

    def test_bytes_that_are_not_utf8_never_reach_the_terminal(self):
        """All options of all commands, and labels and names in reports."""
        for command in commands():
            for option in options_with_values(command):
                done = self.breakeven(*command, option, b"M\xe9")
                (done.stdout + done.stderr).decode()
        done = self.breakeven("report", RESULT, "--label", os.fsencode(RESULT) + b"=M\xe9")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("M\ufffd", done.stdout.decode())
        copy = self.folder / os.fsdecode(b"caf\xe9.json")
        copy.write_bytes(RESULT.read_bytes())
        for words in (["report"], ["compare", RESULT], ["rank", RESULT], ["fleet", RESULT], ["merge", "--out", "-"]):
            for outputs in ([], ["--html", "-"], ["--markdown", "-"]):
                done = self.breakeven(*words, copy, *outputs)
                (done.stdout + done.stderr).decode()
        store = os.fsdecode(b"caf\xe9.db")
        for words in (["add", store, copy, "--commit", b"c\xe9", "--branch", b"b\xe9", "--machine", b"m\xe9"], ["list", store], ["check", store],
                      ["accept", store], ["check", store, "--branch", "none"], ["list", store, "--machine", "none"]):
            done = self.breakeven("history", *words)
            (done.stdout + done.stderr).decode()


class WrongFiles(Texts):
    """Files of every other format, given to every command that reads JSON."""

    READERS = (
        ["report"], ["compare", RESULT], ["rank", RESULT], ["fleet"], ["merge", "--out", "m.json"], ["history", "add", "h.db", "--commit", "c"],
        ["list"], ["run"], ["threshold"], ["rank", RESULT, "--mix"], ["rank", RESULT, "--prices"], ["rank", RESULT, "--devices"],
        ["run", "c.json", "--resume"], ["gate", "c.json", "--base", ".", "--head", ".", "--selftest"],
    )

    def formats(self):
        text = RESULT.read_text()
        plain = text.encode()
        archive = io.BytesIO()
        with zipfile.ZipFile(archive, "w") as zipped:
            zipped.writestr("r.json", text[:1000])
        return {
            gzip.compress(plain): "is gzip-compressed; gunzip it first",
            bz2.compress(plain): "is bzip2-compressed; bunzip2 it first",
            lzma.compress(plain): "is xz-compressed; unxz it first",
            archive.getvalue(): "is a ZIP archive; unzip it first",
            text.encode("utf-16"): "is UTF-16 text, as PowerShell's > writes; save it as UTF-8 (iconv -f UTF-16 -t UTF-8)",
            text.encode("utf-16-le"): "is UTF-16LE text; save it as UTF-8 (iconv -f UTF-16LE -t UTF-8)",
            text.encode("utf-16-be"): "is UTF-16BE text; save it as UTF-8 (iconv -f UTF-16BE -t UTF-8)",
            text.encode("utf-32"): "is UTF-32 text; save it as UTF-8 (iconv -f UTF-32 -t UTF-8)",
            text.encode("utf-32-le"): "is UTF-32LE text; save it as UTF-8 (iconv -f UTF-32LE -t UTF-8)",
            b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n": "is a PDF document; is it the right file?",
            b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR": "is a PNG image; is it the right file?",
            b"SQLite format 3\0\x10\0": "is an SQLite database",
            DRIVER.read_bytes()[:100000]: "is a program or a library (ELF); is it the right file?",
            b"<!DOCTYPE html>\n<html><body>404</body></html>\n": "is an HTML page; is it the right file, or what a server sent in its place?",
            b"workloads:\n  - op: matmul\n": "looks like YAML; write it as JSON",
            b"[measure]\nprecision = 0.01\n": "looks like TOML; write it as JSON",
            b"id,op,seconds\r\nmatmul/m=8,matmul,1\r\n": "looks like CSV; give JSON",
            b"": "is empty; ",
            b"\n\n": "is empty; ",
        }

    def test_are_named_with_the_remedy(self):
        self.write("c.json", {"workloads": [CASE]})
        for content, what in self.formats().items():
            name = self.write("given", content)
            for reader in self.READERS:
                said = self.refused(*reader, "./" + name)
                self.assertIn(f"given: {what}", said, reader)

    def test_folders_are_named(self):
        self.write("c.json", {"workloads": [CASE]})
        (self.folder / "given").mkdir()
        for reader in self.READERS:
            self.assertRegex(self.refused(*reader, "./given"), r"given: is a (folder|directory)", reader)

    def test_files_of_breakeven_of_another_kind(self):
        shapes = json.loads((SOURCE / "configs" / "shapes" / "bert-base-gemm.json").read_text())
        self.write("shapes.json", shapes)
        self.assertIn("shapes.json: is a list of shapes, not a config", self.refused("run", "shapes.json"))
        result = json.loads(RESULT.read_text())
        del result["schema"]
        self.write("none.json", result)
        self.assertIn("none.json: is a result that has no schema; give a", self.refused("report", "none.json"))
        self.assertIn("none.json: is a result that has no schema; give a", self.refused("compare", "none.json", RESULT))

    def test_an_empty_list_of_shapes(self):
        for shapes in ("/dev/null", self.write("empty.json", b"")):
            self.write("c.json", {"workloads": [{"op": "matmul", "shapes": shapes, "dtype": "f32"}]})
            self.assertIn(": is empty; it must be a list of shapes", self.refused("list", "c.json"))

    def test_millions_of_values_are_counted_while_they_are_read(self):
        sizes = ",".join(["8"] * 7_000_000)
        config = self.write("c.json", b'{"workloads":[{"op":"matmul","m":[%s],"n":8,"k":8}]}' % sizes.encode())
        done = self.breakeven("list", config, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (400 << 20, 400 << 20)))
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"c.json: holds more than 3 million values; is it the right file?", done.stderr)
        sizes = ",".join(["8"] * 100_001)
        self.write("c.json", b'{"workloads":[{"op":"matmul","m":[%s],"n":8,"k":8}]}' % sizes.encode())
        self.assertIn("c.json: /workloads/0/m: has 100001 values, and at most 100000 cases are possible", self.refused("list", config))


class Paths(Texts):
    OUTPUTS = (["run", "c.json", "--out"], ["report", "r.json", "--html"], ["merge", "r.json", "--out"], ["selftest", "c.json", "--out"],
               ["gate", "c.json", "--base", ".", "--head", ".", "--out"])

    def setUp(self):
        super().setUp()
        self.write("c.json", {"workloads": [CASE]})
        self.write("r.json", RESULT.read_bytes())

    def test_too_long_a_name(self):
        for name in ("a" * 300 + ".json", "b/" * 2100 + "x.json"):
            for command in self.OUTPUTS:
                self.assertIn(": cannot be written: File name too long; ", self.refused(*command, name))
            for command in (["report"], ["run"], ["history", "list"], ["history", "add", "h.db", "--commit", "c"], ["run", "c.json", "--resume"],
                            ["conformance"], ["rank", RESULT, "--prices"]):
                self.refused(*command, name)
            self.refused("history", "add", name, RESULT, "--commit", "c")

    @unittest.skipIf(os.geteuid() != 0, "a folder that nobody may enter needs another user")
    def test_a_folder_that_may_not_be_entered(self):
        closed = self.folder / "closed"
        closed.mkdir(mode=0o700)
        os.chmod(self.folder, 0o777)
        driver = shutil.copy(DRIVER, self.folder)  # the build folder may be closed, too

        def as_nobody(*words):
            done = subprocess.run([driver, *words], cwd=self.folder, capture_output=True, text=True, user=65534, group=65534)
            self.assertEqual(done.returncode, 2, (words, done.stderr))
            self.assertNotIn("filesystem error", done.stderr, words)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            return done.stderr

        for command in self.OUTPUTS:
            self.assertIn(": cannot be written: Permission denied; ", as_nobody(*command, closed / "x.json"))
        for command in (["report"], ["run"], ["history", "list"], ["run", "c.json", "--resume"], ["conformance"]):
            as_nobody(*command, closed / "x.json")

    def test_a_folder_that_was_deleted(self):
        gone = self.folder / "gone"
        for words in (["history", "add", "h.db", RESULT, "--commit", "x"], ["history", "list", "h.db"], ["report", "x.json"], ["conformance", "./x"],
                      ["report", RESULT, "--csv", "x.csv"], ["run", SOURCE / "configs" / "quick.json", "--out", "x.json"], ["list", "nosuch"]):
            gone.mkdir(exist_ok=True)
            done = subprocess.run([DRIVER, *words], cwd=gone, capture_output=True, text=True, preexec_fn=gone.rmdir)
            self.assertEqual(done.returncode, 2, (words, done.stderr))
            self.assertNotIn("filesystem error", done.stderr, words)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)


class Counts(Texts):
    ONE_OF_MANY = re.compile(r"(?<![\d.,:/])1 (cores|threads|CPUs|cases|values|samples|rounds|launches|results|files|machines|nodes|runs|gates|ranks|problems|times|notes|rows|backends|processes)\b")

    def test_one_is_no_plural(self):
        """Of a machine with one core, and of a result with one case."""
        result = json.loads(RESULT.read_text())
        result["host"].update(cores=1, cpus=1, threads=1, name="one")
        result["cases"] = result["cases"][:1]
        other = json.loads(json.dumps(result))
        other["host"].update(cores=2, cpus=2, name="two")
        one, two = self.write("one.json", result), self.write("two.json", other)
        for words in (["report", one], ["report", one, two], ["report", one, "--markdown", "-"], ["report", one, "--answers", "-"], ["compare", one, one],
                      ["compare", one, two, "--allow", "machine"], ["rank", one, two], ["rank", one], ["fleet", one, two], ["fleet", one],
                      ["devices", "--threads", "1"], ["list", self.write("c.json", {"workloads": [CASE]}), "--shard", "1/2"]):
            done = self.breakeven(*words)
            said = (done.stdout + done.stderr).decode()
            self.assertNotEqual(said, "", words)
            self.assertIsNone(found := self.ONE_OF_MANY.search(said), (words, found, said))

    def test_years_of_five_digits_are_refused_whole(self):
        result = json.loads(RESULT.read_text())
        result["created"] = "10000-01-02T03:04:05Z"
        self.assertIn("10000-01-02T03:04:05Z", self.breakeven("report", self.write("late.json", result)).stderr.decode())


class Spreadsheets(Texts):
    """Reads CSV as spreadsheets of two kinds of countries do."""

    def rows(self, option, separator, decimal):
        done = self.breakeven("report", RESULT, option, "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(done.stdout.startswith(b"\xef\xbb\xbf"))
        text = done.stdout.decode("utf-8-sig")
        rows = list(csv.DictReader(io.StringIO(text, newline=""), delimiter=separator))
        for row in rows:
            self.assertNotIn(None, row)
            self.assertNotIn(None, row.values())
            for name in ("seconds", "gflops", "flop", "verify_error"):
                if value := row[name]:
                    self.assertNotIn("." if decimal == "," else ",", value)
                    float(value.replace(decimal, "."))
        return rows

    def test_hold_the_same_as_the_form_for_programs(self):
        done = self.breakeven("report", RESULT, "--csv", "-")
        self.assertFalse(done.stdout.startswith(b"\xef\xbb\xbf"))
        plain = list(csv.DictReader(io.StringIO(done.stdout.decode(), newline="")))
        self.assertGreater(len(plain), 10)
        self.assertTrue(any("." in row["seconds"] for row in plain))
        self.assertEqual(self.rows("--csv-point", ",", "."), plain)
        comma = self.rows("--csv-comma", ";", ",")
        self.assertEqual([row.keys() for row in comma], [row.keys() for row in plain])
        for one, other in zip(comma, plain):
            self.assertEqual(one["id"], other["id"])
            self.assertEqual(one["warnings"], other["warnings"])  # with semicolons between them
            self.assertEqual(one["seconds"].replace(",", "."), other["seconds"])


if __name__ == "__main__":
    unittest.main()
