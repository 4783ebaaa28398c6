"""`report --html` in a real browser: headless Chromium, through its driver. What a reader sees, clicks and types."""

import base64
import json
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from backend_program import BUILD
from report_files import skip, use_python_with

use_python_with("selenium", "on Debian and Ubuntu: apt-get install python3-selenium")

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


def case(m, backend, seconds, device="cpu", **more):
    parameters = {"m": m, "n": m, "k": m, "batch": 1, "transpose_a": False, "transpose_b": False, "dtype": "f32"}
    timing = {"median": seconds, "ci_low": 0.98 * seconds, "ci_high": 1.02 * seconds, "samples": [seconds], "launches": [1]}
    return {
        "id": f"matmul/m={m}/n={m}/k={m}/f32", "op": "matmul", "params": parameters, "dtype": "f32", "backend": backend,
        "device": device, "status": "ok", "seconds": timing, "flop": 2 * m**3, "bytes": 12 * m**2,
    } | more  # fmt: skip


def training(backend):
    made = case(1, backend, 0.002)
    made |= {"id": "train/network=mlp/f32", "op": "train", "params": {"network": "mlp", "batch": 128, "dtype": "f32"}}
    return made | {"training": {"loss": [2.3, 1.1, 0.7, 0.5], "loss_stride": 10, "steps": 40}, "samples_per_iteration": 128}


def result(cases, host="machine"):
    backends = [{"name": name, "available": True, "device": "cpu"} for name in sorted({c["backend"] for c in cases})]
    return {
        "schema": "breakeven.result/1", "created": "2026-11-01T12:00:00Z", "complete": True, "tool": {"version": "1"},
        "host": {"name": host, "cpu": "A CPU"}, "config": {"title": "Where does it pay?"}, "backends": backends, "cases": cases,
    }  # fmt: skip


def usual():
    cases = []
    for m in (64, 128, 256, 512, 1024):
        cases += [case(m, "onednn", m**3 * 1e-11), case(m, "blis", m**3 * 2e-11)]
        cases.append(case(m, "cuda", 1e-5 + m**3 * 1e-13, "gpu"))
    cases.append(case(2048, "onednn", 1, status="wrong", reason="element 3 is 0") | {"seconds": None})
    return cases + [training("onednn"), training("blis")]


def threshold(title="matmul, m = n = k, f32", host="machine"):
    """b is faster than a from 384 on."""
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


