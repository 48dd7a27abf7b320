"""What git says of a study's folder."""

import subprocess

from assets.folder import StudyFolder


def git(folder: StudyFolder, *arguments: str) -> str:
    """What git prints; nothing where it fails or is not there."""
    try:
        done = subprocess.run(  # noqa: S603 - a fixed program, no shell
            ["git", *arguments],  # noqa: S607 - the user's own git
            cwd=folder.root,
            text=True,
            capture_output=True,
            check=False,
        )
    except FileNotFoundError:
        return ""
    return done.stdout.strip()
