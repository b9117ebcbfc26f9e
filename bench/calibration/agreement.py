"""How far predicted and measured times are apart, and how good a choice by the predictions is."""

import collections
import concurrent.futures
import math
import re

from problem import DIRECTIONS
from sample import get_family, predict
from table import read_table

#: The report counts defaults that take at most this many times as long as the fastest measured schedule.
CLOSE = (1.05, 1.12)


def mean(values):
    """The geometric mean."""
    return math.exp(sum(map(math.log, values)) / len(values))


def spread(values):
    """The geometric standard deviation."""
    centre = mean(values)
    return math.exp(math.sqrt(sum(math.log(value / centre) ** 2 for value in values) / len(values)))


def get_direction(line):
    number = int(re.search(r"-F (\d)", line)[1])
    return next(name for name, own in DIRECTIONS.items() if own == number)


class Pairs:
    """The measured schedules of a problem that the current compiler still offers, with predicted and measured times."""

    def __init__(self, record, default, predicted):
        self.line, self.library = record["problem"], record["library"]
        self.direction = get_direction(self.line)
        self.measured = {one: time for one, time in record["microseconds"].items() if one in predicted}
        self.unknown = len(record["microseconds"]) - len(self.measured)
        self.predicted = {one: predicted[one] * 1e6 for one in self.measured}
        self.is_default_measured = default in self.measured
        self.default = default

    def choose(self, factors=None):
        """The default schedule. If the default was not measured, or if `factors` scale the predictions of families, the
        measured schedule with the least predicted time."""
        if factors is None and self.is_default_measured:
            return self.default
        factors = factors or {}
        return min(self.measured, key=lambda one: self.predicted[one] * factors.get(get_family(one), 1))

    def regret(self, factors=None):
        """The time of the chosen schedule divided by the time of the fastest one."""
        return self.measured[self.choose(factors)] / min(self.measured.values())


def read_pairs(paths, target, limit, jobs):
    records = [record for path in paths for record in read_table(path)[1]][:limit]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        answers = list(pool.map(lambda record: predict(record["problem"], target), records))
    pairs = [Pairs(record, default, predicted) for record, (_, default, predicted) in zip(records, answers)]
    return [one for one in pairs if one.measured]


def fit_factors(pairs):
    """For each family, the geometric mean of measured over predicted times."""
    ratios = collections.defaultdict(list)
    for one in pairs:
        for schedule, time in one.measured.items():
            ratios[get_family(schedule)].append(time / one.predicted[schedule])
    return {family: mean(values) for family, values in ratios.items()}


def cross_validate(pairs, folds):
    """The regrets of choices in each fold, by predictions scaled with factors that were fitted to the other folds."""
    regrets = []
    for fold in range(folds):
        rest = [one for place, one in enumerate(pairs) if place % folds != fold]
        factors = fit_factors(rest)
        regrets += [one.regret(factors) for one in pairs[fold::folds]]
    return regrets


def _print_errors(title, groups):
    width = max(map(len, groups)) + 1
    print(f"\n{title:{width}}{'schedules':>10}{'measured/predicted':>20}{'spread':>8}{'10 % below':>12}{'10 % above':>12}")
    for name, values in sorted(groups.items()):
        values.sort()
        low, high = values[len(values) // 10], values[-1 - len(values) // 10]
        print(f"{name:{width}}{len(values):>10}{mean(values):>20.3f}{spread(values):>8.3f}{low:>12.2f}{high:>12.2f}")


def _print_regrets(title, regrets):
    shares = "".join(f", {sum(one <= close for one in regrets) / len(regrets):.1%} within {close:g}" for close in CLOSE)
    print(f"{title}: {mean(regrets):.4f} times the fastest one measured{shares}, worst {max(regrets):.2f}")


def print_report(options):
    pairs = read_pairs(options.data, options.target, options.limit, options.jobs)
    if not pairs:
        raise SystemExit("calibration: error: expects measured schedules that the compiler knows, but got none")
    families, directions = collections.defaultdict(list), collections.defaultdict(list)
    for one in pairs:
        for schedule, time in one.measured.items():
            ratio = time / one.predicted[schedule]
            for groups, name in ((families, get_family(schedule)), (directions, one.direction), (directions, "all")):
                groups[name].append(ratio)
    unknown = sum(one.unknown for one in pairs)
    unmeasured = sum(not one.is_default_measured for one in pairs)
    print(f"{len(pairs)} problems; {unknown} measured schedules are not in the space of this compiler, and the defaults")
    print(f"of {unmeasured} problems were not measured: there the best prediction among those measured stands for it")
    _print_errors("direction", directions)
    _print_errors("family", families)
    print()
    _print_regrets("default", [one.regret() for one in pairs])
    for direction in DIRECTIONS:
        own = [one.regret() for one in pairs if one.direction == direction]
        if own:
            _print_regrets(f"  {direction}", own)
    if len(pairs) >= options.folds > 1:
        _print_regrets(f"with factors of families, {options.folds} folds", cross_validate(pairs, options.folds))
    ratios = [one.library / one.measured[one.choose()] for one in pairs if one.library]
    if ratios:
        print(f"library: {mean(ratios):.3f} times the time of the default, least {min(ratios):.2f}")
    for one in sorted(pairs, key=Pairs.regret, reverse=True)[: options.worst]:
        chosen, best = one.choose(), min(one.measured, key=one.measured.get)
        print(f"\n{one.regret():.3f} {one.line}")
        for name, schedule in (("default", chosen), ("best", best)):
            text = schedule.removeprefix("#conv.schedule<kernel = #conv.").removesuffix(">")
            print(f"  {name:8}{one.measured[schedule]:9.2f} us, predicted {one.predicted[schedule]:9.2f}: {text}")
    return 0
