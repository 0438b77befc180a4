"""What the documentation shows in Python runs as it stands."""

import re

import pytest


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_guide_runs_from_top_to_bottom(root, monkeypatch, capsys):
    monkeypatch.chdir(root)
    blocks = re.findall(r"```python\n(.*?)```", (root / "docs" / "python.md").read_text(), re.S)
    assert len(blocks) >= 8
    names = {}
    for block in blocks:
        exec(compile(block, "docs/python.md", "exec"), names)
    printed = capsys.readouterr().out
    assert "1 0.35" in printed and "monolithic" in printed
