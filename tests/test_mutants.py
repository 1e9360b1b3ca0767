"""The sampler of mutants itself: `python -m tools.mutants` runs the tests against them."""

import ast

import pytest

from tools.mutants import GAMES, chapters, mutants_of, name_of, sample


@pytest.mark.parametrize("game", GAMES)
def test_every_mutant_is_python_with_one_error(game):
    for path in chapters(game):
        whole = ast.unparse(ast.parse(path.read_text(encoding="utf-8")))
        mutants = mutants_of(path)
        assert mutants
        for mutant in mutants[:: max(1, len(mutants) // 20)]:
            assert mutant.file == name_of(path)
            assert mutant.source != whole
            compile(mutant.source, mutant.file, "exec")


@pytest.mark.parametrize("game", GAMES)
def test_a_sample_depends_on_its_seed_alone_and_spreads_over_the_chapters(game):
    mutants = sample(game, 60, seed=1)
    assert mutants == sample(game, 60, seed=1) != sample(game, 60, seed=2)
    assert len({mutant.file for mutant in mutants}) > len(chapters(game)) / 2
    assert len({(mutant.line, mutant.reads) for mutant in mutants}) > 50
