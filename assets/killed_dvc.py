"""What a killed DVC leaves that its next call stumbles over, cleared where nothing is lost by it.

A `dvc.lock` torn by it is another matter: that one is git's, and the user's to take back.
"""

import json
import re
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

# DVC rewrites the list of who reads and writes what in place, about a dozen times a stage.
TORN_LIST = re.compile(r"Unable to read RWLock-file '(.+)'")
# It takes a folder of its run cache for one that holds an entry; killed in between, it is empty.
EMPTY_ENTRY = "join() argument must be str, bytes, or os.PathLike object, not 'NoneType'"
# A living DVC writes right after it emptied the list, or made the folder: what it is at stays.
AT_WORK_SECONDS = 1.0


def clear(folder: Path, said: str, cache: Callable[[], Path]) -> bool:
    """Clears what DVC just failed on, so that the same call can be made again.

    Args:
        folder: where DVC was called.
        said: its complaint.
        cache: tells DVC's cache folder.

    Returns:
        Whether there was anything to clear.
    """
    if found := TORN_LIST.search(said):
        return _delete_torn(folder / found[1])
    return EMPTY_ENTRY in said and _delete_empty(cache() / "runs")


def _delete_torn(listed: Path) -> bool:
    """Deletes the list if it is torn and stays so: then nobody whom it names can read it either."""
    if _is_torn(listed):
        time.sleep(AT_WORK_SECONDS)
        if _is_torn(listed):
            listed.unlink(missing_ok=True)
    return True


def _is_torn(listed: Path) -> bool:
    try:
        json.loads(listed.read_bytes())
    except FileNotFoundError:
        return False  # another process cleared it
    except ValueError:
        return True
    return False


def _delete_empty(runs: Path) -> bool:
    """Deletes empty folders; one that was just made stays, and is old enough the next time."""
    empty = [entry for entry in runs.glob("*/*") if entry.is_dir() and not any(entry.iterdir())]
    for entry in empty:
        with suppress(OSError):  # DVC may just have written into it
            if time.time() - entry.stat().st_mtime > AT_WORK_SECONDS:
                entry.rmdir()
    return bool(empty)
