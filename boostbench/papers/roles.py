"""Which methods of an experiment play the roles that a paper's claims and columns name.

A role is played by the methods with its parameters. Each method plays one role and each role has
one method, unless a role names others as its ``parts``: anything else is an error.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

from boostbench.errors import ConfigError
from boostbench.estimators import path_parts
from boostbench.grouping import first_of_each, grouped
from boostbench.methods import ResolvedMethod, changed_params, known_params, registered_name
from boostbench.papers.paper import Paper
from boostbench.papers.planned import PlannedMethod
from boostbench.papers.settings import USUAL, Conditions, Setting, Value, kept, value_of
from boostbench.suggest import listing
from boostbench.values import Record

RoleKeys = Mapping[str, object]
"""A role as it is in the paper's file: ``method`` or ``estimator``, and parameters."""
ANY = "any"
ROLE_KEYS = ("method", "estimator", "chosen", "rounds", "parts")
"""The keys of a role that are no parameters."""
_CHOSEN = object()


def methods_in_paper(
    methods: Sequence[ResolvedMethod], experiment: Record, paper: Paper | None
) -> list[PlannedMethod]:
    """Return the methods of an experiment, as JSON values, as its paper knows them."""
    entries = {entry["name"]: entry for entry in experiment["methods"]}
    recorded = experiment["own_estimators"]
    conditions = USUAL if paper is None else paper.conditions
    free = [name for each in conditions.values() for name in each.parameters]
    known = []
    for each in methods:
        registered = registered_name(each.label, entries.get(each.label))
        plays = str(entries.get(each.label, {}).get("plays") or "")
        method = PlannedMethod(
            **vars(each),
            registered=plays or registered,
            plays=plays,
            changed={
                **changed_params(registered, each.params, each.choose, free),
                **(_changed_choice(each) if registered else {}),
            },
        )
        own = recorded.get(each.label, {})
        method = method if paper is None else in_paper(paper, method, own)
        known.append(replace(method, conditions=_conditions_of(method, paper, conditions)))
    return known


def _conditions_of(
    method: PlannedMethod, paper: Paper | None, conditions: Conditions
) -> dict[str, Value]:
    """Return the values of conditions that a method has as parameters."""
    names = [method.registered, *(roles_of(paper, method) if paper else ())]
    names += [paper.names[name] for name in names if name in paper.names] if paper else []
    values = {}
    for name, condition in conditions.items():
        parameter = condition.parameter(names)
        given = method.params.get(parameter, method.defaults.get(parameter))
        value = None if parameter in method.choose else value_of(given)
        if parameter and (known := condition.default if value is None else value) is not None:
            values[name] = known
    return values


def _changed_choice(method: ResolvedMethod) -> dict[str, object]:
    """Return how values are chosen otherwise than by the least error on a part of the rows."""
    changed: dict[str, object] = {}
    if method.choose_by:
        changed["choose by"] = method.choose_by
    if method.choose_folds:
        changed["choose folds"] = method.choose_folds
    return changed


def in_paper(paper: Paper, method: PlannedMethod, recorded: Record) -> PlannedMethod:
    """Return a method of an experiment as a paper knows it.

    A registered name is that of the first role of an own estimator. ``recorded`` says what is known
    of an own estimator, see ``known_params``.
    """
    if method.plays:
        return method
    is_own = not method.registered
    if paper.roles or paper.rounds or _asks_for_defaults(paper):
        known = recorded if is_own else known_params(method.estimator, method.registered)
        defaults, rounds = known.get("defaults", {}), str(known.get("rounds", ""))
        method = replace(method, defaults=defaults, rounds_parameter=rounds)
    method = replace(method, is_own=is_own)
    if is_own:
        return replace(method, registered=next(iter(roles_of(paper, method)), ""))
    # The paper's method of that name is another one.
    is_other = "estimator" in paper.roles.get(method.registered, {})
    return replace(method, registered="", is_own=True) if is_other else method


