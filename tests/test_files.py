"""Files are whole or not there, whoever else writes, and whatever fails is said."""

import os
import stat
import threading

import numpy as np
import pytest

from crowdwise import InputError
from crowdwise.files import read_arrays, whole_file, write_arrays


def test_writers_of_one_name_do_not_share_a_file(tmp_path):
    """Twenty writers at once: the file is one of theirs, whole, and nothing is left beside it."""
    path = tmp_path / "labels.csv"
    texts = [f"{n}" * 200_000 for n in range(20)]

    def write(text):
        with whole_file(path) as file:
            for piece in range(0, len(text), 10_000):
                file.write(text[piece : piece + 10_000].encode())

    threads = [threading.Thread(target=write, args=[text]) for text in texts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert path.read_text() in texts and os.listdir(tmp_path) == ["labels.csv"]


@pytest.mark.parametrize(
    ("error", "said"),
    [(OSError(28, "No space left on device"), "No space left on device"), (MemoryError(), "MemoryError"),
     (ValueError("a cell of 3 GB"), "a cell of 3 GB"), (TypeError("no text"), "no text")],
)  # fmt: skip
def test_what_fails_is_said_and_the_old_file_stays(tmp_path, error, said):
    path = tmp_path / "labels.csv"
    path.write_text("before")
    with pytest.raises(InputError, match=rf"labels\.csv cannot be written: {said}"), whole_file(path) as file:
        file.write(b"half of ")
        raise error
    assert path.read_text() == "before" and os.listdir(tmp_path) == ["labels.csv"]


def test_interrupted_writing_leaves_nothing(tmp_path):
    with pytest.raises(KeyboardInterrupt), whole_file(tmp_path / "x") as file:
        file.write(b"half")
        raise KeyboardInterrupt
    assert os.listdir(tmp_path) == []
    with (
        pytest.raises(InputError, match="cannot be written: No such file or directory"),
        whole_file(tmp_path / "no" / "x"),
    ):
        pass
    with pytest.raises(InputError, match="cannot be written: Is a directory"), whole_file(tmp_path):
        pass


def test_modes_links_and_pipes(tmp_path):
    path, link = tmp_path / "private.csv", tmp_path / "link.csv"
    path.write_text("old")
    path.chmod(0o600)
    link.symlink_to(path)
    with whole_file(link) as file:
        file.write(b"new")
    assert link.is_symlink() and path.read_text() == "new" and stat.S_IMODE(path.stat().st_mode) == 0o600
    fresh = tmp_path / "fresh.csv"
    with whole_file(fresh) as file:
        file.write(b"x")
    assert stat.S_IMODE(fresh.stat().st_mode) == stat.S_IMODE(_usual(tmp_path).st_mode)
    pipe, got = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
    reader.start()
    with whole_file(pipe) as file:
        file.write(b"through")
    reader.join()
    assert got == [b"through"] and stat.S_ISFIFO(pipe.stat().st_mode)


def _usual(folder):
    (folder / "plain").write_text("")
    return (folder / "plain").stat()


def test_arrays_and_what_is_none(tmp_path):
    write_arrays(tmp_path / "a.npz", {"n": np.int64(3), "list": np.arange(2)}, {"x": np.ones(2)})
    arrays, header = read_arrays(tmp_path / "a.npz", "a file of arrays")
    assert header == {"n": 3, "list": [0, 1]} and arrays["x"].tolist() == [1.0, 1.0]
    with pytest.raises(InputError, match="cannot be saved: give numbers, words and lists"):
        write_arrays(tmp_path / "b.npz", {"n": object()}, {})
    assert not (tmp_path / "b.npz").exists()
