"""Questions on a new paper: answered in the terminal or beforehand, or left open as TODO lines."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from boostbench.errors import ConfigError
from boostbench.suggest import did_you_mean

TODO = "TODO"
"""The answer to a question that nobody has answered."""
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