def _asks_for_defaults(paper: Paper) -> bool:
    """Return whether the values of conditions may be defaults of parameters."""
    own = paper.conditions.values() if paper.conditions != USUAL else ()
    return any(each.param and each.default is None for each in own)


def roles_of(paper: Paper, method: PlannedMethod) -> list[str]:
    """Return the roles that a method fits, in the order of the paper's file.

    A registered method has the role of its own name too, unless the paper defines that. One that
    others ran has the role that they name, and those of which that is a part.
    """
    if method.plays:
        return [r for r in _roles(paper) if method.plays in (r, *parts_of(paper, r))]
    return [role for role, wanted in _roles(paper).items() if _fits(paper, role, wanted, method)]


def roles_at(
    paper: Paper, methods: Sequence[PlannedMethod], setting: Setting | None = None
) -> dict[str, PlannedMethod]:
    """Return the method that plays each role in a setting, by default in whatever setting.

    Of several that fit a role, it is that of the first of its ``parts``.
    """
    players = {}
    for role, own in _fitting(paper, methods).items():
        here = [m for m in own if setting is None or _is_at(paper, role, m, setting)]
        if here:
            players[role] = min(here, key=lambda method: _place_in_parts(paper, role, method))
    return players


def check_roles(paper: Paper, methods: Sequence[PlannedMethod]) -> None:
    """Raise ConfigError for methods that fit one role, and for a method that fits several."""
    wrong = [
        f"the methods {_quoted(labels)} fit one role '{role}' of the paper {paper.key}: give that "
        "role the parameters by which they differ, or leave all but one of them out"
        for role, labels in _rivals(paper, methods)
    ]
    for method in methods:
        own = [pair for pair in combinations(roles_of(paper, method), 2) if _apart(paper, *pair)]
        names = list(dict.fromkeys(role for pair in own for role in pair))
        if names:
            wrong.append(
                f"the method '{method.label}' fits the roles {_quoted(names)} of the paper "
                f"{paper.key}: give them parameters by which they differ, or name one of them in "
                "the `parts` of the other"
            )
    if wrong:
        raise ConfigError("\n".join(wrong))


def unplayed(paper: Paper, methods: Sequence[PlannedMethod]) -> list[str]:
    """Return in sentences which roles of a paper no method plays, and what keeps one from it."""
    played = _fitting(paper, methods)
    reasons = {**_kept_out(paper, methods, _too_few_rounds), **changed(paper, methods)}
    reasons |= {role: "" for role in paper.roles if role not in {*played, *reasons}}
    by_reason = grouped((why, role) for role, why in reasons.items())
    return [
        f"no method plays the {'roles' if roles[1:] else 'role'} {_quoted(roles)} of the paper"
        f"{why and f': {why}'}"
        for why, roles in by_reason.items()
    ]


def changed(paper: Paper, methods: Sequence[PlannedMethod]) -> dict[str, str]:
    """Return why roles have no method, where it is for parameters of which they say nothing."""
    return _kept_out(paper, methods, _changes)


def _kept_out(
    paper: Paper,
    methods: Sequence[PlannedMethod],
    why: Callable[[Paper, RoleKeys, PlannedMethod], str],
) -> dict[str, str]:
    """Return the roles that no method plays though one has their parameters, each with why."""
    played = _fitting(paper, methods)
    reasons = first_of_each(
        (role, why(paper, wanted, method))
        for role, wanted in _roles(paper).items()
        for method in methods
        if role not in played and _has_all(role, wanted, method)
    )
    return {role: text for role, text in reasons.items() if text}


def unknown_rounds(paper: Paper, methods: Sequence[PlannedMethod]) -> list[str]:
    """Return which methods in roles may have fewer rounds than the paper's, in a sentence."""
    unknown = [
        method.label
        for method in methods
        if paper.rounds and method.is_own and not method.rounds_parameter
        if roles_of(paper, method)
    ]
    if not unknown:
        return []
    return [
        f"not checked for the paper's {paper.rounds} rounds: {listing(unknown)}, whose class does "
        "not name the parameter with their number, as its attribute `rounds_parameter`"
    ]


