"""Files that are whole or as they were before."""

from pathlib import Path


def write_whole(path: Path, text: str) -> None:
    """Replace a file at once; leave it alone where nothing would change."""
    if path.exists() and path.read_text(encoding="utf-8") == text:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.new")
    beside.write_text(text, encoding="utf-8")
    beside.replace(path)
