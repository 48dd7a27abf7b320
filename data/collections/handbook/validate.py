"""Does the handbook keep what its card promises?

    python data/collections/handbook/validate.py [FOLDER]

Reads documents.jsonl, queries.jsonl, judgments/*.jsonl and facts.yaml of the folder (its own,
where none is named), prints each defect and each promise with its figure, and ends with 1 where
there is a defect or a promise falls short.
"""

import sys
from pathlib import Path

from checks.defects import DEFECTS, incomplete
from checks.promises import PROMISES
from checks.records import read_handbook


def main(folder: Path) -> int:
    """Prints what was found; 1 where something is wrong or too little."""
    handbook = read_handbook(folder)
    broken = list(incomplete(handbook))
    promises = [] if broken else [kept for count in PROMISES for kept in count(handbook)]
    defects = broken or [f"{find.__name__}: {told}" for find in DEFECTS for told in find(handbook)]
    lines = [f"{'ok' if p.kept else 'short':5}  {p.name}: {p.figure}" for p in promises]
    lines += [f"defect  {defect}" for defect in defects] + [f"{len(defects)} defects"]
    sys.stdout.write("\n".join(lines) + "\n")
    return int(bool(defects) or not all(promise.kept for promise in promises))


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent))
