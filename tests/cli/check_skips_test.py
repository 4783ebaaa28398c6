"""Tests that scripts/check-skips sees every kind of skip in what CTest writes, and compares each with the list."""

import json
import shutil
import subprocess
import textwrap
import unittest

from backend_program import SOURCE, FolderTest, skip

UNITTEST = textwrap.dedent("""
    import unittest

    class Part(unittest.TestCase):
        def test_runs(self):
            print("x" * 2000)

        def test_needs_more(self):
            "What it does"
            self.skipTest("why 'not'")

        def test_sizes(self):
            for size in (1, 2):
                with self.subTest(size):
                    self.skipTest("too small")

    @unittest.skip("never")
    class Whole(unittest.TestCase):
        def test_nothing(self):
            pass

    class SetUp(unittest.TestCase):
        @classmethod
        def setUpClass(cls):
            raise unittest.SkipTest("in set-up")

        def test_nothing(self):
            pass

    unittest.main()
""")
# As CMake writes it; CTest finds "[  SKIPPED ]" for gtest_discover_tests().
TESTS = r"""
add_test(python "python3" "part.py" "-v")
add_test(file "sh" "-c" "echo 'skipped: no card'; exit 77")
set_tests_properties(file PROPERTIES SKIP_RETURN_CODE 77)
add_test(Google.Test "sh" "-c" "printf '/a/b/c_test.cpp:9: Skipped\\nno room\\n[  SKIPPED ] Google.Test (0 ms)\\n'")
set_tests_properties(Google.Test PROPERTIES SKIP_REGULAR_EXPRESSION "\\[  SKIPPED \\]")
add_test(shard "sh" "-c" "printf '/a/b/d_test.cpp:9: Skipped\\nneeds two CPUs\\n'")
add_test(wordless "sh" "-c" "exit 77")
set_tests_properties(wordless PROPERTIES SKIP_RETURN_CODE 77)
add_test(off "true")
set_tests_properties(off PROPERTIES DISABLED TRUE)
add_test(whole "echo" "nothing is skipped: all is well")
"""
SKIPS = [
    "python Part.test_needs_more: why 'not'",
    "python Part.test_sizes: too small",
    "python SetUp.setUpClass: in set-up",
    "python Whole.test_nothing: never",
    "file: no card",
    "Google.Test c_test.cpp: no room",
    "shard d_test.cpp: needs two CPUs",
    "wordless: notrun",
    "off: disabled",
]


class CheckSkipsTest(FolderTest):
    def setUp(self):
        super().setUp()
        (self.folder / "part.py").write_text(UNITTEST)
        (self.folder / "CTestTestfile.cmake").write_text(TESTS)
        command = ["ctest", "--output-junit", "tests.xml", "--test-output-size-passed", "100000000"]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)

    def check(self, entries, *options):
        entries_file = self.folder / "entries.json"
        entries_file.write_text(json.dumps(entries))
        command = [SOURCE / "scripts/check-skips", *options, "--list", entries_file, self.folder / "tests.xml"]
        done = subprocess.run(command, capture_output=True, text=True)
        self.assertEqual(done.returncode, 1 if done.stderr else 0)
        return [line.removeprefix("check-skips: ") for line in done.stderr.splitlines()]

    def test_every_skip_is_named(self):
        named = {fault.removeprefix("skipped without an entry in entries.json: ") for fault in self.check([])}
        self.assertEqual(named, set(SKIPS))

    def test_an_entry_is_for_all_that_it_matches_and_must_match_something(self):
        entries = [{"skip": pattern, "why": "a reason"} for pattern in ("^python ", "^(file|Google.Test|shard)", "notrun|disabled$")]
        self.assertEqual(self.check(entries, "--complete"), [])
        self.assertEqual(len(self.check(entries[1:], "--complete")), 5)
        entries.append({"skip": "no such thing", "why": "a reason"})
        self.assertEqual(self.check(entries), [])
        self.assertEqual(self.check(entries, "--complete"), ["entries.json: no skipped test matches: no such thing"])
        entries[-1]["varies"] = True
        self.assertEqual(self.check(entries, "--complete"), [])

    def test_every_entry_of_the_list_has_a_reason(self):
        for entry in json.loads((SOURCE / "tests/expected_skips.json").read_text()):
            self.assertLessEqual(set(entry), {"skip", "why", "varies"})
            self.assertTrue(entry["skip"] and entry["why"], entry)


if __name__ == "__main__":
    if not shutil.which("ctest"):
        skip("no ctest")
    unittest.main()
