"""A statistic is described once: nobody else fills estimates by hand, or asks which statistic it is."""

import ast
from collections import defaultdict

from puremetrics.results import Estimate
from puremetrics.statistics import Statistic, catalogue
from tests.project.source import ROOT, every_import, files, name_of, targets, tree_of

HOME = "results/estimate.py"
MOST_MODULES, MOST_WITH_ONE_READER = 248, 50  # 12 of them are the kinds of evidence
NAMED = {"name", "statistic", "asked", "target", "objective", "score", "measure", "metric"}
# Comparisons with a name that are there still, and why. Whoever takes one away takes it out here.
catalogue.names()  # loads every kind of statistic


def place_of(path):
    return path.relative_to(ROOT).as_posix()


def kinds_of(base):
    return {base, *(kind for below in base.__subclasses__() for kind in kinds_of(below))}


def named(node):
    """The last word of a name: "f" of ``f`` and of ``module.f``."""
    return getattr(node, "id", getattr(node, "attr", None))


def called(node):
    """The name of what is called; None if it is no call."""
    return named(node.func) if isinstance(node, ast.Call) else None


def filled_by_hand(tree):
    """Calls of the class of an estimate, which `Estimate.of` is there for."""
    kinds = {kind.__name__ for kind in kinds_of(Estimate)}
    for node in ast.walk(tree):
        if called(node) in kinds:
            yield node
        if isinstance(node, ast.ClassDef) and kinds & {node.name, *map(named, node.bases)}:
            yield from (part for part in ast.walk(node) if called(part) == "cls")


def asked_for_its_kind(tree):
    """``isinstance`` against a kind of statistic; against `Statistic` itself it may be asked."""
    kinds = {kind.__name__ for kind in kinds_of(Statistic)} - {"Statistic"}
    for node in ast.walk(tree):
        asks = called(node) in ("isinstance", "issubclass") and len(node.args) == 2
        if asks and kinds & set(map(named, ast.walk(node.args[1]))):
            yield node


def is_a_name(node):
    """Whether a part of a comparison is the name of a statistic, by what it is called."""
    if isinstance(node, ast.Attribute):
        return node.attr == "name"
    return isinstance(node, ast.Name) and node.id in NAMED


def compared_by_name(tree):
    """Comparisons of a name, or of a variable that is one, with names of statistics."""
    known = set(catalogue._BUILDERS)
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            texts = {n.value for n in ast.walk(node) if isinstance(n, ast.Constant)}
            if any(map(is_a_name, sides)) and known & texts:
                yield node
        if isinstance(node, ast.Match) and is_a_name(node.subject):
            values = (n.value for n in ast.walk(node) if isinstance(n, ast.MatchValue))
            if known & {getattr(value, "value", None) for value in values}:
                yield node.subject


def elsewhere(found, *homes):
    return [
        f"{place_of(path)}: {ast.unparse(node)}"
        for path in files()
        if not place_of(path).startswith(homes)
        for node in found(tree_of(path))
    ]


def test_only_estimates_themselves_fill_one_in():
    wrong = elsewhere(filled_by_hand, HOME)
    assert not wrong, "use Estimate.of or dataclasses.replace:\n" + "\n".join(wrong)
    assert len(list(filled_by_hand(tree_of(ROOT / HOME)))) == 1


def test_nobody_asks_what_kind_of_statistic_it_is():
    wrong = elsewhere(asked_for_its_kind, "statistics/")
    assert not wrong, "let the statistic say it:\n" + "\n".join(wrong)


def test_nobody_asks_what_a_statistic_is_called():
    wrong = elsewhere(compared_by_name, "statistics/")
    assert not wrong, "let the statistic say it:\n" + "\n".join(wrong)


def test_what_is_looked_for_is_found():
    by_name = [
        "asked.name == 'roc_auc'",
        "statistic in ('f1', 'other')",
        "'recall' != statistic.name",
        "name not in ['pulp']",
    ]
    for text in by_name:
        assert [ast.unparse(n) for n in compared_by_name(ast.parse(text))] == [text]
    switch = "match asked.name:\n case 'f1':\n  pass"
    assert len(list(compared_by_name(ast.parse(switch)))) == 1
    for text in ("'recall' in model.corrected", "key != 'f1'", "asked.name == other.name"):
        assert not list(compared_by_name(ast.parse(text)))
    for text in ("isinstance(x, RocAuc)", "isinstance(x, str | risks.Risk)"):
        assert [ast.unparse(n) for n in asked_for_its_kind(ast.parse(text))] == [text]
    assert not list(asked_for_its_kind(ast.parse("isinstance(x, Statistic)")))
    for text in ("Estimate('a', 1)", "results.Estimate()", "RankingEstimate(name='a')"):
        assert [ast.unparse(n) for n in filled_by_hand(ast.parse(text))] == [text]
    inside = "class More(Estimate):\n def of(cls):\n  return cls(1)"
    assert [ast.unparse(n) for n in filled_by_hand(ast.parse(inside))] == ["cls(1)"]
    assert not list(filled_by_hand(ast.parse("Estimate.of(a, 1), PriorEstimate(0.2)")))


def readers():
    """Who imports each module, anywhere in their files."""
    found = defaultdict(set)
    for path in files():
        own = name_of(path)
        for node in every_import(tree_of(path)):
            for name in targets(node):
                if name not in ("", own):
                    found[name].add(own)
    return found


def test_there_are_not_too_many_modules():
    assert len(files()) <= MOST_MODULES, f"{len(files())} modules: put some together"


def test_few_modules_have_one_reader_only():
    alone = {name: by for name, by in readers().items() if len(by) == 1}
    told = "\n".join(f"{name}, for {by.pop() or 'the package'}" for name, by in alone.items())
    assert len(alone) <= MOST_WITH_ONE_READER, f"{len(alone)} modules have one reader:\n{told}"
