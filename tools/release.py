"""`make release`: wheels and source packages of all packages, checked as their users would install them.

    python -m tools.release [FOLDER]

It writes to FOLDER (default: dist) the packages, `sbom.json` (CycloneDX) and `NOTICES.md`, the licences of what
`kibitz[all]` installs. This Python, and the oldest and newest others on the PATH, install all packages from there into
an empty environment and play.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGES = sorted(path.parent for path in ROOT.glob("packages/*/pyproject.toml"))
SMOKE = (
    ("--version",),
    ("demo",),
    ("watch", "pawns", "s4", "s2", "--seed", "3", "--max-plies", "10"),
    ("watch", "risk", "--seed", "1", "--max-plies", "20"),
    ("solve", "guan"),
    ("doctor",),
)
"""What must run in an empty environment."""


def main(folder: Path) -> None:
    """Build, check, install, play, list."""
    shutil.rmtree(folder, ignore_errors=True)
    for package in PACKAGES:
        call(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, package)
    built = sorted(folder.glob("kibitz*"))
    assert len(built) == 2 * len(PACKAGES), built
    call(sys.executable, "-m", "twine", "check", "--strict", *built)
    for python in pythons():
        with tempfile.TemporaryDirectory() as there:
            call(python, "-m", "venv", there)
            environment = Path(there, "bin")
            call(environment / "pip", "install", "--quiet", "--find-links", folder, "kibitz[all]")
            for words in SMOKE:
                call(environment / "kibitz", *words, folder=there)
            call(environment / "python", "-m", "pip", "check")
            if python == sys.executable:
                list_contents(environment / "python", folder)
        print(f"{python}: kibitz[all] installs and plays")


def list_contents(python: Path, folder: Path) -> None:
    """Write the SBOM and the notices of an environment."""
    call(sys.executable, "-m", "cyclonedx_py", "environment", python, "--output-file", folder / "sbom.json")
    options = ("--format=markdown", "--with-urls", f"--output-file={folder / 'NOTICES.md'}")
    call(sys.executable, "-m", "piplicenses", f"--python={python}", *options)


def pythons() -> list[str]:
    """This Python, and the oldest and the newest other one that will do."""
    found = {}
    for minor in range(11, 20):
        path = shutil.which(f"python3.{minor}")
        if path and subprocess.run([path, "-c", "import venv"], capture_output=True, check=False).returncode == 0:
            found[minor] = path
    own = sys.version_info.minor
    others = [minor for minor in (min(found, default=own), max(found, default=own)) if minor != own]
    return [sys.executable, *(found[minor] for minor in dict.fromkeys(others))]


def call(*command: object, folder: str | Path = ROOT) -> None:
    """Run a program; its output is shown if it fails."""
    words = list(map(str, command))
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(words)}\n{done.stdout}{done.stderr}")


if __name__ == "__main__":
    main(Path(*sys.argv[1:2] or ["dist"]).resolve())
