"""The program by a name of its own: finds its packages where another has the same names.

Python takes the first `assets` and the first `pipeline` on its path, and PYTHONPATH comes before
all that is installed: in a repository that has packages called so, these would be run. So both are
loaded from beside this file, once, and the path is left as it was. It happens on import, because a
spawned process imports this module too, and calls nothing.
"""

import importlib
import sys
from pathlib import Path

HERE = str(Path(__file__).parent)
PACKAGES = ("assets", "pipeline")

sys.path.insert(0, HERE)
try:
    for _name in PACKAGES:
        importlib.import_module(_name)
finally:
    sys.path.remove(HERE)


def main() -> None:
    """Runs a command and ends the process, as `assets.__main__.main`; refuses foreign packages."""
    for name in PACKAGES:
        places = list(sys.modules[name].__path__)
        if places != [str(Path(HERE, name))]:
            sys.exit(
                f"rankgate: another package {name} was loaded first, from {', '.join(places)}"
                f"; expected {Path(HERE, name)}. Next: python -I -m rankgate with the same command"
            )
    from assets.__main__ import main as run

    run()


if __name__ == "__main__":
    main()
