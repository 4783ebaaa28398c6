"""Tests `report --html` in a real browser, headless Chromium with its driver: what a reader sees, clicks and types."""

import base64
import json
import shutil
import subprocess
import time
import unittest

from backend_program import BUILD, SOURCE, FolderTest, folder_until, skip, use_python_with

use_python_with("selenium", remedy="on Debian and Ubuntu: apt-get install python3-selenium")

from selenium import webdriver  # noqa: E402
from selenium.webdriver.chrome.service import Service  # noqa: E402
from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402
from selenium.webdriver.support.ui import Select, WebDriverWait  # noqa: E402

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")
if not CHROMIUM or not DRIVER:
    skip("no Chromium with its driver; on Debian: apt-get install chromium chromium-driver")

HOSTILE = "<img src=x onerror=\"window.injected=1\"></script><script>window.injected=1</script>'\"&amp;${1}"


def timing(seconds, of_one=(0.98, 1, 1.02), launches=1):
    """Samples that are these parts of `seconds`, in order, in each launch."""
    samples = [part * seconds for part in of_one] * launches
    return {
        "median": seconds * of_one[1], "ci_low": min(samples), "ci_high": max(samples), "samples": samples,
        "launches": [len(of_one)] * launches, "iterations": 1,
    }  # fmt: skip


VERIFIED = {"error": 1e-7, "tolerance": 1e-6, "correct": True, "elements": 256}


def case(m, backend, seconds, device="cpu", **more):
    parameters = {"m": m, "n": m, "k": m, "batch": 1, "transpose_a": False, "transpose_b": False, "dtype": "f32"}
    return {
        "id": f"matmul/m={m}/n={m}/k={m}/f32", "op": "matmul", "params": parameters, "dtype": "f32", "backend": backend,
        "device": device, "status": "ok", "seconds": timing(seconds), "flop": 2 * m**3, "bytes": 12 * m**2, "verify": VERIFIED,
    } | more  # fmt: skip


def training(backend):
    made = case(1, backend, 0.002)
    made |= {"id": "train/network=mlp/batch=128/f32", "op": "train", "params": {"network": "mlp", "batch": 128, "dtype": "f32"}}
    made |= {"flop": 410779648, "bytes": 12180640}
    return made | {"training": {"loss": [2.3, 1.1, 0.7, 0.5], "loss_stride": 10, "steps": 40}, "samples_per_iteration": 128}


def result(cases, host="machine"):
    devices = {c["backend"]: c["device"] for c in cases}
    backends = [{"name": name, "available": True, "device": device} for name, device in sorted(devices.items())]
    return {
        "schema": "breakeven.result/1", "created": "2026-11-01T12:00:00Z", "complete": True, "tool": {"version": "1"},
        "host": {"name": host, "cpu": "A CPU"}, "config": {"title": "Where does it pay?"}, "backends": backends, "cases": cases,
    }  # fmt: skip


def usual():
    cases = []
    for m in (64, 128, 256, 512, 1024):
        cases += [case(m, "onednn", m**3 * 1e-11), case(m, "blis", m**3 * 2e-11)]
        cases.append(case(m, "cuda", 1e-5 + m**3 * 1e-13, "gpu"))
    cases.append(case(2048, "onednn", 1, status="wrong", reason="element 3 is 0") | {"seconds": None, "verify": None})
    return cases + [training("onednn"), training("blis")]


def threshold(title="matmul, m = n = k, f32", host="machine"):
    """A break-even result in which b is faster than a from 384 on."""
    points = [
        {"value": m, "log_ratios": [0.9 - 0.001 * m, 0.91 - 0.001 * m, 0.92 - 0.001 * m],
         "baseline": {"backend": "a", "seconds": 1e-5 * m}, "challenger": {"backend": "b", "seconds": 2e-5 * m}}
        for m in (64, 256, 512, 2048)
    ]  # fmt: skip
    change = {"below": "baseline", "above": "challenger", "from": 384, "earliest": 377, "latest": 392, "crossing": 383.5,
              "ci_low": 376.5, "ci_high": 391.5}  # fmt: skip
    answer = {"title": title, "in": "time", "answer": "from_value", "from": 64, "to": 2048, "first_measured": 64,
              "last_measured": 2048, "changes": [change], "points": points, "notes": []}  # fmt: skip
    sides = {side: {"wanted": [name], "threads": 2, "backends": [{"name": name, "available": True}]}
             for side, name in (("baseline", "a"), ("challenger", "b"))}  # fmt: skip
    return {
        "schema": "breakeven.threshold/1", "created": "2026-11-01T12:00:00Z", "complete": True, "tool": {"version": "1"},
        "host": {"name": host, "cpu": "A CPU"}, "title": "From which size on?", "parameter": "m", "width": 0.04, "config": {},
        **sides, "answers": [answer],
    }  # fmt: skip


