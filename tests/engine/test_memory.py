"""Memory is what is at hand: no more than a container allows."""

from crowdwise.engine.memory import PLENTY, _of_group, available_memory


def test_limits_of_containers(tmp_path):
    assert _of_group(tmp_path) == PLENTY
    (tmp_path / "memory.max").write_text("max\n")
    (tmp_path / "memory.current").write_text("100\n")
    assert _of_group(tmp_path) == PLENTY
    (tmp_path / "memory.max").write_text("1000\n")
    assert _of_group(tmp_path) == 900
    (tmp_path / "memory.stat").write_text("anon 60\nactive_file 20\ninactive_file 10\n")
    assert _of_group(tmp_path) == 930
    assert 0 < available_memory() < PLENTY


def test_older_groups(tmp_path):
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory" / "memory.limit_in_bytes").write_text("500")
    (tmp_path / "memory" / "memory.usage_in_bytes").write_text("200")
    assert _of_group(tmp_path) == 300
