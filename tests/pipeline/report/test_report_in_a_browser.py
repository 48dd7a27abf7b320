"""The page in a real browser: the first screen holds the answer, nothing scrolls sideways.

The page stands in a frame of the wanted size; a few lines outside it measure, and write what they
found into an attribute, which `--dump-dom` prints. The page itself has no script.
"""

import html
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",  # small in a container
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
    "--allow-file-access-from-files",
    "--virtual-time-budget=4000",
)
SCREENS = {"desktop": (1280, 800), "phone": (390, 844)}
FRAME = """<!DOCTYPE html><meta charset="utf-8"><body style="margin:0">
<iframe id="page" src="page.html" width="{width}" height="{height}" style="border:0"></iframe>
<script>
document.getElementById("page").onload = (event) => {{
  const page = event.target.contentDocument, root = page.documentElement;
  const bottom = (found) => Math.max(0, ...[...found].map((e) => e.getBoundingClientRect().bottom));
  const right = (found) => Math.max(0, ...[...found].map((e) => e.getBoundingClientRect().right));
  document.body.dataset.found = JSON.stringify({{
    inner: root.clientWidth,
    scrolled: root.scrollWidth,
    word: bottom(page.querySelectorAll("#word")),
    wide: right(page.querySelectorAll("#word, .verdict, .measured, figure, .box, dl, nav, aside")),
    reasons: bottom(page.querySelectorAll("#reasons > *")),
    boxes: page.querySelectorAll(".box").length,
  }});
}};
</script>"""


@pytest.fixture(scope="session")
def chromium() -> str:
    """The browser's program; skips where there is none."""
    found = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    if found is None:
        pytest.skip("no chromium here: apt-get install chromium")
    return found


def measures(browser: str, folder: Path, page: str, screen: tuple[int, int]) -> dict[str, Any]:
    """What the browser lays out of a page in a window of that size."""
    width, height = screen
    (folder / "page.html").write_text(page, encoding="utf-8")
    frame = folder / "frame.html"
    frame.write_text(FRAME.format(width=width, height=height), encoding="utf-8")
    profile = f"--user-data-dir={folder / 'profile'}"
    done = subprocess.run(
        [browser, *FLAGS, profile, "--dump-dom", frame.as_uri()],
        capture_output=True,
        text=True,
        timeout=600,
        check=True,
    )
    found = re.search(r'data-found="([^"]*)"', done.stdout)
    assert found, f"the browser measured nothing: {done.stderr[-500:]}"
    return dict(json.loads(html.unescape(found[1])))


@pytest.mark.slow
@pytest.mark.parametrize("screen", SCREENS)
@pytest.mark.parametrize("kind", ["opened", "sealed", "three branches", "tenants", "text shown"])
def test_the_answer_is_in_the_first_screen_and_nothing_scrolls_sideways(
    chromium, pages, tmp_path, kind, screen
):
    found = measures(chromium, tmp_path, pages(kind).html, SCREENS[screen])
    assert found["scrolled"] <= found["inner"]
    assert found["wide"] <= found["inner"]
    assert 0 < found["word"] < found["reasons"] <= SCREENS[screen][1]
    assert found["boxes"] > 5


@pytest.mark.slow
def test_long_names_do_not_widen_the_page(chromium, studies, pages, tmp_path):
    inputs = studies("opened")
    long = "a" * 200
    html_of = pages("opened").html.replace("words", long[:60]).replace("q00", f"q{long}")
    found = measures(chromium, tmp_path, html_of, SCREENS["phone"])
    assert inputs["decision"]["word"] in html_of
    assert found["scrolled"] <= found["inner"]