class Report(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        options = webdriver.ChromeOptions()
        options.binary_location = CHROMIUM
        for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1200,900",
                         f"--user-data-dir={self.folder}/profile", "--disable-background-networking", "--no-first-run"):  # fmt: skip
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.browser = webdriver.Chrome(service=Service(DRIVER), options=options)
        self.addCleanup(self.browser.quit)
        self.browser.set_page_load_timeout(60)  # a page that hangs must not hang the tests
        self.browser.set_script_timeout(60)

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
        """Whatever a test did: no error on the console, and nothing was asked for but the file."""
        errors = [e for e in self.browser.get_log("browser") if e["level"] in ("SEVERE", "WARNING")]
        self.assertEqual(errors, [])
        asked = []
        for entry in self.browser.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                asked.append(message["params"]["request"]["url"])
        # The browser's own first page is not ours.
        self.assertEqual([url for url in asked if not url.startswith(("file:", "data:", "chrome:"))], [])
        self.assertLessEqual(len([url for url in asked if url.startswith("file:")]), 1)

    def texts(self, selector):
        return [e.text for e in self.browser.find_elements(By.CSS_SELECTOR, selector)]

    def column(self, heading):
        headings = self.texts("#table thead th")
        index = [h.split(" ")[0] for h in headings].index(heading) + 1
        return self.texts(f"#table tbody td:nth-child({index})")

    def wait_until(self, holds, why):
        """A busy machine draws and lays out late."""
        WebDriverWait(self.browser, 60, poll_frequency=0.1).until(holds, why)

    def wait_until_painted(self, canvas, title=""):
        """More than 2000 pixels of it are not blank."""
        self.browser.execute_script("arguments[0].scrollIntoView()", canvas)
        count = (
            "const c = arguments[0]; if (!c.width || !c.height) return 0;"
            "const p = c.getContext('2d').getImageData(0, 0, c.width, c.height).data; let n = 0;"
            "for (let i = 3; i < p.length; i += 4) n += p[i] > 0; return n;"
        )
        self.wait_until(lambda b: b.execute_script(count, canvas) > 2000, f"{title} is not drawn")

    def test_answers_first_and_every_chart_drawn(self):
        self.open(result(usual()))
        self.assertEqual(self.browser.title, "Where does it pay?")
        answers = self.texts("#answer-list li")
        self.assertIn("cuda is faster than the fastest CPU backend from m = 128 on", answers[0])
        charts = self.browser.find_elements(By.CSS_SELECTOR, "figure canvas")
        titles = self.texts("figcaption")
        self.assertEqual(len(charts), len(titles))
        for wanted in ("GFLOP/s by m", "speed-up over the fastest CPU backend by m", "loss by steps", "loss by time"):
            self.assertTrue(any(wanted in t for t in titles), f"{wanted}: {titles}")
        for chart, title in zip(charts, titles):
            self.wait_until_painted(chart, title)
            self.assertTrue(chart.get_attribute("aria-label").startswith(title))
        self.assertIn("wrong: element 3 is 0", " ".join(self.texts("#finding-list li")))

    def test_figures_of_a_chart_are_there_to_read(self):
        self.open(result(usual()))
        summary = self.browser.find_element(By.CSS_SELECTOR, "figure summary")
        summary.send_keys(Keys.ENTER)
        WebDriverWait(self.browser, 5).until(lambda b: b.find_elements(By.CSS_SELECTOR, "figure details table tbody tr"))
        self.assertEqual(len(self.texts("figure details tbody tr")), 15)

    def test_filters_and_sorting(self):
        self.open(result(usual()))
        self.assertEqual(self.texts("#count"), ["18 of 18 results"])
        Select(self.browser.find_element(By.ID, "filter-backend")).select_by_visible_text("cuda")
        self.assertEqual(self.texts("#count"), ["5 of 18 results"])
        self.assertEqual(set(self.column("backend")), {"cuda"})
        self.browser.find_element(By.ID, "filter-text").send_keys("1024")
        self.assertEqual(self.texts("#count"), ["1 of 18 results"])
        self.browser.find_element(By.ID, "filter-text").send_keys(Keys.BACKSPACE * 4)
        Select(self.browser.find_element(By.ID, "filter-backend")).select_by_visible_text("all")

        heading = next(h for h in self.browser.find_elements(By.CSS_SELECTOR, "#table th button") if h.text.startswith("GFLOP/s"))
        heading.send_keys(Keys.ENTER)  # by the keyboard
        rates = [float(t) for t in self.column("GFLOP/s") if t]
        self.assertEqual(rates, sorted(rates))
        self.assertEqual(self.column("GFLOP/s")[-1], "", "what is not known is last")
        heading.click()
        rates = [float(t) for t in self.column("GFLOP/s") if t]
        self.assertEqual(rates, sorted(rates, reverse=True))
        self.assertEqual(self.column("GFLOP/s")[-1], "")
        sorts = [h.get_attribute("aria-sort") for h in self.browser.find_elements(By.CSS_SELECTOR, "#table th")]
        self.assertEqual(sorts.count("descending"), 1)

    def test_markup_in_names_stays_text(self):
        hostile = [c | {"backend": HOSTILE + c["backend"], "algorithm": HOSTILE, "warnings": [HOSTILE], "device": HOSTILE} for c in usual()]
        one = result(hostile, HOSTILE)
        one["config"]["title"] = HOSTILE
        one["backends"].append({"name": HOSTILE, "available": False, "reason": HOSTILE})
        self.open(one)
        self.assertIsNone(self.browser.execute_script("return window.injected ?? null"))
        self.assertEqual(self.browser.find_elements(By.CSS_SELECTOR, "img"), [])
        self.assertEqual(len(self.browser.find_elements(By.CSS_SELECTOR, "script")), 3)
        self.assertIn("<img src=x onerror=", self.texts("h1")[0])
        self.assertIn("<img src=x onerror=", self.column("backend")[0])

    def test_thresholds_beside_results(self):
        self.open(result(usual()), threshold(), threshold(title=HOSTILE, host=HOSTILE))
        self.assertIn("b is faster than a from m = 384 (377 to 392)", self.texts("#answer-list li")[0])
        chart = self.browser.find_element(By.ID, "chart-threshold-matmul-m-n-k-f32")
        self.wait_until_painted(chart.find_element(By.TAG_NAME, "canvas"))
        # Two tables, each with filters of its own.
        self.assertEqual(self.texts("#tables h2"), ["All results", "What the thresholds were found by"])
        self.assertEqual(self.texts("#count-2"), ["8 of 8 results"])
        self.browser.find_element(By.ID, "filter-text-2").send_keys("matmul")
        self.assertEqual(self.texts("#count-2"), ["4 of 8 results"])
        self.assertEqual(self.texts("#count"), ["18 of 18 results"])
        self.assertIsNone(self.browser.execute_script("return window.injected ?? null"))

    def test_ranking(self):
        slow = result([c | {"seconds": {**c["seconds"], "median": 3 * c["seconds"]["median"]}} for c in usual() if c["seconds"]], "slow")
        self.open(result(usual(), HOSTILE), slow, command="rank")
        self.assertIn("takes the least time", self.texts("#answer-list li")[0])
        for name in ("ranking-time", "ranking-cases"):
            chart = self.browser.find_element(By.ID, f"chart-{name}")
            self.wait_until_painted(chart.find_element(By.TAG_NAME, "canvas"), name)
        self.assertEqual(self.texts("#tables h2")[:2], ["The order", "Case by case"])
        self.assertIsNone(self.browser.execute_script("return window.injected ?? null"))

    def test_dark_phone_and_paper(self):
        self.open(result(usual()), result(usual(), "other"))
        background = "return getComputedStyle(document.body).backgroundColor"
        light = self.browser.execute_script(background)
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "dark"}]})
        self.wait_until(lambda b: b.execute_script(background) != light, "no other colours in the dark")
        self.wait_until_painted(self.browser.find_element(By.CSS_SELECTOR, "figure canvas"))
        self.browser.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride", {"width": 360, "height": 740, "deviceScaleFactor": 2, "mobile": True}
        )
        width = "return document.documentElement.scrollWidth"
        self.wait_until(lambda b: b.execute_script(width) <= 360, "more than the table scrolls sideways")
        paper = base64.b64decode(self.browser.execute_cdp_cmd("Page.printToPDF", {})["data"])
        self.assertTrue(paper.startswith(b"%PDF"))

    def test_everything_that_is_used_has_a_name(self):
        self.open(result(usual()))
        for tag in ("input", "select", "button"):
            for element in self.browser.find_elements(By.TAG_NAME, tag):
                if element.is_displayed():
                    self.assertTrue(element.accessible_name, element.get_attribute("outerHTML"))

    def test_ten_thousand_results(self):
        self.open(result([case(64 + i, backend, 1e-5 * (i + 1)) for i in range(5000) for backend in ("onednn", "blis")]))
        self.assertEqual(self.texts("#count"), ["10000 of 10000 results, the first 200 shown"])
        self.assertLess(self.page.stat().st_size, 10e6)
        self.browser.find_element(By.ID, "filter-text").send_keys("onednn")
        self.assertIn("5000 of 10000 results", self.texts("#count")[0])


if __name__ == "__main__":
    unittest.main()
