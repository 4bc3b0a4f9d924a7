"""Assertions between ``%{`` and ``}%`` (packetdrill): a part of Python, read with ``ast`` and never executed as code.

packetdrill passes such blocks to Python. A script is untrusted input, so only three statements are read: ``assert`` with an
optional message, ``print(...)``, and ``name = value``, also as ``name += value``. Their expressions have numbers, texts, names that begin with ``tcpi_`` or
``TCP``, assigned names, tuples, arithmetic, comparisons, and/or/not.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Mapping
from typing import Any

#: Values of names that a kernel's ``linux/tcp.h`` and ``net/tcp_states.h`` define.
NAMES = {
    "TCP_ESTABLISHED": 1, "TCP_SYN_SENT": 2, "TCP_SYN_RECV": 3, "TCP_FIN_WAIT1": 4, "TCP_FIN_WAIT2": 5, "TCP_TIME_WAIT": 6,
    "TCP_CLOSE": 7, "TCP_CLOSE_WAIT": 8, "TCP_LAST_ACK": 9, "TCP_LISTEN": 10, "TCP_CLOSING": 11,
    "TCP_CA_Open": 0, "TCP_CA_Disorder": 1, "TCP_CA_CWR": 2, "TCP_CA_Recovery": 3, "TCP_CA_Loss": 4,
    "TCPI_OPT_TIMESTAMPS": 1, "TCPI_OPT_SACK": 2, "TCPI_OPT_WSCALE": 4, "TCPI_OPT_ECN": 8, "TCPI_OPT_ECN_SEEN": 16,
    "TCPI_OPT_SYN_DATA": 32,
}  # fmt: skip
#: How names begin whose values the host tells.
READ = ("tcpi_", "SK_MEMINFO_")
_BINARY: dict[type[ast.operator], Any] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.BitAnd: operator.and_, ast.BitOr: operator.or_,
}  # fmt: skip
_COMPARED: dict[type[ast.cmpop], Any] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}  # fmt: skip
#: Longest block that is read.
LONGEST = 10_000
#: Most bits of an integer that arithmetic gives. Without a bound, repeated squaring takes all time and memory.
MOST_BITS = 256


def _statements(text: str) -> list[ast.stmt]:
    """The block's statements; a script may indent a block in any way."""
    lines = [line.strip().rstrip("\\") for line in text.replace(";", "\n").splitlines()]
    return [_plain(statement) for statement in ast.parse("\n".join(lines)).body]


def _plain(statement: ast.stmt) -> ast.stmt:
    """``name += value`` as ``name = name + value``; any other statement as it is."""
    if not isinstance(statement, ast.AugAssign) or not isinstance(statement.target, ast.Name):
        return statement
    name = statement.target
    whole = ast.BinOp(ast.Name(name.id, ast.Load()), statement.op, statement.value)
    return ast.copy_location(ast.Assign([ast.Name(name.id, ast.Store())], whole), statement)


def refusal(text: str, assigned: set[str]) -> str | None:
    """What of a block is not read, or ``None``; adds to the names that blocks before assigned."""
    if len(text) > LONGEST:
        return "the block is too long"
    try:
        for statement in _statements(text):
            if isinstance(statement, ast.Assert):
                _check(statement.test, assigned)
            elif isinstance(statement, ast.Assign) and _target(statement):
                _check(statement.value, assigned)
                assigned.add(_target(statement))
            elif _printed(statement) is None:
                return f"the statement `{ast.unparse(statement).splitlines()[0][:40]}`"
            for value in _printed(statement) or []:
                _check(value, assigned)
    except _Refused as refused:
        return str(refused)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return "what is no Python"
    return None


class _Refused(Exception):
    pass


def _printed(statement: ast.stmt) -> list[ast.expr] | None:
    """What a ``print`` prints; ``None`` for any other statement."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    is_print = (
        isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "print" and not call.keywords
    )
    return call.args if is_print and isinstance(call, ast.Call) else None


def _target(statement: ast.Assign) -> str:
    """The one name that a statement assigns, if it is no name of the kernel's."""
    name = statement.targets[0].id if len(statement.targets) == 1 and isinstance(statement.targets[0], ast.Name) else ""
    return "" if name.startswith(READ) else name


