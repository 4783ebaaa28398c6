"""Tests the order of the folders of src/: a room's compiler finds only its own headers and those of the rooms below
it."""

import json
import re
import shlex
import subprocess
import tempfile
import unittest

from backend_program import BUILD, SOURCE


def compile_commands():
    """Returns {room: the command that compiles one of its files, without the file and its outputs}."""
    commands = {}
    for entry in json.loads((BUILD / "compile_commands.json").read_text()):
        room = re.search(r"src/CMakeFiles/(\w+)\.dir/", entry["command"])
        if room and (SOURCE / "src" / room[1]).is_dir():
            words = shlex.split(entry["command"].split(" -MD ")[0].split(" -o ")[0])
            commands.setdefault(room[1], [word for word in words if word != "-c"])
    return commands


def rooms_seen(commands):
    """Returns {room: the rooms whose headers its compiler finds}."""
    return {room: {found[1] for word in command if (found := re.search(r"/rooms/(\w+)/src$", word))} for room, command in commands.items()}


class RoomsTest(unittest.TestCase):
    def setUp(self):
        self.commands = compile_commands()
        self.seen = rooms_seen(self.commands)

    def compiles(self, room, header):
        with tempfile.NamedTemporaryFile("w", suffix=".cpp") as source:
            source.write(f'#include "{header}"\n')
            source.flush()
            done = subprocess.run([*self.commands[room], "-fsyntax-only", source.name], capture_output=True, text=True)
        return done.returncode == 0, done.stderr

    def test_every_folder_is_a_room(self):
        folders = {folder.name for folder in (SOURCE / "src").iterdir() if folder.is_dir()} - {"backends"}
        self.assertEqual(set(self.commands), folders)

    def test_a_room_sees_itself_and_no_two_see_each_other(self):
        for room, others in self.seen.items():
            self.assertIn(room, others)
            for other in others - {room}:
                self.assertNotIn(room, self.seen[other], f"{room} and {other} see each other")
                self.assertLessEqual(self.seen[other], others, f"{room} sees {other}, and not all that {other} sees")

    def test_an_include_of_a_higher_room_does_not_compile(self):
        good, why = self.compiles("results", "results/result.h")
        self.assertTrue(good, why)
        good, why = self.compiles("results", "session/engine.h")
        self.assertFalse(good)
        self.assertRegex(why, r"session/engine.h.*(No such file|not found)")


if __name__ == "__main__":
    unittest.main()
