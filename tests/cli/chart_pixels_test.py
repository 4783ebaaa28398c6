"""Tests charts as programs draw them: every point and both ends of every interval have the colour and the place that
the SVG defines."""

import os
import re
import shutil
import subprocess
import unittest
import xml.etree.ElementTree as ElementTree

from backend_program import BUILD, folder_until, skip, use_python_with

use_python_with("PIL", remedy="on Debian and Ubuntu: apt-get install python3-pil")

from PIL import Image  # noqa: E402

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
RSVG = shutil.which("rsvg-convert")
UNIT_TESTS = BUILD / "unit-tests"
if not UNIT_TESTS.exists():
    skip("the unit tests, which write the charts, are not built")

SCALE = 2  # pixels per unit
SVG = "{http://www.w3.org/2000/svg}"


def numbers(text):
    return [float(number) for number in re.findall(r"-?[0-9.]+", text)]


def corners(path):
    """The corners of a path of absolute M, L, H and V."""
    x = y = 0
    for command, values in re.findall(r"([MLHV])([-0-9.,]+)", path):
        values = numbers(values)
        if command == "V":
            y = values[0]
        else:
            x = values[0]
            y = values[-1] if command != "H" else y
        yield x, y


def rgb(colour, properties):
    named = re.fullmatch(r"var\((--[a-z0-9-]+)\)", colour)
    code = properties[named[1]] if named else colour
    return tuple(int(code[i : i + 2], 16) for i in (1, 3, 5))


class Picture:
    """An SVG, and the position of its upper left corner among the pixels."""

    def __init__(self, path, image, left=0, top=0, properties=None):
        self.name = path.name
        self.root = ElementTree.parse(path).getroot()
        self.view = numbers(self.root.get("viewBox"))
        self.image, self.left, self.top, self.properties = image, left, top, properties or {}

    def is_inside(self, x, y):
        return 0 <= x - self.view[0] <= self.view[2] and 0 <= y - self.view[1] <= self.view[3]

    def is_painted(self, x, y, colour, reach):
        """True if a pixel at most `reach` from the position has this colour."""
        wanted = rgb(colour, self.properties)
        middle_x = (self.left + x - self.view[0]) * SCALE
        middle_y = (self.top + y - self.view[1]) * SCALE
        reach *= SCALE
        for row in range(int(middle_y - reach), int(middle_y + reach) + 1):
            for column in range(int(middle_x - reach), int(middle_x + reach) + 1):
                if not (0 <= column < self.image.width and 0 <= row < self.image.height):
                    continue
                found = self.image.getpixel((column, row))
                if all(abs(a - b) <= 30 for a, b in zip(found, wanted)):
                    return True
        return False

    def points(self):
        """The points, each with the radius of its marker."""
        for group in self.root.iter(SVG + "g"):
            if group.get("class") == "point":
                x, y = numbers(group.get("transform"))
                marker = group.find(SVG + "path")
                yield x, y, marker.get("fill"), -numbers(marker.get("d"))[0] if marker.get("d")[1] == "-" else 5

    def interval_ends(self):
        for path in self.root.iter(SVG + "path"):
            if path.get("class") == "interval":
                for x, y in corners(path.get("d")):
                    yield x, y, path.get("stroke")

    def has_marker(self, x, y, colour, reach, is_alone):
        """True if there is more than a line or an interval through the position; below other markers, at least an
        edge."""
        if not is_alone:
            return self.is_painted(x, y, colour, reach)
        return all(self.is_painted(x + dx, y + dy, colour, 0.6) for dx, dy in ((2, 0), (-2, 0), (0, 2), (0, -2)))

    def faults(self):
        found = []
        points = list(self.points())
        for i, (x, y, colour, reach) in enumerate(points):
            is_alone = all(i == j or abs(x - a) > 8 or abs(y - b) > 8 for j, (a, b, *_) in enumerate(points))
            if not self.is_inside(x, y):
                found.append(f"{self.name}: a point at {x}, {y} is outside")
            elif not self.has_marker(x, y, colour, reach, is_alone):
                found.append(f"{self.name}: a point at {x}, {y} is not painted in {colour}")
        for x, y, colour in self.interval_ends():
            if not self.is_inside(x, y):
                found.append(f"{self.name}: an interval's end at {x}, {y} is outside")
            elif not self.is_painted(x, y, colour, 1):
                found.append(f"{self.name}: an interval's end at {x}, {y} is not painted in {colour}")
        return found