def overlaps(paper: Paper) -> list[tuple[str, str]]:
    """Return the pairs of roles that one method could play, though neither is part of the other."""
    roles = _roles(paper)
    return [
        (one, other)
        for one, other in combinations(roles, 2)
        if _apart(paper, one, other)
        and _subject(one, roles[one]) == _subject(other, roles[other])
        and not _exclude_each_other(roles[one], roles[other])
    ]


def _roles(paper: Paper) -> dict[str, RoleKeys]:
    """Return the paper's roles, and those of registered methods by their own names."""
    own = {name: {"method": name} for name in paper.method_names if name not in paper.roles}
    return {**paper.roles, **own}


def _is_about(role: str, wanted: RoleKeys, method: PlannedMethod) -> bool:
    """Return whether a role is one of this method or estimator, whatever its parameters."""
    if method.is_own:
        return _subject(role, wanted) == ("estimator", path_parts(method.estimator))
    return _subject(role, wanted) == ("method", method.registered)


def _subject(role: str, wanted: RoleKeys) -> tuple[str, object]:
    """Return the estimator or the registered method of a role, and which of the two it is."""
    if "estimator" in wanted:
        return "estimator", path_parts(str(wanted["estimator"]))
    return "method", wanted.get("method", role)


def _fitting(paper: Paper, methods: Sequence[PlannedMethod]) -> dict[str, list[PlannedMethod]]:
    """Return the methods that fit each role that any fits."""
    return grouped((role, method) for method in methods for role in roles_of(paper, method))


def _rivals(paper: Paper, methods: Sequence[PlannedMethod]) -> Iterator[tuple[str, list[str]]]:
    """Yield the roles with several methods in a setting that their parts do not tell apart."""
    for role, own in _fitting(paper, methods).items():
        keys = [(_own_setting(paper, role, m), _place_in_parts(paper, role, m)) for m in own]
        labels = [method.label for method in own]
        alike = grouped(zip(keys, labels, strict=True)).values()
        yield from ((role, rivals) for rivals in alike if rivals[1:])


def _own_setting(paper: Paper, role: str, method: PlannedMethod) -> Setting:
    """Return a method's values of the conditions on which its role depends."""
    return kept(paper.setting_of(method.conditions), paper.depends(role))


def _is_at(paper: Paper, role: str, method: PlannedMethod, setting: Setting) -> bool:
    """Return whether a method has the values of a setting, as far as its role depends on them."""
    return _own_setting(paper, role, method) == kept(setting, paper.depends(role))


def parts_of(paper: Paper, role: str) -> list[str]:
    """Return the roles that are parts of a role: a list in the file, or one name."""
    parts = paper.roles.get(role, {}).get("parts", [])
    return parts if isinstance(parts, list) else [parts]


def _place_in_parts(paper: Paper, role: str, method: PlannedMethod) -> int:
    """Return the place among the parts of a role of the first that a method fits."""
    parts, own = parts_of(paper, role), roles_of(paper, method)
    return next((i for i, part in enumerate(parts) if part in own), len(parts))


def _apart(paper: Paper, one: str, other: str) -> bool:
    """Return whether neither of two roles is part of the other."""
    return other not in parts_of(paper, one) and one not in parts_of(paper, other)


# -- parameters ------------------------------------------------------------------------------------


def _fits(paper: Paper, role: str, wanted: RoleKeys, method: PlannedMethod) -> bool:
    """Return whether a method has all that a role says, and nothing else than that."""
    return _has_all(role, wanted, method) and not (
        _too_few_rounds(paper, wanted, method) or _changes(paper, wanted, method)
    )


