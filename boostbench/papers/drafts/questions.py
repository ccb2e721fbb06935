"""Questions on a new paper: answered in the terminal or beforehand, or left open as TODO lines."""

import contextlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from boostbench.data.cards import Card, Catalog
from boostbench.data.splits import SplitRule
from boostbench.errors import ConfigError, DataError
from boostbench.methods import method_names
from boostbench.papers.design import Design
from boostbench.papers.drafts.draft import (
    TIME_METRICS,
    TODO,
    Draft,
    DraftCell,
    DraftDataset,
    DraftMetric,
)
from boostbench.papers.drafts.names import identifier, is_average, proposed_average
from boostbench.papers.metrics import METRICS
from boostbench.papers.reading import MEAN_RANK, MEANS
from boostbench.suggest import did_you_mean

YES, NO = "yes", "no"


@dataclass(frozen=True)
class Question:
    """A question: its key, its text, and the answers that it takes, if these are limited.

    ``proposal`` is what an empty answer means in a terminal. ``wrong`` returns what is wrong with
    an answer, "" if nothing is.
    """

    key: str
    text: str
    choices: Sequence[str] = ()
    proposal: str = ""
    wrong: Callable[[str], str] = lambda answer: ""

    @property
    def line(self) -> str:
        """The question on one line."""
        choices = f" ({', '.join(self.choices)})" if self.choices else ""
        return f"{self.text}{choices}"

    def completed(self, given: str) -> str:
        """Return the choice that begins with an answer, else the answer; ValueError if wrong."""
        given = given.strip()
        if self.choices:
            fits = [choice for choice in self.choices if choice.startswith(given.lower())]
            exact = [choice for choice in fits if choice == given.lower()]
            if not given or len(exact or fits) != 1:
                hint = did_you_mean(given, self.choices)
                raise ValueError(f"'{given}' is none of {', '.join(self.choices)}{hint}")
            return (exact or fits)[0]
        if problem := self.wrong(given):
            raise ValueError(problem)
        return given


@dataclass
class Answers:
    """Answers to the questions: ``given`` beforehand by key, else from ``prompt``, if any."""

    given: Mapping[str, str] = field(default_factory=dict)
    prompt: Callable[[Question, str], str] | None = None
    answered: list[tuple[Question, str]] = field(default_factory=list)
    unanswered: list[Question] = field(default_factory=list)

    def ask(self, question: Question) -> str:
        """Return the answer to a question, TODO if there is none; ConfigError if it is wrong.

        A question whose key has been asked before has the same answer.
        """
        earlier = {each.key: answer for each, answer in self.answered}
        earlier |= {each.key: TODO for each in self.unanswered}
        if question.key in earlier:
            return earlier[question.key]
        if question.key in self.given:
            try:
                answer = question.completed(self.given[question.key])
            except ValueError as error:
                raise ConfigError(f"--answer {question.key}: {error}") from None
        elif self.prompt is None:
            self.unanswered.append(question)
            return TODO
        else:
            answer = self._from_prompt(self.prompt, question)
            if self.prompt is None:
                return TODO
        self.answered.append((question, answer))
        return answer

    def _from_prompt(self, prompt: Callable[[Question, str], str], question: Question) -> str:
        problem = ""
        while True:
            try:
                given = prompt(question, problem)
            except EOFError:  # the terminal is gone: this one and all others stay open
                self.prompt = None
                self.unanswered.append(question)
                return TODO
            try:
                return question.completed(given or question.proposal)
            except ValueError as error:
                problem = str(error)

    def check_all_used(self) -> None:
        """Raise ConfigError for an answer to what was not asked."""
        asked = [question.key for question, _ in self.answered]
        for key in self.given:
            if key not in asked:
                hint = did_you_mean(key, asked)
                raise ConfigError(
                    f"--answer {key}: nothing is asked under that name{hint}; asked were "
                    f"{', '.join(asked) or 'no others'}"
                )


# -- the questions that every new paper raises -----------------------------------------------------


NOT_STATED = "not stated"
NONE = "none"
_DIVISION = re.compile(
    r"(kfold|stratified|shuffle) (\d+)( 0?\.\d+)?(?: partitions (\d+))?(?: seeds (\d+))?"
)