class ChartPixels(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.path = folder_until(cls.addClassCleanup)
        subprocess.run([UNIT_TESTS, "--gtest_filter=SvgExamples.AreWritten"], check=True, stdout=subprocess.DEVNULL,
                       env={**os.environ, "BREAKEVEN_SVG_EXAMPLES": str(cls.path)})  # fmt: skip

    @unittest.skipUnless(RSVG, "rsvg-convert is not here")
    def test_files_by_rsvg(self):
        files = sorted(path for path in self.path.glob("*.svg") if not path.name.endswith(".page.svg"))
        self.assertGreaterEqual(len(files), 14)
        for file in files:
            png = self.path / "drawn.png"
            subprocess.run([RSVG, "--zoom", str(SCALE), "--output", png, file], check=True)
            self.check([Picture(file, Image.open(png).convert("RGB"))])

    @unittest.skipUnless(RSVG, "rsvg-convert is not here")
    def test_what_is_not_painted_is_found(self):
        file, bad, png = self.path / "points-640.svg", self.path / "bad.svg", self.path / "bad.png"
        for pattern, least in ((r'<g class="point".*?</g>', 5), (r'<path class="interval".*?/>', 10)):
            bad.write_text(re.sub(pattern, "", file.read_text()))
            subprocess.run([RSVG, "--zoom", str(SCALE), "--output", png, bad], check=True)
            self.assertGreaterEqual(len(Picture(file, Image.open(png).convert("RGB")).faults()), least, pattern)
            bad.unlink()

    @unittest.skipUnless(CHROMIUM, "no Chromium here")
    def test_pages_in_chromium(self):
        for theme, ground in (("light", "#ffffff"), ("dark", "#1b1e22")):
            with self.subTest(theme):
                self.check(self.page(theme, ground))

    def page(self, theme, ground):
        style = (self.path / f"{theme}.css").read_text()
        files = sorted(self.path.glob("*.page.svg"))
        tops, height = [], 0
        for file in files:
            tops.append(height)
            height += int(numbers(ElementTree.parse(file).getroot().get("viewBox"))[3])
        html, png = self.path / "page.html", self.path / "page.png"
        html.write_text(f'<!doctype html><meta charset="utf-8"><style>:root{{{style}}} body{{margin:0;background:{ground}}}'
                        "svg{display:block}</style>" + "".join(file.read_text() for file in files))  # fmt: skip
        subprocess.run([CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--screenshot={png}",
                        f"--force-device-scale-factor={SCALE}", f"--window-size=700,{height + 200}", html.as_uri()],
                       check=True, capture_output=True, timeout=120)  # fmt: skip
        image = Image.open(png).convert("RGB")
        properties = dict(declaration.split(":") for declaration in style.strip(";").split(";"))
        return [Picture(file, image, 0, top, properties) for file, top in zip(files, tops)]

    def check(self, pictures):
        for picture in pictures:
            self.assertEqual(picture.faults(), [])
        kinds = {picture.name: (len(list(picture.points())), len(list(picture.interval_ends()))) for picture in pictures}
        for name, (points, ends) in kinds.items():
            if name.startswith(("lines", "points", "intervals")):
                self.assertGreater(points, 4, name)
            if name.startswith(("points", "bars", "intervals")):
                self.assertGreater(ends, 4, name)


if __name__ == "__main__":
    unittest.main()