def _has_all(role: str, wanted: RoleKeys, method: PlannedMethod) -> bool:
    """Return whether a method is a role's, and has the parameters that it names and its choice."""
    named = (name for name in wanted if name not in ROLE_KEYS)
    is_candidate = _is_about(role, wanted, method) and _has_choice(wanted.get("chosen"), method)
    return is_candidate and all(_has(method, name, wanted[name]) for name in named)


def _has(method: PlannedMethod, name: str, wanted: object) -> bool:
    """Return whether a parameter has a value that a role allows; null is one that is not given."""
    if wanted == ANY:
        return True
    if name in method.choose:
        return False
    allowed = wanted if isinstance(wanted, list) else [wanted]
    default = method.defaults.get(name)
    value = method.params.get(name, default)
    if None in allowed and (name not in method.params or _same(value, default)):
        return True
    return any(_same(value, each) for each in (*allowed, wanted) if each is not None)


def _same(one: object, other: object) -> bool:
    """Return whether two values are the same; true is not 1."""
    return one == other and isinstance(one, bool) == isinstance(other, bool)


def _has_choice(wanted: object, method: PlannedMethod) -> bool:
    """Return whether a method chooses parameters as a role says: any or none, or these."""
    if isinstance(wanted, list):
        return set(wanted) == set(method.choose)
    return wanted is None or wanted is bool(method.choose)


def _too_few_rounds(paper: Paper, wanted: RoleKeys, method: PlannedMethod) -> str:
    """Return in words that a method has fewer rounds than the paper's, "" if it has as many."""
    name = method.rounds_parameter
    values = method.choose.get(name, [method.params.get(name, method.defaults.get(name))])
    known = [value for value in values if isinstance(value, int | float)]
    if wanted.get("rounds") == ANY or not known or min(known) >= paper.rounds:
        return ""
    return f"'{method.label}' is trained for {min(known)} of {paper.rounds} rounds"


def _changes(paper: Paper, wanted: RoleKeys, method: PlannedMethod) -> str:
    """Return how a method differs from the registered one in what a role does not name."""
    free = {*wanted, *([method.rounds_parameter] if paper.rounds else [])}
    if wanted.get("chosen"):
        free |= set(method.choose)
    given = {} if method.is_own else method.changed
    others = [f"{name} = {value}" for name, value in sorted(given.items()) if name not in free]
    return f"{method.registered} is run with {', '.join(others)}" if others else ""


# -- two roles of one method -----------------------------------------------------------------------


def _exclude_each_other(one: RoleKeys, other: RoleKeys) -> bool:
    """Return whether no method can have the parameters of both roles."""
    names = {*one, *other, *_listed(one), *_listed(other)} - {*ROLE_KEYS}
    if any(_are_apart(_allowed(one, name), _allowed(other, name)) for name in names):
        return True
    first, second = (_listed(role) or role.get("chosen") for role in (one, other))
    if isinstance(first, list) and isinstance(second, list):
        return set(first) != set(second)
    return None not in (first, second) and bool(first) != bool(second)


def _are_apart(mine: Sequence[object], theirs: Sequence[object]) -> bool:
    """Return whether two roles allow no common value of a parameter."""
    return ANY not in mine and ANY not in theirs and not any(value in theirs for value in mine)


def _listed(role: RoleKeys) -> list[object]:
    """Return the parameters that a role says are chosen, by name."""
    chosen = role.get("chosen")
    return chosen if isinstance(chosen, list) else []


def _allowed(role: RoleKeys, name: object) -> list[object]:
    """Return the values of a parameter with which a method can play a role."""
    if name in role:
        value = role[str(name)]
        return value if isinstance(value, list) else [value]
    if name in _listed(role):
        return [_CHOSEN]
    # The parameters of a registered method are its own, those of an estimator are free.
    return [ANY] if "estimator" in role or role.get("chosen") is True else [None]


def _quoted(names: Sequence[str]) -> str:
    *most, last = [f"'{name}'" for name in names]
    return f"{', '.join(most)} and {last}" if most else last