def not_empty(answer: str) -> str:
    """Return what is wrong with an empty answer."""
    return "" if answer else "an answer is needed"


def not_a_name(answer: str) -> str:
    """Return what is wrong with an answer that is no identifier."""
    is_name = re.fullmatch(r"[a-z][a-z0-9_]*", answer)
    return "" if is_name else "a name has small letters, digits and underscores, such as rmse"


def ask_title(draft: Draft, answers: Answers) -> None:
    """Ask for the title and the authors, where the source does not say them."""
    if draft.title == TODO:
        draft.title = answers.ask(Question("title", "the title of the paper", wrong=not_empty))
    if draft.authors == TODO:
        draft.authors = answers.ask(Question("authors", "its authors", wrong=not_empty))


def ask_division(draft: Draft, answers: Answers) -> None:
    """Ask how the rows were divided or, where that is not stated, how many runs there were."""
    text = (
        "how were the rows divided: 'shuffle 20 0.1' (20 random splits, a tenth for tests), "
        "'kfold 10', 'stratified 10 partitions 10', each also with 'seeds 5', or 'not stated'"
    )
    answer = answers.ask(Question("division", text, wrong=_no_division))
    draft.design, draft.is_design_open = design_of(answer), answer == TODO
    if answer == NOT_STATED:
        draft.runs = answers.ask(Question("runs", "of how many runs is a mean", wrong=_no_count))


def design_of(answer: str) -> Design | None:
    """Return the design that an answer states, ``None`` if it states none."""
    found = _DIVISION.fullmatch(answer)
    if found is None:
        return None
    split, folds, share, partitions, seeds = found.groups()
    rule = SplitRule(split, int(folds), float(share) if share else None)
    return Design(rule, int(seeds or 1), partitions=int(partitions or 1))


def _no_division(answer: str) -> str:
    if answer == NOT_STATED:
        return ""
    design = design_of(answer)
    if design is None:
        return f"'{answer}' is no division; write it as in the question"
    rule = design.split
    if rule.split == "shuffle" and not 0 < (rule.test_size or 0) < 1:
        return "random splits need the share of test rows, as in 'shuffle 20 0.1'"
    if rule.makes_folds and (rule.test_size is not None or rule.folds < 2):
        return "folds are two or more, and have no share of test rows"
    return "" if design.runs >= 1 else "there must be at least one split"


def _no_count(answer: str) -> str:
    is_count = answer.isdigit() and int(answer) > 0
    return "" if is_count else f"'{answer}' is no number of runs; write one such as 10"


def ask_metrics(names: Sequence[str], answers: Answers) -> list[DraftMetric]:
    """Return the metrics of the tables; of those that are not known here, ask what they are."""
    found = []
    for name in dict.fromkeys(names):
        if name in TIME_METRICS:
            continue
        if name in METRICS or name == TODO:
            found.append(DraftMetric(name))
            continue
        text = f"{name}: is the greater or the smaller value the better one?"
        better = answers.ask(Question(f"{name}.better", text, ("greater", "smaller")))
        text = f"{name}: its function, as module:function, or the name of a scikit-learn scorer"
        function = answers.ask(Question(f"{name}.function", text, wrong=_no_function))
        found.append(DraftMetric(name, False, better, function))
    return found


def _no_function(answer: str) -> str:
    from sklearn.metrics import get_scorer_names

    if re.fullmatch(r"[\w.]+:[\w.]+", answer) or answer in get_scorer_names():
        return ""
    return f"'{answer}' is no module:function{did_you_mean(answer, get_scorer_names())}"


def ask_units(draft: Draft, answers: Answers) -> None:
    """Ask in which unit errors are, where the metric is in the target's."""
    metric = METRICS.get(draft.metric)
    if metric is not None and metric.of_target:
        text = f"is the {draft.metric} in the target's own unit (not in that of a scaled target)?"
        answer = answers.ask(Question("units", text, (YES, NO), YES))
        draft.units = {YES: "original", NO: "scaled"}.get(answer, TODO)


