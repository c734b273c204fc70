"""Weights come whole or not at all, from pinned wheels or a hub, whatever interrupts or runs beside."""

from __future__ import annotations

import hashlib
import http.server
import multiprocessing
import sys
import threading
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from judge.errors import InputError
from judge.models import weights
from judge.models.fetching import Part, UnreachableError, Weights

PIECES = (b"first " * 5_000, b"second " * 5_000, b"third " * 5_000, b"fourth " * 5_000, b"fifth " * 100)
WHOLE = b"".join(PIECES)


@pytest.fixture(autouse=True)
def _own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RUBRIC_JUDGE_HOME", str(tmp_path / "home"))


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of wheels that pip takes for the registry."""
    folder = tmp_path / "registry"
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    return folder


def wheel(folder: Path, number: int, piece: bytes) -> Part:
    """A wheel that carries one piece, and would leave a mark if any of its code were run."""
    name, info = f"piece_part{number}", f"piece_part{number}-1.0.dist-info"
    path = folder / f"{name}-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(f"{name}/__init__.py", "raise SystemExit('the code of a wheel was run')")
        archive.writestr(f"{name}/data/part{number:02d}.bin", piece)
        archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: piece-part{number}\nVersion: 1.0\n")
        archive.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr(f"{info}/RECORD", "")
    return Part(
        wheel=f"piece-part{number}==1.0",
        sha256=hashlib.sha256(path.read_bytes()).hexdigest(),
        member=f"{name}/data/part{number:02d}.bin",
        size=len(piece),
    )


def pinned(parts: tuple[Part, ...], *, hub: str | None = None) -> Weights:
    """Weights made of the pieces."""
    digest = hashlib.sha256(WHOLE).hexdigest()
    described = {"title": "A test", "use": "tests", "licence": "none", "file": "test.gguf"}
    return Weights(name="test", size=len(WHOLE), sha256=digest, parts=parts, hub=hub, **described)


@pytest.fixture
def in_wheels(registry: Path) -> Weights:
    return pinned(tuple(wheel(registry, number, piece) for number, piece in enumerate(PIECES, 1)))


def leftovers() -> set[str]:
    """What lies beside the weights."""
    return {path.name for path in weights.folder().iterdir()}


def test_the_parts_are_joined_in_order_and_the_wheels_are_gone(in_wheels: Weights) -> None:
    heard: list[tuple[int, int]] = []
    path = weights.pull(in_wheels, progress=lambda there, whole: heard.append((there, whole)))
    assert path.read_bytes() == WHOLE
    assert leftovers() == {"test.gguf", "test.lock"}
    assert heard[0] == (len(PIECES[0]), len(WHOLE))
    assert heard == sorted(heard)
    assert heard[-1] == (len(WHOLE), len(WHOLE))


def test_what_is_there_is_not_fetched_again(in_wheels: Weights, registry: Path) -> None:
    first = weights.pull(in_wheels)
    for file in registry.iterdir():
        file.unlink()
    assert weights.pull(in_wheels) == first


def test_an_interrupted_pull_goes_on_after_its_last_whole_part(in_wheels: Weights, registry: Path) -> None:
    weights.folder().mkdir(parents=True)
    (weights.folder() / "test.partial").write_bytes(PIECES[0] + PIECES[1][:77])
    (registry / "piece_part1-1.0-py3-none-any.whl").unlink()
    assert weights.pull(in_wheels).read_bytes() == WHOLE


def test_a_part_that_the_registry_lacks_leaves_nothing_that_counts_as_installed(
    in_wheels: Weights, registry: Path
) -> None:
    (registry / "piece_part5-1.0-py3-none-any.whl").unlink()
    with pytest.raises(UnreachableError, match=r"piece-part5==1\.0"):
        weights.pull(in_wheels)
    assert leftovers() == {"test.partial", "test.lock"}


def test_a_wheel_with_other_bytes_than_pinned_is_not_used(in_wheels: Weights, registry: Path) -> None:
    wheel(registry, 2, b"evil " * 6_000)
    with pytest.raises(InputError, match="other bytes than the pinned ones") as caught:
        weights.pull(in_wheels)
    assert not isinstance(caught.value, UnreachableError)
    assert leftovers() == {"test.partial", "test.lock"}


def test_a_joined_file_with_another_hash_is_deleted(in_wheels: Weights) -> None:
    with pytest.raises(InputError, match="it was deleted"):
        weights.pull(replace(in_wheels, sha256="0" * 64))
    assert leftovers() == {"test.lock"}


def test_a_disk_without_room_is_said_before_anything_is_fetched(in_wheels: Weights) -> None:
    with pytest.raises(InputError, match=r"needs .* MB in .* MB free; make room"):
        weights.pull(replace(in_wheels, size=10**18))
    assert leftovers() == {"test.lock"}


def test_a_python_without_pip_is_told_what_to_do(in_wheels: Weights, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pip", None)
    with pytest.raises(InputError, match=r"no pip.*ensurepip.*--source hub"):
        weights.pull(in_wheels)


def _pull_to(folder: str, parts: Weights) -> None:
    path = weights.pull(parts)
    Path(folder, f"{multiprocessing.current_process().pid}.sha256").write_text(
        hashlib.sha256(path.read_bytes()).hexdigest()
    )


def test_two_processes_that_pull_at_once_both_get_the_whole_file(in_wheels: Weights, tmp_path: Path) -> None:
    done = tmp_path / "done"
    done.mkdir()
    context = multiprocessing.get_context("spawn")
    pulls = [context.Process(target=_pull_to, args=(str(done), in_wheels)) for _ in range(2)]
    for pull in pulls:
        pull.start()
    for pull in pulls:
        pull.join(60)
    assert [pull.exitcode for pull in pulls] == [0, 0]
    assert [file.read_text() for file in done.iterdir()] == [in_wheels.sha256] * 2


class Hub(http.server.BaseHTTPRequestHandler):
    """A model hub that gives the rest of the file, in as many bytes as `drop_after` allows."""

    drop_after = len(WHOLE)
    knows_ranges = True
    asked: list[str] = []

    def do_GET(self) -> None:
        begin = int(self.headers["Range"].removeprefix("bytes=").removesuffix("-")) if self.knows_ranges else 0
        self.asked.append(self.headers["Range"])
        self.send_response(206 if self.knows_ranges else 200)
        self.send_header("Content-Length", str(len(WHOLE) - begin))
        self.end_headers()
        self.wfile.write(WHOLE[begin : begin + self.drop_after])

    def log_message(self, *args: object) -> None:
        """Quiet."""


@pytest.fixture
def hub(request: pytest.FixtureRequest) -> Iterator[Weights]:
    traits = {"asked": [], **getattr(request, "param", {})}
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), type("ThisHub", (Hub,), traits))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    part = Part(wheel="none==1", sha256="0" * 64, member="none", size=len(WHOLE))
    yield pinned((part,), hub=f"http://127.0.0.1:{server.server_port}/test.gguf")
    server.shutdown()
    server.server_close()


def test_a_hub_gives_the_same_file(hub: Weights) -> None:
    assert weights.pull(hub, source="hub").read_bytes() == WHOLE


@pytest.mark.parametrize("hub", [{"drop_after": 70_000}], indirect=True, ids=["drops after 70 kB"])
def test_a_hub_that_drops_the_connection_is_resumed(hub: Weights) -> None:
    with pytest.raises(UnreachableError, match=r"stopped after 70000 bytes; .* what came is kept"):
        weights.pull(hub, source="hub")
    assert weights.pull(hub, source="hub").read_bytes() == WHOLE


@pytest.mark.parametrize("hub", [{"knows_ranges": False}], indirect=True, ids=["no ranges"])
def test_a_hub_that_does_not_know_ranges_starts_again(hub: Weights) -> None:
    weights.folder().mkdir(parents=True)
    (weights.folder() / "test.partial").write_bytes(WHOLE[:1000])
    assert weights.pull(hub, source="hub").read_bytes() == WHOLE


def test_weights_that_no_hub_has_are_refused_there(in_wheels: Weights) -> None:
    with pytest.raises(InputError, match="no model hub is known"):
        weights.pull(in_wheels, source="hub")


def test_an_unknown_name_is_answered_with_the_known_ones() -> None:
    with pytest.raises(InputError, match=r"'gpt'; known are qwen2.5-coder-1.5b, smollm2-135m"):
        weights.installed("gpt")


def test_a_file_of_another_size_does_not_count_as_installed() -> None:
    weights.folder().mkdir(parents=True)
    file = weights.folder() / weights.named("smollm2-135m").file
    file.write_bytes(b"half")
    assert weights.installed("smollm2-135m") is None


@pytest.mark.parametrize("name", weights.known())
def test_the_pins_are_whole(name: str) -> None:
    pins = weights.named(name)
    assert sum(part.size for part in pins.parts) == pins.size
    assert len({part.wheel for part in pins.parts}) == len(pins.parts)
    assert all(len(digest) == 64 for digest in [pins.sha256, *(part.sha256 for part in pins.parts)])
    assert all(Path(part.member).suffix in {".bin", ".gguf"} and "==" in part.wheel for part in pins.parts)