def _check(node: ast.expr, assigned: set[str]) -> None:
    ok = (
        isinstance(node, ast.Constant) and isinstance(node.value, (int, float, str)) and not _too_wide(node.value)
        or isinstance(node, ast.Name) and (node.id in NAMES or node.id in assigned or node.id.startswith(READ))
        or isinstance(node, ast.BinOp) and type(node.op) in _BINARY
        or isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.Not, ast.USub))
        or isinstance(node, ast.Compare) and all(type(op) in _COMPARED for op in node.ops)
        or isinstance(node, (ast.BoolOp, ast.Tuple))
    )  # fmt: skip
    if not ok:
        raise _Refused(f"`{ast.unparse(node)[:40]}`")
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            _check(child, assigned)


def names(text: str) -> set[str]:
    """The ``tcpi_`` names that a block reads."""
    trees = [node for statement in _statements(text) for node in ast.walk(statement)]
    return {node.id for node in trees if isinstance(node, ast.Name) and node.id.startswith(READ)}


def run(text: str, info: Mapping[str, float], variables: dict[str, Any]) -> tuple[str | None, list[str]]:
    """Checks a block's assertions; what fails, with the values it read, and what it prints.

    Args:
        text: a block without a `refusal`.
        info: values of the ``tcpi_`` names.
        variables: what blocks assigned.
    """
    printed: list[str] = []
    for statement in _statements(text):
        known: dict[str, Any] = {**NAMES, **variables, **info}
        try:
            if isinstance(statement, ast.Assign):
                variables[_target(statement)] = _value(statement.value, known)
            elif isinstance(statement, ast.Assert):
                if not _value(statement.test, known):
                    read = sorted(names(ast.unparse(statement)))
                    values = ", ".join(f"{name} is {known[name]}" for name in read)
                    return f"{ast.unparse(statement.test)}: {values or 'false'}", printed
            else:
                printed.append(" ".join(str(_value(value, known)) for value in _printed(statement) or []))
        except KeyError as error:
            return f"{error.args[0]} has no value here", printed
        except (TypeError, ValueError, ArithmeticError, RecursionError) as error:
            return f"{ast.unparse(statement)}: {error}", printed
    return None, printed


def _value(node: ast.expr, known: Mapping[str, Any]) -> Any:
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name):
        return known[node.id]
    if isinstance(node, ast.BinOp):
        return _arithmetic(node.op, _value(node.left, known), _value(node.right, known))
    if isinstance(node, ast.UnaryOp):
        value = _value(node.operand, known)
        return not value if isinstance(node.op, ast.Not) else -value
    if isinstance(node, ast.BoolOp):
        wanted = all if isinstance(node.op, ast.And) else any
        return wanted(_value(value, known) for value in node.values)
    if isinstance(node, ast.Tuple):
        return tuple(_value(value, known) for value in node.elts)
    assert isinstance(node, ast.Compare)
    left = _value(node.left, known)
    for op, right_node in zip(node.ops, node.comparators, strict=True):
        right = _value(right_node, known)
        if not _COMPARED[type(op)](left, right):
            return False
        left = right
    return True


def _too_wide(value: int | float | str) -> bool:
    return isinstance(value, int) and value.bit_length() > MOST_BITS


def _arithmetic(op: ast.operator, left: Any, right: Any) -> int | float:
    """An operation on two numbers; texts and tuples have none, because their repetition has no bound.

    Raises:
        TypeError: an operand is no number.
        ArithmeticError: the result has too many bits, or there is none.
    """
    if not (isinstance(left, (int, float)) and isinstance(right, (int, float))):
        raise TypeError("arithmetic is over numbers only")
    result: int | float = _BINARY[type(op)](left, right)
    if _too_wide(result):
        raise ArithmeticError(f"the result has more than {MOST_BITS} bits")
    return result