def ask_cards(datasets: Sequence[DraftDataset], answers: Answers) -> None:
    """Ask which data sets are those of cards, and give the others names that no card has."""
    cards = _cards()
    proposals = {data.name: name for data in datasets if (name := _proposed_card(data, cards))}
    if proposals:
        shown = ", ".join(_in_words(name, cards[card]) for name, card in proposals.items())
        text = f"are these the same data as those of the cards: {shown}? yes, no, or which of them"
        question = Question("cards", text, (), YES, lambda answer: _no_names(answer, proposals))
        answer = answers.ask(question)
        chosen = _chosen(answer, proposals)
        for data in datasets:
            data.card = proposals[data.name] if data.name in chosen else ""
    for data in datasets:
        if not data.card and data.name in Catalog().names:
            data.name = f"{data.name}_{data.n_samples or 'printed'}"


def _chosen(answer: str, proposals: Mapping[str, str]) -> list[str]:
    if answer == YES:
        return list(proposals)
    return [] if answer in (NO, TODO) else [name.strip() for name in answer.split(",")]


def _no_names(answer: str, proposals: Mapping[str, str]) -> str:
    wrong = [name for name in _chosen(answer, proposals) if name not in proposals]
    return f"'{wrong[0]}' is none of {', '.join(proposals)}" if wrong else ""


def _cards() -> dict[str, Card]:
    """Return the cards by name, without those that are wrong."""
    catalog = Catalog()
    cards = {}
    for name in catalog.names:
        with contextlib.suppress(ConfigError, DataError):
            cards[name] = catalog.card(name)
    return cards


def _in_words(name: str, card: Card) -> str:
    return f"{name}: {card.name} ({card.n_samples:,} rows, {card.n_features} features)"


def _proposed_card(data: DraftDataset, cards: Mapping[str, Card]) -> str:
    """Return the card of a data set's name or, if there is only one, of its printed sizes."""
    same_size = []
    for name, card in cards.items():
        sizes = str(card.n_samples), str(card.n_features)
        is_named = identifier(name).replace("_", "") == data.name.replace("_", "")
        if is_named and (data.n_samples or sizes[0]) == sizes[0]:
            return name
        if (data.n_samples, data.n_features) == sizes:
            same_size.append(name)
    return same_size[0] if len(same_size) == 1 else ""


def ask_methods(draft: Draft, answers: Answers) -> None:
    """Ask which methods the experiment runs, if any of the data are here, and beside which one."""
    if not any(data.card for data in draft.datasets):
        return
    text = "which methods are run, with commas (boostbench list methods)"
    answer = answers.ask(Question("measured", text, wrong=_no_methods))
    draft.methods = [name.strip() for name in answer.split(",")]
    printed = list(draft.printed_names)
    if printed and answer != TODO:
        text = "beside which printed method are they shown"
        answer = answers.ask(Question("beside", text, (*printed, NONE), NONE))
        draft.beside = "" if answer in (NONE, TODO) else answer


def _no_methods(answer: str) -> str:
    names = [name.strip() for name in answer.split(",")]
    wrong = [name for name in names if name not in method_names()]
    hint = did_you_mean(wrong[0], method_names()) if wrong else ""
    return f"there is no method '{wrong[0]}'{hint}" if wrong else ""


LEAVE_OUT = "leave out"


def average_of(cell: DraftCell, draft: Draft, answers: Answers) -> DraftCell:
    """Return a cell with the name of its average, without any if it is left out.

    A cell of a data set is returned as it is.
    """
    if not is_average(cell.dataset):
        return cell
    proposal = proposed_average(cell.dataset)
    shown = "" if proposal == MEAN_RANK else _recomputed(cell, draft.cells)
    text = f"'{cell.dataset}': an average of what?{shown}"
    key = f"average.{identifier(cell.dataset)}"
    answer = answers.ask(Question(key, text, (*MEANS, LEAVE_OUT), proposal))
    name = "" if answer == LEAVE_OUT else answer
    return replace(cell, dataset=name, spread="")


def _recomputed(cell: DraftCell, cells: Sequence[DraftCell]) -> str:
    """Return in words the mean of the printed values that a cell may be the average of."""
    own = cell.table, cell.method, cell.metric
    values = [
        float(each.value)
        for each in cells
        if (each.table, each.method, each.metric) == own and not is_average(each.dataset)
    ]
    if not values:
        return ""
    mean = sum(values) / len(values)
    return (
        f" The arithmetic mean of the {len(values)} values of {cell.method} is {mean:.4g}, "
        f"printed is {cell.value}."
    )
