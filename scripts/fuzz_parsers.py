"""Fuzz the parsers by coverage, with atheris, which is no dependency: python -m pip install atheris

    python scripts/fuzz_parsers.py TARGET [SECONDS] [CORPUS_FOLDER]

TARGET is arff, keel, csv, idx, config, card or archive. Runs for SECONDS (60), starting from the
inputs in ``tests/fuzz/samples/TARGET`` and keeping what it finds in CORPUS_FOLDER. Ends with exit
code 0 where nothing was found; else the input that broke the target lies in the working folder as
``crash-*``, ``timeout-*`` or ``oom-*``: mend the code, and put the input among the samples.
"""

import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SECONDS_AN_INPUT = 10
MAX_BYTES = 20_000


def main() -> None:
    """Fuzz one target until the time is over or an input breaks it."""
    sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "fuzz")]
    try:
        import atheris
    except ImportError:
        raise SystemExit("atheris is not installed: python -m pip install atheris") from None
    with atheris.instrument_imports(include=["boostbench.data", "boostbench.config", "yaml"]):
        import fuzz_targets

    if len(sys.argv) < 2 or sys.argv[1] not in fuzz_targets.TARGETS:
        raise SystemExit(f"give a target, one of {', '.join(fuzz_targets.TARGETS)}")
    name = sys.argv[1]
    seconds = sys.argv[2] if len(sys.argv) > 2 else "60"
    fuzz_targets.small_bounds()
    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(sys.argv[3] if len(sys.argv) > 3 else folder)
        corpus.mkdir(parents=True, exist_ok=True)
        words = Path(folder) / "words"
        words.write_text("".join(f'"{_escaped(word)}"\n' for word in fuzz_targets.WORDS[name]))
        atheris.Setup(
            [
                sys.argv[0],
                str(corpus),
                str(fuzz_targets.SAMPLES / name),
                f"-dict={words}",
                f"-max_total_time={seconds}",
                f"-max_len={MAX_BYTES}",
                f"-timeout={SECONDS_AN_INPUT}",
                "-rss_limit_mb=2048",
                "-print_final_stats=1",
            ],
            fuzz_targets.TARGETS[name],
        )
        atheris.Fuzz()


def _escaped(word: bytes) -> str:
    return "".join(f"\\x{byte:02x}" for byte in word)


if __name__ == "__main__":
    main()
