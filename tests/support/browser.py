"""Chromium without a window, for what only a browser can tell of the page."""

import json
import shutil
import time
from contextlib import contextmanager

WIDE = (1440, 900)
PHONE = (375, 740)
SHEET = (718, 1000)
"""What A4 leaves between its margins, in CSS pixels."""


class Browser:
    """A page in Chromium, and what tests ask of it."""

    def __init__(self, driver):
        self.driver = driver

    def open(self, path, address="", size=WIDE, theme="light", media=""):
        """Open a file anew, as a link to it does, at a size and in a theme."""
        command = self.driver.execute_cdp_cmd
        width, height = size
        screen = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        command("Emulation.setDeviceMetricsOverride", screen)
        features = [{"name": "prefers-color-scheme", "value": theme}]
        command("Emulation.setEmulatedMedia", {"media": media, "features": features})
        self.driver.get("about:blank")
        self.driver.get(f"{path.as_uri()}{address}")
        self.settled()

    def settled(self):
        """Wait until nothing of the page is still being unpacked."""
        self.until("!document.querySelector('[aria-busy]')")

    def until(self, condition, seconds=20):
        """Wait until an expression is true."""
        end = time.monotonic() + seconds
        while not self.ask(condition):
            assert time.monotonic() < end, f"never true: {condition}"
            time.sleep(0.02)

    def ask(self, expression):
        """The value of a JavaScript expression."""
        return self.driver.execute_script(f"return {expression}")

    def text(self, selector):
        """The text of the first element, as it is rendered."""
        return self.ask(f"document.querySelector({json.dumps(selector)})?.innerText ?? null")

    def texts(self, selector):
        """The texts of all elements."""
        return self.ask(
            f"[...document.querySelectorAll({json.dumps(selector)})].map(e => e.innerText)"
        )

    def click(self, selector):
        """Click the first element as a hand does, where it can be seen."""
        from selenium.webdriver.common.by import By

        element = self.driver.find_element(By.CSS_SELECTOR, selector)
        self.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", element)
        element.click()
        self.settled()

    def press(self, *keys):
        """Press keys where the focus is."""
        from selenium.webdriver import ActionChains

        ActionChains(self.driver).send_keys(*keys).perform()
        self.settled()

    def choose(self, name, value):
        """Set a field of the filters."""
        self.driver.execute_script(
            "const field = document.querySelector(`#filters [name=${arguments[0]}]`);"
            "field.value = arguments[1];"
            "field.dispatchEvent(new Event('input', {bubbles: true}))",
            name,
            value,
        )

    def complaints(self):
        """What the console says since it was last asked."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def requests(self):
        """The addresses that were asked for since it was last asked."""
        entries = [
            json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")
        ]
        return [
            entry["params"]["request"]["url"]
            for entry in entries
            if entry["method"] == "Network.requestWillBeSent"
        ]

    def screenshot(self, path):
        """What is seen, as PNG."""
        self.driver.save_screenshot(str(path))


@contextmanager
def chromium():
    """A browser for a while. Raises ``RuntimeError`` with what to do if there is none."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    programs = {name: shutil.which(name) for name in ("chromium", "chromedriver")}
    missing = [name for name, path in programs.items() if path is None]
    if missing:
        raise RuntimeError(
            f"{' and '.join(missing)} not found: apt-get install chromium chromium-driver"
        )
    options = webdriver.ChromeOptions()
    options.binary_location = programs["chromium"]
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(programs["chromedriver"]))
    try:
        yield Browser(driver)
    finally:
        driver.quit()
