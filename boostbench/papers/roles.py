"""Which methods of an experiment play the roles that a paper's claims and columns name.

A role is played by the methods with its parameters. Each method plays one role and each role has
one method, unless a role names others as its ``parts``: anything else is an error.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

from boostbench.errors import ConfigError
from boostbench.estimators import path_parts
from boostbench.methods import ResolvedMethod, changed_params, known_params, registered_name
from boostbench.papers.paper import Paper
from boostbench.papers.results import Method
from boostbench.suggest import listing
from boostbench.values import Record

RoleKeys = Mapping[str, object]
"""A role as it is in the paper's file: ``method`` or ``estimator``, and parameters."""
ANY = "any"
ROLE_KEYS = ("method", "estimator", "chosen", "rounds", "parts")
"""The keys of a role that are no parameters."""
_CHOSEN = object()


def in_paper(paper: Paper, method: Method, recorded: Record) -> Method:
    """Return a method of an experiment as a paper knows it.

    A registered name is that of the first role of an own estimator, and a missing depth is the
    paper's usual one. ``recorded`` says what is known of an own estimator, see ``known_params``.
    """
    is_own = not method.registered
    if paper.roles or paper.rounds:
        known = recorded if is_own else known_params(method.estimator, method.registered)
        defaults, rounds = known.get("defaults", {}), str(known.get("rounds", ""))
        method = replace(method, defaults=defaults, rounds_parameter=rounds)
    method = replace(method, is_own=is_own)
    if method.depth is None:
        method = replace(method, depth=paper.default_depth)
    if is_own:
        return replace(method, registered=next(iter(roles_of(paper, method)), ""))
    # The paper's method of that name is another one.
    is_other = "estimator" in paper.roles.get(method.registered, {})
    return replace(method, registered="", is_own=True) if is_other else method


def methods_of(
    paper: Paper | None,
    methods: Iterable[ResolvedMethod],
    entries: Sequence[Record],
    own: Mapping[str, Record],
) -> list[Method]:
    """Return the methods of an experiment, as its paper knows them where it has one.

    ``entries`` are those of the experiment's file, and ``own`` says what is known of estimators
    that are not registered, by label.
    """
    by_label = {entry["name"]: entry for entry in entries}
    known = []
    for resolved in methods:
        label, depth = resolved.label, resolved.params.get("depth")
        registered = registered_name(label, by_label.get(label))
        method = Method(
            label=label,
            registered=registered,
            estimator=resolved.estimator,
            version=resolved.version,
            params=resolved.params,
            depth=depth if isinstance(depth, int) else None,
            choose=resolved.choose,
            choose_with=resolved.choose_with,
            changed=changed_params(registered, resolved.params, resolved.choose),
        )
        known.append(method if paper is None else in_paper(paper, method, own.get(label) or {}))
    return known


def roles_of(paper: Paper, method: Method) -> list[str]:
    """Return the roles that a method fits, in the order of the paper's file.

    A registered method has the role of its own name too, unless the paper defines that.
    """
    return [role for role, wanted in _roles(paper).items() if _fits(paper, role, wanted, method)]


def roles_at(paper: Paper, methods: Sequence[Method], depth: int | None) -> dict[str, Method]:
    """Return the method that plays each role at a depth.

    Of several that fit a role, it is that of the first of its ``parts``.
    """
    players = {}
    for role, own in _fitting(paper, methods).items():
        here = [m for m in own if depth in (None, m.depth) or not paper.has_depth(role)]
        if here:
            players[role] = min(here, key=lambda method: _place_in_parts(paper, role, method))
    return players


def check_roles(paper: Paper, methods: Sequence[Method]) -> None:
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


def unplayed(paper: Paper, methods: Sequence[Method]) -> list[str]:
    """Return in sentences which roles of a paper no method plays, and what keeps one from it."""
    played = _fitting(paper, methods)
    reasons = {**too_short(paper, methods), **changed(paper, methods)}
    reasons |= {role: "" for role in paper.roles if role not in {*played, *reasons}}
    by_reason: dict[str, list[str]] = {}
    for role, why in reasons.items():
        by_reason.setdefault(why, []).append(role)
    return [
        f"no method plays the {'roles' if roles[1:] else 'role'} {_quoted(roles)} of the paper"
        f"{why and f': {why}'}"
        for why, roles in by_reason.items()
    ]


def changed(paper: Paper, methods: Sequence[Method]) -> dict[str, str]:
    """Return why roles have no method, where it is for parameters of which they say nothing."""
    return _kept_out(paper, methods, _changes)


def too_short(paper: Paper, methods: Sequence[Method]) -> dict[str, str]:
    """Return why roles have no method, where it is for fewer rounds than the paper's."""
    return _kept_out(paper, methods, _too_few_rounds)


def _kept_out(
    paper: Paper, methods: Sequence[Method], why: Callable[[Paper, RoleKeys, Method], str]
) -> dict[str, str]:
    """Return the roles that no method plays though one has their parameters, each with why."""
    played = _fitting(paper, methods)
    reasons: dict[str, str] = {}
    for role, wanted in _roles(paper).items():
        for method in methods if role not in played else ():
            if _is_about(role, wanted, method) and _has_all(wanted, method):
                reasons.setdefault(role, why(paper, wanted, method))
    return {role: text for role, text in reasons.items() if text}


