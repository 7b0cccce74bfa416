"""Compiles criteria into a DynamoDB filter expression.

Every name and value goes by an alias, so that reserved words, dots and any script are harmless.
Only the parentheses that the precedence needs are written; DynamoDB refuses redundant ones.

https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.OperatorsAndFunctions.html
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from enum import IntEnum

from functions.audience.criteria_fields import Kind
from functions.audience.criteria_tree import AllOf, AnyOf, Condition, Criteria, Not, Op
from functions.devices import multi_values
from functions.shared.batches import batched
from functions.shared.wrong_places import WrongPlaces

# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html#limits-expression-parameters
MAX_EXPRESSION_BYTES = 4_096
MAX_OPERATORS = 300
MAX_IN_OPERANDS = 100

_COMPARATORS = {Op.EQ: "=", Op.GT: ">", Op.GTE: ">=", Op.LT: "<", Op.LTE: "<="}


@dataclass(frozen=True, kw_only=True)
class Filter:
    """A filter expression with the names (#n0, ...) and values (:v0, ...) it speaks of."""

    expression: str
    names: dict[str, str]
    values: dict[str, str | Decimal]


def compile_filter(criteria: Criteria, place: str = "criteria") -> Filter:
    """The filter that lets the matching devices through.

    InvalidInputError with the figures if DynamoDB would refuse the expression for its size.
    """
    compiler = _Compiler()
    expression = compiler.tree(criteria).text
    figures = (
        ("bytes as a DynamoDB expression", len(expression.encode()), MAX_EXPRESSION_BYTES),
        ("operators in DynamoDB", compiler.operators, MAX_OPERATORS),
    )
    wrong = WrongPlaces()
    for what, size, limit in figures:
        if size > limit:
            wrong.add(place, f"takes {size:,} {what}; the limit is {limit:,}")
    wrong.refuse_if_any()
    return Filter(
        expression=expression,
        names={alias: name for name, alias in compiler.names.items()},
        values={alias: value for value, alias in compiler.values.items()},
    )


class _Binds(IntEnum):
    """How tightly an expression holds together; what binds looser than its place needs ( )."""

    OR = 0
    AND = 1
    NOT = 2


@dataclass(frozen=True)
class _Written:
    text: str
    binds: _Binds = _Binds.NOT

    def within(self, place: _Binds) -> str:
        return f"({self.text})" if self.binds < place else self.text


@dataclass(kw_only=True)
class _Compiler:
    names: dict[str, str] = field(default_factory=dict)
    values: dict[str | Decimal, str] = field(default_factory=dict)
    operators: int = 0

    def tree(self, criteria: Criteria) -> _Written:
        if isinstance(criteria, AllOf):
            return self._join(_Binds.AND, [self.tree(part) for part in criteria.parts])
        if isinstance(criteria, AnyOf):
            return self._join(_Binds.OR, [self.tree(part) for part in criteria.parts])
        if isinstance(criteria, Not):
            self.operators += 1
            return _Written(f"NOT {self.tree(criteria.part).within(_Binds.NOT)}")
        if criteria.op is Op.EXISTS:
            name = "attribute_exists" if criteria.wanted else "attribute_not_exists"
            return self._call(name, self._path(criteria))
        if criteria.field.kind is Kind.MULTI:
            return self._any_value(criteria)
        return self._one_value(criteria)

    def _one_value(self, condition: Condition) -> _Written:
        path, values = self._path(condition), condition.values
        if condition.op is Op.IN:
            groups = [self._in(path, some) for some in batched(values, MAX_IN_OPERANDS)]
            return self._join(_Binds.OR, groups)
        if condition.op is Op.CONTAINS:
            return self._call("contains", path, self._value(values[0]))
        if condition.op is Op.NE:
            return self._differs(path, path, values[0])
        return self._compare(path, _COMPARATORS[condition.op], values[0])

    def _any_value(self, condition: Condition) -> _Written:
        """The same question about any of several values, see multi_values for how they are kept."""
        path = self._path(condition)
        value, op = str(condition.values[0]), condition.op
        # DynamoDB refuses an alias that no expression speaks of, so only one of the two is made.
        if op in (Op.GT, Op.GTE):
            max_ = f"{path}.{self._name(multi_values.MAX)}"
            return self._compare(max_, _COMPARATORS[op], value)
        all_ = f"{path}.{self._name(multi_values.ALL)}"
        if op in (Op.EQ, Op.IN):
            wholes = [multi_values.enclosed(str(each)) for each in condition.values]
            calls = [self._call("contains", all_, self._value(whole)) for whole in wholes]
            return self._join(_Binds.OR, calls)
        if op is Op.NE:
            return self._differs(path, all_, multi_values.enclosed(value))
        if op is Op.CONTAINS:
            return self._call("contains", all_, self._value(value))
        bound = multi_values.below(value) if op is Op.LT else multi_values.upto(value)
        return self._compare(all_, "<", bound)

    def _differs(self, path: str, compared: str, value: str | Decimal) -> _Written:
        # On an absent attribute <> holds, and a condition must not.
        exists = self._call("attribute_exists", path)
        return self._join(_Binds.AND, [exists, self._compare(compared, "<>", value)])

    def _compare(self, path: str, operator: str, value: str | Decimal) -> _Written:
        self.operators += 1
        return _Written(f"{path} {operator} {self._value(value)}")

    def _in(self, path: str, values: Iterable[str | Decimal]) -> _Written:
        self.operators += 1
        return _Written(f"{path} IN ({', '.join(map(self._value, values))})")

    def _call(self, function: str, *operands: str) -> _Written:
        self.operators += 1
        return _Written(f"{function}({', '.join(operands)})")

    def _join(self, operator: _Binds, parts: Sequence[_Written]) -> _Written:
        if len(parts) == 1:
            return parts[0]
        self.operators += len(parts) - 1
        return _Written(
            f" {operator.name} ".join(part.within(operator) for part in parts), operator
        )

    def _path(self, condition: Condition) -> str:
        return ".".join(map(self._name, condition.field.path))

    def _name(self, name: str) -> str:
        return self.names.setdefault(name, f"#n{len(self.names)}")

    def _value(self, value: str | Decimal) -> str:
        return self.values.setdefault(value, f":v{len(self.values)}")