class Report(FolderTest):
    @classmethod
    def setUpClass(cls):
        """One browser for all tests."""
        profile = folder_until(cls.addClassCleanup)
        options = webdriver.ChromeOptions()
        options.binary_location = CHROMIUM
        for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1200,900",
                         f"--user-data-dir={profile}", "--disable-background-networking", "--no-first-run"):  # fmt: skip
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        cls.browser = webdriver.Chrome(service=Service(DRIVER), options=options)
        cls.addClassCleanup(cls.browser.quit)
        cls.browser.set_page_load_timeout(60)  # a page that hangs must not block the tests
        cls.browser.set_script_timeout(60)

    def setUp(self):
        super().setUp()
        self.browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})

    def open(self, *results, command="report"):
        paths = []
        for i, one in enumerate(results):
            paths.append(self.folder / f"{i}.json")
            paths[-1].write_text(json.dumps(one))
        self.page = self.folder / "report.html"
        subprocess.run([BUILD / "breakeven", command, *paths, "--html", self.page], check=True)
        self.browser.get(self.page.as_uri())
        WebDriverWait(self.browser, 60).until(lambda b: b.execute_script("return document.documentElement.dataset.ready"))

    def tearDown(self):
        """Checks after each test that there is no error on the console, and that only the file was requested."""
        errors = [e for e in self.browser.get_log("browser") if e["level"] in ("SEVERE", "WARNING")]
        self.assertEqual(errors, [])
        asked = []
        for entry in self.browser.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                asked.append(message["params"]["request"]["url"])
        # The browser's own start page is ignored.
        self.assertEqual([url for url in asked if not url.startswith(("file:", "data:", "chrome:"))], [])
        self.assertLessEqual(len([url for url in asked if url.startswith("file:")]), 1)

    def texts(self, selector):
        return [e.text for e in self.browser.find_elements(By.CSS_SELECTOR, selector)]

    def run_script(self, script, *arguments):
        return self.browser.execute_script(script, *arguments)

    def wait_until(self, holds, why):
        """Waits, because a busy machine renders late."""
        WebDriverWait(self.browser, 60, poll_frequency=0.1).until(holds, why)

    def screen(self, width, height, mobile=False):
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": mobile}
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        self.wait_until(lambda b: b.execute_script("return window.innerWidth") == width, f"no window of {width} px")

    def open_results(self):
        """Opens all results of the first card."""
        self.browser.find_element(By.CSS_SELECTOR, "details.results summary").send_keys(Keys.ENTER)
        self.wait_until(lambda b: b.find_elements(By.CSS_SELECTOR, ".all tbody tr"), "no table of all results")
        return self.browser.find_element(By.CSS_SELECTOR, ".all")

    def column(self, table, heading):
        """The cells of a column in a sorted table, in which the problem is a column like others."""
        shown = [h for h in table.find_elements(By.CSS_SELECTOR, "thead th") if h.is_displayed()]
        index = [h.text.split(",")[0].split(" ")[0] for h in shown].index(heading) + 1
        return [e.text for e in table.find_elements(By.CSS_SELECTOR, f"tbody tr:not(.group, .notes) td:nth-child({index})")]

    def test_the_answer_comes_first(self):
        self.open(result(usual()), threshold())
        card = self.browser.find_element(By.CSS_SELECTOR, ".card")
        self.assertIn("the GPU (CUDA) wins from m = 128 up", card.find_element(By.CSS_SELECTOR, ".answer").text)
        self.assertIn("from m = 128", self.texts("nav b")[0])
        self.assertIn("element 3 is 0", " ".join(self.texts("#notes li")))

    def test_pictures_are_drawn_for_the_width(self):
        self.open(result(usual()))
        for width, shown, hidden in ((1280, ".wide", ".narrow"), (390, ".narrow", ".wide")):
            self.screen(width, 844, mobile=width < 500)
            figure = self.browser.find_element(By.CSS_SELECTOR, ".card > figure")
            picture = figure.find_element(By.CSS_SELECTOR, f"{shown} svg")
            self.assertTrue(picture.is_displayed())
            self.assertFalse(figure.find_element(By.CSS_SELECTOR, hidden).is_displayed())
            # The text keeps its size, because the page is laid out for this width instead of being scaled.
            scale = self.run_script("const s = arguments[0]; return s.getBoundingClientRect().width / s.viewBox.baseVal.width", picture)
            self.assertTrue(0.8 < scale < 1.35, f"{scale} at {width}")
            self.assertTrue(self.run_script("return arguments[0].querySelectorAll('.point').length", picture) >= 4)

    def test_cards_fit_the_screen(self):
        self.open(result(usual()), result(usual(), "other"), threshold())
        for width, height in ((1280, 800), (390, 844)):
            self.screen(width, height, mobile=width < 500)
            self.assertLessEqual(self.run_script("return document.documentElement.scrollWidth"), width, "it scrolls sideways")
            heights = self.run_script("return [...document.querySelectorAll('.card')].map((c) => c.getBoundingClientRect().height)")
            self.assertLessEqual(max(heights), 2 * height, f"cards at {width} px: {heights}")
        headings = self.run_script("return [...document.querySelectorAll('.card')].map((c) => c.querySelectorAll('h1,h2,h3,h4,h5,h6').length)")
        self.assertEqual(set(headings), {1})

    def test_thirteen_configs_are_fifteen_screens(self):
        folder = SOURCE / "results" / "xeon-amx-2-cores"
        others = ("gate-quality", "all-reduce", "break-even", "break-even-ranks", "data-parallel")
        files = sorted(f for f in folder.glob("*.json") if f.stem not in others)
        self.assertEqual(len(files), 13)
        self.page = self.folder / "report.html"
        subprocess.run([BUILD / "breakeven", "report", *files, "--html", self.page], check=True)
        self.browser.get(self.page.as_uri())
        self.screen(1280, 800)
        self.assertLessEqual(self.run_script("return document.documentElement.scrollHeight"), 15 * 800)
        heights = self.run_script("return [...document.querySelectorAll('.card')].map((c) => c.getBoundingClientRect().height)")
        self.assertLessEqual(max(heights), 2 * 800)
        self.screen(390, 844, mobile=True)
        self.assertLessEqual(self.run_script("return document.documentElement.scrollWidth"), 390)

    def test_filters_and_sorting(self):
        self.open(result(usual()))
        table = self.open_results()
        count = table.find_element(By.CSS_SELECTOR, ".count")
        self.assertEqual(count.text, "16 of 16 results")
        Select(table.find_element(By.CSS_SELECTOR, "select[data-column=backend]")).select_by_visible_text("CUDA")
        self.assertEqual(count.text, "5 of 16 results")
        words = table.find_element(By.CSS_SELECTOR, "input[type=search]")
        words.send_keys("1024 x")
        self.assertEqual(count.text, "1 of 16 results")
        words.send_keys(Keys.BACKSPACE * 6)
        Select(table.find_element(By.CSS_SELECTOR, "select[data-column=backend]")).select_by_visible_text("all")

        heading = next(h for h in table.find_elements(By.CSS_SELECTOR, "th button") if h.text.startswith("GFLOP/s"))
        heading.send_keys(Keys.ENTER)  # by the keyboard
        rates = [float(t.replace(",", "")) for t in self.column(table, "GFLOP/s") if t]
        self.assertEqual(len(rates), 15)
        self.assertEqual(rates, sorted(rates))
        self.assertEqual(self.column(table, "GFLOP/s")[-1], "", "what is not known is last")
        heading.click()
        rates = [float(t.replace(",", "")) for t in self.column(table, "GFLOP/s") if t]
        self.assertEqual(rates, sorted(rates, reverse=True))
        self.assertEqual(self.column(table, "GFLOP/s")[-1], "")
        sorts = [h.get_attribute("aria-sort") for h in table.find_elements(By.CSS_SELECTOR, "th")]
        self.assertEqual(sorts.count("descending"), 1)

    def test_notes_have_a_line_of_their_own(self):
        noted = [c | {"warnings": ["a note on it"]} if c["params"].get("m") == 64 else c for c in usual()]
        self.open(result(noted))
        table = self.open_results()
        notes = table.find_elements(By.CSS_SELECTOR, "tr.noted + tr.notes td.note")
        self.assertEqual([n.text for n in notes].count("a note on it"), sum(c["params"].get("m") == 64 for c in noted))
        self.assertNotIn("notes", [h.text for h in table.find_elements(By.CSS_SELECTOR, "thead th")])
        rows = table.find_element(By.CSS_SELECTOR, "tbody").rect["width"]
        self.assertGreater(notes[0].rect["width"], 0.95 * rows)

    def test_markup_in_names_stays_text(self):
        hostile = [c | {"backend": HOSTILE + c["backend"], "algorithm": HOSTILE, "warnings": [HOSTILE], "device": HOSTILE} for c in usual()]
        one = result(hostile, HOSTILE)
        one["config"]["title"] = HOSTILE
        one["backends"].append({"name": HOSTILE, "available": False, "reason": HOSTILE})
        self.open(one, threshold(title=HOSTILE, host=HOSTILE))
        self.open_results()
        self.assertIsNone(self.run_script("return window.injected ?? null"))
        self.assertEqual(self.browser.find_elements(By.CSS_SELECTOR, "img"), [])
        self.assertEqual(len(self.browser.find_elements(By.CSS_SELECTOR, "script")), 2)
        self.assertIn("<img src=x onerror=", self.texts("nav span")[0])

    def test_a_threshold_is_marked_in_its_picture(self):
        self.open(threshold())
        self.assertIn("b is faster than a from m = 384 (377 to 392)", self.texts(".answer")[0])
        self.assertTrue(self.browser.find_elements(By.CSS_SELECTOR, ".wide svg .mark"))

    def test_ranking(self):
        slow = result([c | {"seconds": timing(3 * c["seconds"]["median"])} for c in usual() if c["seconds"]], "slow")
        self.open(result(usual(), HOSTILE), slow, command="rank")
        self.assertIn("takes the least time", self.texts(".answer")[0])
        self.assertTrue(self.browser.find_element(By.CSS_SELECTOR, ".wide svg").is_displayed())
        self.assertIsNone(self.run_script("return window.injected ?? null"))

    def test_verdicts_show_every_change(self):
        base = self.folder / "base.json"
        head = self.folder / "head.json"

        def repeated(m, seconds):
            return case(m, "onednn", seconds) | {"seconds": timing(seconds, (0.999, 1, 1.001), launches=6)}

        base.write_text(json.dumps(result([repeated(m, 1e-3) for m in (64, 128)])))
        head.write_text(json.dumps(result([repeated(64, 1e-3), repeated(128, 2e-3)])))
        page = self.folder / "verdicts.html"
        done = subprocess.run([BUILD / "breakeven", "compare", base, head, "--html", page, "--quiet"])
        self.assertEqual(done.returncode, 1)
        self.browser.get(page.as_uri())
        self.assertIn("FAIL: 1 of 2 cases is slower", self.texts("h1")[0])
        self.assertEqual(len(self.browser.find_elements(By.CSS_SELECTOR, ".card > figure .wide .point")), 2)

    def test_dark_and_paper(self):
        self.open(result(usual()), result(usual(), "other"), threshold())
        background = "return getComputedStyle(document.body).backgroundColor"
        light = self.run_script(background)
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "dark"}]})
        self.wait_until(lambda b: b.execute_script(background) != light, "no other colours in the dark")
        curve = "return getComputedStyle(document.querySelector('.wide .curve')).stroke"
        in_the_dark = self.run_script(curve)
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print", "features": []})
        self.wait_until(lambda b: b.execute_script(curve) != in_the_dark, "paper is dark")
        boxes = self.run_script(
            "return [...document.querySelectorAll('.card')].map((c) => { const r = c.getBoundingClientRect(); return [r.top, r.bottom]; })"
        )
        for (_, bottom), (top, _) in zip(boxes, boxes[1:]):
            self.assertLessEqual(bottom, top + 0.5, "printed cards overlap")
        inside = self.run_script(
            "return [...document.querySelectorAll('.card figure')].filter((f) => f.getClientRects().length).every((f) => {"
            " const a = f.getBoundingClientRect(), b = f.closest('.card').getBoundingClientRect();"
            " return a.top >= b.top && a.bottom <= b.bottom + 0.5; })"
        )
        self.assertTrue(inside, "a picture runs out of its card")
        self.assertEqual(self.browser.find_elements(By.CSS_SELECTOR, "details.results table"), [])
        paper = base64.b64decode(self.browser.execute_cdp_cmd("Page.printToPDF", {})["data"])
        self.assertTrue(paper.startswith(b"%PDF"))
        self.assertTrue(self.browser.find_elements(By.CSS_SELECTOR, "details.results table"), "results are not on paper")
        self.assertFalse(self.browser.find_elements(By.CSS_SELECTOR, "details.results[open]"), "they stay open on the screen")

    def test_everything_that_is_used_has_a_name(self):
        self.open(result(usual()))
        self.open_results()
        for tag in ("input", "select", "button", "summary"):
            for element in self.browser.find_elements(By.TAG_NAME, tag):
                if element.is_displayed():
                    self.assertTrue(element.accessible_name or element.text, element.get_attribute("outerHTML"))
        for picture in self.browser.find_elements(By.CSS_SELECTOR, ".card > figure .wide svg"):
            self.assertTrue(picture.accessible_name, "a picture without a name")

    def test_ten_thousand_results(self):
        self.open(result([case(64 + i, backend, 1e-5 * (i + 1)) for i in range(5000) for backend in ("onednn", "blis")]))
        table = self.open_results()
        count = table.find_element(By.CSS_SELECTOR, ".count")
        self.assertEqual(count.text, "10,000 of 10,000 results, the first 200 shown")
        self.assertLess(self.page.stat().st_size, 10e6)
        table.find_element(By.CSS_SELECTOR, "input[type=search]").send_keys("onednn")
        self.assertIn("5,000 of 10,000 results", count.text)


if __name__ == "__main__":
    unittest.main()