def unknown_rounds(paper: Paper, methods: Sequence[Method]) -> list[str]:
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
        and _same_method(one, roles[one], other, roles[other])
        and not _exclude_each_other(roles[one], roles[other])
    ]


def _roles(paper: Paper) -> dict[str, RoleKeys]:
    """Return the paper's roles, and those of registered methods by their own names."""
    own = {name: {"method": name} for name in paper.method_names if name not in paper.roles}
    return {**paper.roles, **own}


def _is_about(role: str, wanted: RoleKeys, method: Method) -> bool:
    """Return whether a role is one of this method or estimator, whatever its parameters."""
    if "estimator" in wanted:
        same = path_parts(str(wanted["estimator"])) == path_parts(method.estimator)
        return method.is_own and same
    return not method.is_own and wanted.get("method", role) == method.registered


def _fitting(paper: Paper, methods: Sequence[Method]) -> dict[str, list[Method]]:
    """Return the methods that fit each role that any fits."""
    fitting: dict[str, list[Method]] = {}
    for method in methods:
        for role in roles_of(paper, method):
            fitting.setdefault(role, []).append(method)
    return fitting


def _rivals(paper: Paper, methods: Sequence[Method]) -> Iterator[tuple[str, list[str]]]:
    """Yield the roles with several methods at a depth that their parts do not tell apart."""
    for role, own in _fitting(paper, methods).items():
        groups: dict[object, list[str]] = {}
        for method in own:
            depth = method.depth if paper.has_depth(role) else None
            place = _place_in_parts(paper, role, method)
            groups.setdefault((depth, place), []).append(method.label)
        yield from ((role, labels) for labels in groups.values() if labels[1:])


def _parts(paper: Paper, role: str) -> list[str]:
    parts = paper.roles.get(role, {}).get("parts", [])
    return parts if isinstance(parts, list) else [parts]


def _place_in_parts(paper: Paper, role: str, method: Method) -> int:
    """Return the place among the parts of a role of the first that a method fits."""
    parts, own = _parts(paper, role), roles_of(paper, method)
    return next((i for i, part in enumerate(parts) if part in own), len(parts))


def _apart(paper: Paper, one: str, other: str) -> bool:
    """Return whether neither of two roles is part of the other."""
    return other not in _parts(paper, one) and one not in _parts(paper, other)


# -- parameters ------------------------------------------------------------------------------------


def _fits(paper: Paper, role: str, wanted: RoleKeys, method: Method) -> bool:
    """Return whether a method has all that a role says, and nothing else than that."""
    is_candidate = _is_about(role, wanted, method) and _has_all(wanted, method)
    return is_candidate and not (
        _too_few_rounds(paper, wanted, method) or _changes(paper, wanted, method)
    )


def _has_all(wanted: RoleKeys, method: Method) -> bool:
    """Return whether a method has the parameters that a role names, and its choice."""
    named = (name for name in wanted if name not in ROLE_KEYS)
    chooses = _has_choice(wanted.get("chosen"), method)
    return chooses and all(_has(method, name, wanted[name]) for name in named)


def _has(method: Method, name: str, wanted: object) -> bool:
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


def _has_choice(wanted: object, method: Method) -> bool:
    """Return whether a method chooses parameters as a role says: any or none, or these."""
    if isinstance(wanted, list):
        return set(wanted) == set(method.choose)
    return wanted is None or wanted is bool(method.choose)


def _too_few_rounds(paper: Paper, wanted: RoleKeys, method: Method) -> str:
    """Return in words that a method has fewer rounds than the paper's, "" if it has as many."""
    name = method.rounds_parameter
    values = method.choose.get(name, [method.params.get(name, method.defaults.get(name))])
    known = [value for value in values if isinstance(value, int | float)]
    if wanted.get("rounds") == ANY or not known or min(known) >= paper.rounds:
        return ""
    return f"'{method.label}' is trained for {min(known)} of {paper.rounds} rounds"


def _changes(paper: Paper, wanted: RoleKeys, method: Method) -> str:
    """Return how a method differs from the registered one in what a role does not name."""
    free = {*wanted, *([method.rounds_parameter] if paper.rounds else [])}
    if wanted.get("chosen"):
        free |= set(method.choose)
    given = {} if method.is_own else method.changed
    others = [f"{name} = {value}" for name, value in sorted(given.items()) if name not in free]
    return f"{method.registered} is run with {', '.join(others)}" if others else ""


# -- roles of one method ---------------------------------------------------------------------------


def _same_method(one: str, first: RoleKeys, other: str, second: RoleKeys) -> bool:
    """Return whether two roles are of one method or estimator."""
    if ("estimator" in first) != ("estimator" in second):
        return False
    if "estimator" in first:
        return path_parts(str(first["estimator"])) == path_parts(str(second["estimator"]))
    return first.get("method", one) == second.get("method", other)


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
