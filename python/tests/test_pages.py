"""What the documentation shows in Python runs as it stands."""

import ast
import json
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


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_tutorial_runs_cell_by_cell(root, monkeypatch, capsys):
    monkeypatch.chdir(root / "python")
    notebook = json.loads((root / "python" / "tutorial.ipynb").read_text())
    names = {"__name__": "__main__"}
    shown = []
    for number, cell in enumerate(notebook["cells"]):
        if cell["cell_type"] != "code":
            continue
        # as a notebook does: the value of the last line is shown
        lines = ast.parse("".join(cell["source"]), f"cell {number}")
        last = lines.body.pop() if isinstance(lines.body[-1], ast.Expr) else None
        exec(compile(lines, f"cell {number}", "exec"), names)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), f"cell {number}", "eval"), names)
            shown.append(value._repr_html_() if hasattr(value, "_repr_html_") else repr(value))
    assert any("<iframe" in text for text in shown)
    assert "sequential" in capsys.readouterr().out
