"""Writes criteria as a DynamoDB expression, or as near to them as DynamoDB can come.

Every name and value goes by an alias, so that reserved words, dots and any script are harmless.
Only the parentheses that the precedence needs are written; DynamoDB refuses redundant ones.

https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.OperatorsAndFunctions.html
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from enum import Enum, IntEnum

from functions.audience.criteria_fields import Kind
from functions.audience.criteria_tree import (
    RELATIVE,
    AllOf,
    AnyOf,
    Condition,
    Criteria,
    Not,
    Op,
)
from functions.audience.dates import span
from functions.devices import multi_values
from functions.shared.batches import batched

# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html#limits-expression-parameters
MAX_IN_OPERANDS = 100

_COMPARATORS = {Op.EQ: "=", Op.GT: ">", Op.GTE: ">=", Op.LT: "<", Op.LTE: "<="}
_FOLDED = frozenset({Op.IEQ, Op.IIN, Op.ICONTAINS})
_DATED = frozenset({Op.BETWEEN, Op.BEFORE, Op.AFTER, Op.ON})


class Bound(Enum):
    """On which side an expression may miss what the criteria mean."""

    AT_LEAST = "at least"  # lets every matching device through, and maybe others
    AT_MOST = "at most"  # lets only matching devices through, and maybe not all

    @property
    def opposite(self) -> "Bound":
        """What NOT makes of it."""
        return Bound.AT_MOST if self is Bound.AT_LEAST else Bound.AT_LEAST


class Binds(IntEnum):
    """How tightly an expression holds together; what binds looser than its place needs ( )."""

    OR = 0
    AND = 1
    NOT = 2


@dataclass(frozen=True, kw_only=True)
class Written:
    """An expression, how many operators and functions it has, and what of, if it is a NOT."""

    text: str
    operators: int
    binds: Binds = Binds.NOT
    negated: "Written | None" = None

    def within(self, place: Binds) -> str:
        """The text as a part of something that binds like this."""
        return f"({self.text})" if self.binds < place else self.text


# No expression: everything where AT_LEAST is wanted, nothing where AT_MOST is.
Bounded = Written | None


def is_exact(condition: Condition) -> bool:
    """Whether DynamoDB can say the condition: it folds no case, and knows neither times with
    offsets nor a range that one and the same of several values has to lie in."""
    dated = condition.op in _DATED and condition.field.kind is Kind.MULTI
    return condition.op not in _FOLDED and not dated


def joined(operator: Binds, parts: Sequence[Written]) -> Written:
    """The parts, one at least, with AND or OR between them."""
    if len(parts) == 1:
        return parts[0]
    text = f" {operator.name} ".join(part.within(operator) for part in parts)
    operators = sum(part.operators for part in parts) + len(parts) - 1
    return Written(text=text, operators=operators, binds=operator)


@dataclass(kw_only=True)
class Writer:
    """Writes expressions that share their aliases."""

    names: dict[str, str] = field(default_factory=dict)
    values: dict[str | Decimal, str] = field(default_factory=dict)

    def tree(self, criteria: Criteria, bound: Bound, *, coarse: bool = False) -> Bounded:
        """The criteria, exactly if each condition is exact; `coarse` only asks which fields there
        are, which is short however long the values."""
        if isinstance(criteria, Not):
            part = self.tree(criteria.part, bound.opposite, coarse=coarse)
            return None if part is None else _negated(part)
        if isinstance(criteria, AllOf | AnyOf):
            parts = [self.tree(part, bound, coarse=coarse) for part in criteria.parts]
            return _group(criteria, parts, bound)
        if criteria.op is Op.EXISTS:
            name = "attribute_exists" if criteria.wanted else "attribute_not_exists"
            return _call(name, self._path(criteria))
        if criteria.op in RELATIVE:
            raise ValueError(f"{criteria.op} depends on the clock; resolve the criteria first")
        if coarse or not is_exact(criteria):
            exists = _call("attribute_exists", self._path(criteria))
            return exists if bound is Bound.AT_LEAST else None
        many = criteria.field.kind is Kind.MULTI
        return self._any_value(criteria) if many else self._one_value(criteria)

    def _one_value(self, condition: Condition) -> Written:
        path, values, op = self._path(condition), condition.values, condition.op
        if op is Op.IN:
            groups = [self._in(path, some) for some in batched(values, MAX_IN_OPERANDS)]
            return joined(Binds.OR, groups)
        if op is Op.CONTAINS:
            return _call("contains", path, self._value(values[0]))
        if op is Op.NE:
            return self._differs(path, path, values[0])
        if op in _DATED:
            return self._range(path, condition)
        return self._compare(path, _COMPARATORS[op], values[0])

    def _range(self, path: str, condition: Condition) -> Written:
        """Numbers, or times in the one form that sorts as text."""
        ends = [span(each) if isinstance(each, str) else (each, each) for each in condition.values]
        low, high = ends[0][0], ends[-1][1]
        if condition.op is Op.BEFORE:
            return self._compare(path, "<", low)
        if condition.op is Op.AFTER:
            return self._compare(path, ">", high)
        return Written(
            text=f"{path} BETWEEN {self._value(low)} AND {self._value(high)}", operators=1
        )

    def _any_value(self, condition: Condition) -> Written:
        """The same question about any of several values, see multi_values for how they are kept."""
        path = self._path(condition)
        value, op = str(condition.values[0]), condition.op
        if op in (Op.GT, Op.GTE):
            max_ = f"{path}.{self._name(multi_values.MAX)}"
            return self._compare(max_, _COMPARATORS[op], value)
        all_ = f"{path}.{self._name(multi_values.ALL)}"
        if op in (Op.EQ, Op.IN):
            wholes = [multi_values.enclosed(str(each)) for each in condition.values]
            calls = [_call("contains", all_, self._value(whole)) for whole in wholes]
            return joined(Binds.OR, calls)
        if op is Op.NE:
            return self._differs(path, all_, multi_values.enclosed(value))
        if op is Op.CONTAINS:
            return _call("contains", all_, self._value(value))
        bound = multi_values.below(value) if op is Op.LT else multi_values.upto(value)
        return self._compare(all_, "<", bound)

    def _differs(self, path: str, compared: str, value: str | Decimal) -> Written:
        # On an absent attribute <> holds, and a condition must not.
        exists = _call("attribute_exists", path)
        return joined(Binds.AND, [exists, self._compare(compared, "<>", value)])

    def _compare(self, path: str, operator: str, value: str | Decimal) -> Written:
        return Written(text=f"{path} {operator} {self._value(value)}", operators=1)

    def _in(self, path: str, values: Iterable[str | Decimal]) -> Written:
        return Written(text=f"{path} IN ({', '.join(map(self._value, values))})", operators=1)

    def _path(self, condition: Condition) -> str:
        return ".".join(map(self._name, condition.field.path))

    def _name(self, name: str) -> str:
        return self.names.setdefault(name, f"#n{len(self.names)}")

    def _value(self, value: str | Decimal) -> str:
        return self.values.setdefault(value, f":v{len(self.values)}")


def _negated(part: Written) -> Written:
    if part.negated is not None:  # a group of which only this part is left
        return part.negated
    text = f"NOT {part.within(Binds.NOT)}"
    return Written(text=text, operators=part.operators + 1, negated=part)


def _call(function: str, *operands: str) -> Written:
    return Written(text=f"{function}({', '.join(operands)})", operators=1)


def _group(group: AllOf | AnyOf, parts: Sequence[Bounded], bound: Bound) -> Bounded:
    """Of the parts without an expression each either decides the group or drops out of it."""
    written = [part for part in parts if part is not None]
    drops_out = isinstance(group, AllOf) is (bound is Bound.AT_LEAST)
    if not written or (len(written) < len(parts) and not drops_out):
        return None
    return joined(Binds.AND if isinstance(group, AllOf) else Binds.OR, written)
