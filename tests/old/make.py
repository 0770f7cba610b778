"""Makes small campaigns by the command line; run by the version whose files are to be kept.

``python tests/old/make.py FOLDER``: what stands beside this file was made by 0.1.0 with schema 1.
"""

import csv
import subprocess
import sys
from pathlib import Path

import numpy as np


def write(name: str, header: list[str], rows: list[list[object]]) -> None:
    with Path(name).open("w", newline="") as file:
        csv.writer(file).writerows([header, *rows])


def tables(rng: np.random.Generator) -> None:
    calls, tags, faces = [], [], []
    for i in range(90):
        truth = ["no", "yes"][i % 2]
        a, b = (truth if rng.random() < right else ["yes", "no"][i % 2] for right in (0.8, 0.7))
        calls.append([f"{i:03}", a, b, f"{rng.random():.2f}", f"{rng.random():.2f}",
                      ["german", "english", "french"][i % 3], 18 + i % 50, truth])  # fmt: skip
    for tag in ("bird", "cat"):
        for image in range(20):
            truth = int(rng.random() < 0.5)
            noisy = truth if rng.random() < 0.8 else 1 - truth
            tags.append([f"i{image:02}", tag, f"{rng.normal(2 * truth):.3f}", noisy, truth])
    for i in range(60):
        smile = rng.random()
        said = ["yes", "no"][int(rng.random() > smile)]
        faces.append([f"f{i:02}", "fm"[i % 2], f"{smile:.3f}", "fm"[int(rng.random() < 0.5)], said])
    write("calls.csv", ["id", "a", "b", "conf_a", "conf_b", "accent", "age", "truth"], calls)
    write("tags.csv", ["image", "tag", "score", "noisy", "truth"], tags)
    write("faces.csv", ["image", "answer", "smile_p", "truth", "smile"], faces)


def run(*arguments: str, told: str = "") -> str:
    command = [sys.executable, "-m", "spotheight", *arguments]
    done = subprocess.run(command, input=told, capture_output=True, text=True, check=True)
    return done.stdout


def label(name: str, pool: str, keys: list[str], n: int, **extra: str) -> None:
    """Ask, look the truth up and tell; ``extra`` are columns of told levels and where they are."""
    with Path(pool).open(newline="") as file:
        truths = {tuple(row[key] for key in keys): row for row in csv.DictReader(file)}
    lines = [",".join([*keys, "label", *extra])]
    for row in csv.DictReader(run("ask", name, "-n", str(n)).splitlines()):
        known = truths[tuple(row[key] for key in keys)]
        lines.append(",".join([*(row[k] for k in keys), known["truth"],
                               *(known[column] for column in extra.values())]))  # fmt: skip
    run("tell", name, "-", told="\n".join(lines) + "\n")


def main() -> None:
    tables(np.random.default_rng(5))
    calls = ("init", "calls.csv", "--id", "id", "--prediction", "a=a", "--prediction", "b=b",
             "--score", "a=conf_a", "--score", "b=conf_b", "--attribute", "accent",
             "--attribute", "age:bins=2", "--payload", "truth")  # fmt: skip
    for policy in ("gain", "thompson", "random"):
        name = f"{policy}.db"
        run(*calls, "--policy", policy, "--seed", "3", "-o", name)
        for _ in range(3):
            label(name, "calls.csv", ["id"], 8)
    run("tell", "random.db", "-", "--annotator", "eva", told="id,label\n001,yes\n004,no\n")
    run("tell", "random.db", "-", "--annotator", "eva", "--correct", told="id,label\n001,no\n")
    out = [row["id"] for row in csv.DictReader(run("ask", "random.db", "-n", "5").splitlines())]
    run("skip", "random.db", out[0])
    run("release", "random.db", out[1])
    run("init", "tags.csv", "--id", "image", "--category", "tag", "--noisy-label", "noisy",
        "--score", "good=score", "--task", "precision:k=6", "-o", "tags.db")  # fmt: skip
    label("tags.db", "tags.csv", ["image", "tag"], 10)
    run("init", "faces.csv", "--id", "image", "--prediction", "answer",
        "--attribute-probabilities", "smile=smile_p", "--policy", "uniform",
        "-o", "faces.db")  # fmt: skip
    label("faces.db", "faces.csv", ["image"], 12, **{"true:smile": "smile"})


if __name__ == "__main__":
    main()
