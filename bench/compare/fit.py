"""How far the cost models are from measured times, in and out of the sample that their constants were fitted to.

Problems are divided into folds. For each fold, the constants of `conv/Chip/Calibration.h` are fitted to the problems of
all other folds, starting from the values of the compiler on the path, and that compiler predicts the fold with them. So
the out-of-sample errors are those of problems that these constants have not seen, as far as the starting values have
not: the prior of the fit (regression.py) lets a constant go where the other folds want it.
"""

import collections
import dataclasses
import hashlib
import json
import math
import statistics

from measured import read_measured
from predictor import Refused, ask, generate_all, read_constants
from problem import DIRECTIONS
from regression import Row, fit_changes
from schedules import get_family, shorten

DATA = ("bench/calibration/sm_90a.jsonl", "bench/calibration/sm_90a_later.jsonl", "share/conv/sm_90a.db")
#: A choice that takes more than these times as long as the fastest schedule measured is counted.
BOUNDS = (1.05, 1.12)
#: A change of a constant by less than this is not printed.
NOTABLE = 1.2
#: Constants that change a time by less than this power of their own change are left out of a fit.
_LEAST_DERIVATIVE = 0.003
SHIPPED, INSIDE, OUTSIDE = "shipped", "in_sample", "out_of_sample"
WAYS = (SHIPPED, INSIDE, OUTSIDE)


@dataclasses.dataclass
class Sample:
    """The schedules of a measured record that the compiler can predict."""

    target: str
    line: str  #: As the compiler spells the problem.
    module: str
    schedules: list
    microseconds: list
    derivatives: dict
    predicted: dict = dataclasses.field(default_factory=dict)  #: Microseconds, by way.

    @property
    def direction(self):
        number = int(self.line.split(" -F ")[1].split()[0])
        return next(name for name, own in DIRECTIONS.items() if own == number)

    def request(self, constants=None, derivatives=False):
        return {
            "module": self.module,
            "target": self.target,
            "schedules": self.schedules,
            "constants": constants or {},
            "derivatives": derivatives,
        }

    def rows(self):
        """What a fit sees: all schedules of a problem together count as the root of their number."""
        weight = len(self.schedules) ** -0.5
        for place, schedule in enumerate(self.schedules):
            own = {name: all_of[place] for name, all_of in self.derivatives.items()}
            kept = {name: value for name, value in own.items() if abs(value) >= _LEAST_DERIVATIVE}
            yield Row(math.log(self.microseconds[place] / self.predicted[SHIPPED][place]), kept, weight)

    def choice(self, way):
        """The schedule with the least prediction."""
        return min(range(len(self.schedules)), key=self.predicted[way].__getitem__)

    def regret(self, way):
        return self.microseconds[self.choice(way)] / min(self.microseconds)


def _differentiate(records, jobs):
    """The samples of the records, and how many schedules the compiler does not have for their problems."""
    modules = generate_all({record.problem for record in records}, jobs)
    known = [record for record in records if modules[record.problem]]
    requests = [
        {
            "module": modules[record.problem],
            "target": record.target,
            "schedules": list(record.microseconds),
            "derivatives": True,
        }
        for record in known
    ]
    samples, unknown = [], sum(len(record.microseconds) for record in records if not modules[record.problem])
    for record, answer in zip(known, ask(requests, jobs)):
        if "error" in answer:
            raise Refused(f"{record.problem}: {answer['error']}")
        places = [place for place, seconds in enumerate(answer["seconds"]) if seconds]
        unknown += len(record.microseconds) - len(places)
        if not places:
            continue
        schedules, times = zip(*record.microseconds.items())
        sample = Sample(
            record.target,
            answer["problem"],
            modules[record.problem],
            [schedules[place] for place in places],
            [times[place] for place in places],
            {name: [values[place] for place in places] for name, values in answer["derivatives"].items()},
        )
        sample.predicted[SHIPPED] = [answer["seconds"][place] * 1e6 for place in places]
        samples.append(sample)
    return samples, unknown


def divide(samples, folds):
    """Folds of the samples: all samples of a problem are in one, and the order of files does not matter."""
    lines = sorted({sample.line for sample in samples}, key=lambda line: hashlib.sha256(line.encode()).hexdigest())
    places = {line: place % folds for place, line in enumerate(lines)}
    divided = [[] for _ in range(folds)]
    for sample in samples:
        divided[places[sample.line]].append(sample)
    return divided


def _predict(samples, constants, way, jobs):
    """Sets the predictions of samples with fitted constants."""
    for sample, answer in zip(samples, ask([sample.request(constants) for sample in samples], jobs)):
        if "error" in answer:
            raise Refused(f"{sample.line}: {answer['error']}")
        sample.predicted[way] = [seconds * 1e6 for seconds in answer["seconds"]]


def _fit(samples, shipped):
    """The constants that fit the samples."""
    factors = fit_changes([row for sample in samples for row in sample.rows()])
    return {name: shipped[name] * factor for name, factor in factors.items()}


def cross_validate(samples, folds, jobs):
    """Predict samples in and out of the sample, and return the fitted constants: of all samples, and without each fold."""
    shipped = read_constants(samples[0].target)
    everything = _fit(samples, shipped)
    _predict(samples, everything, INSIDE, jobs)
    divided, without = divide(samples, folds), []
    for fold, left_out in enumerate(divided):
        rest = [sample for place, other in enumerate(divided) if place != fold for sample in other]
        without.append(_fit(rest, shipped))
        _predict(left_out, without[-1], OUTSIDE, jobs)
    return {
        name: {SHIPPED: shipped[name], "fitted": value, "folds": [own.get(name, shipped[name]) for own in without]}
        for name, value in everything.items()
    }


def _describe_errors(pairs):
    """The median and the 90th percentile of the absolute logarithms of measured over predicted times."""
    errors = sorted(abs(math.log(measured / predicted)) for measured, predicted in pairs)
    return {"median": statistics.median(errors), "p90": errors[min(len(errors) - 1, len(errors) * 9 // 10)]}


def _describe_choices(regrets):
    mean = math.exp(statistics.fmean(map(math.log, regrets)))
    over = {f"over_{bound:g}": sum(one > bound for one in regrets) / len(regrets) for bound in BOUNDS}
    return {"mean": mean, **over, "worst": max(regrets)}


def summarize(samples):
    """The errors of each family, and the choices in each direction, for each way to predict."""
    families = collections.defaultdict(lambda: collections.defaultdict(list))
    for sample in samples:
        for place, schedule in enumerate(sample.schedules):
            for way in WAYS:
                pair = (sample.microseconds[place], sample.predicted[way][place])
                families[get_family(schedule)][way].append(pair)
                families["all"][way].append(pair)
    errors = {
        family: {"schedules": len(ways[SHIPPED]), **{way: _describe_errors(pairs) for way, pairs in ways.items()}}
        for family, ways in sorted(families.items(), key=lambda item: (item[0] != "all", -len(item[1][SHIPPED])))
    }
    choices = {}
    for name in ("all", *DIRECTIONS):
        chosen = [one for one in samples if name in ("all", one.direction) and len(one.schedules) > 1]
        if chosen:
            ways = {way: _describe_choices([one.regret(way) for one in chosen]) for way in WAYS}
            choices[name] = {"problems": len(chosen), **ways}
    return {"errors": errors, "choices": choices}


def fit(files, target, folds, limit, jobs):
    """The report on measured times: an object that --json prints."""
    records = [record for path in files for record in read_measured(path, target)]
    chosen = [record for record in records if record.target == target]
    samples, unknown = _differentiate(chosen[:limit], jobs)
    if len({sample.line for sample in samples}) < folds:
        raise Refused(
            f"expects measured schedules of at least {folds} problems for {target}, one for each fold,"
            f" but got {len({sample.line for sample in samples})}"
        )
    constants = cross_validate(samples, folds, jobs)
    about = {
        "target": target,
        "files": [str(path) for path in files],
        "problems": len({sample.line for sample in samples}),
        "schedules": sum(len(sample.schedules) for sample in samples),
        "unknown": unknown,
        "folds": folds,
    }
    return {**about, **summarize(samples), "constants": constants}, samples


def _print_ways(title, count, width):
    print(f"\n{'':{width}}{'':>10}" + "".join(f"{way.replace('_', ' '):>{count}}" for way in WAYS))
    print(title)


def _print_errors(errors):
    width = max(map(len, errors)) + 1
    columns = "".join(f"{'median':>10}{'90 %':>8}" for _ in WAYS)
    _print_ways(f"{'|log ratio| of family':{width}}{'schedules':>10}{columns}", 18, width)
    for family, own in errors.items():
        cells = "".join(f"{own[way]['median']:>10.3f}{own[way]['p90']:>8.3f}" for way in WAYS)
        print(f"{family:{width}}{own['schedules']:>10}{cells}")


def _print_choices(choices):
    columns = "".join(f"{'mean':>10}{'>1.05':>8}{'>1.12':>8}{'worst':>7}" for _ in WAYS)
    _print_ways(f"{'least prediction':22}{'problems':>10}{columns}", 33, 22)
    for name, own in choices.items():
        cells = "".join(
            f"{own[way]['mean']:>10.4f}{own[way]['over_1.05']:>8.1%}{own[way]['over_1.12']:>8.1%}{own[way]['worst']:>7.2f}"
            for way in WAYS
        )
        print(f"{name:22}{own['problems']:>10}{cells}")


def _print_constants(constants):
    print(f"\nconstants that all fits change by more than {NOTABLE:g} times in one direction")
    for name, own in sorted(constants.items()):
        factors = [value / own[SHIPPED] for value in (own["fitted"], *own["folds"])]
        if min(factors) > NOTABLE or max(factors) < 1 / NOTABLE:
            spread = f"{min(own['folds']):.3g} to {max(own['folds']):.3g}"
            print(f"  {name:40} {own[SHIPPED]:10.3g} {own['fitted']:10.3g} ({spread})")


def _print_worst(samples, count):
    for one in sorted(samples, key=lambda one: one.regret(SHIPPED), reverse=True)[:count]:
        print(f"\n{one.regret(SHIPPED):.3f} {one.line}")
        best = min(range(len(one.schedules)), key=one.microseconds.__getitem__)
        for name, place in (("chosen", one.choice(SHIPPED)), ("best", best)):
            time, predicted = one.microseconds[place], one.predicted[SHIPPED][place]
            print(f"  {name:8}{time:9.2f} us, predicted {predicted:9.2f}: {shorten(one.schedules[place])}")


def run_fit(options):
    try:
        report, samples = fit(options.files, options.target, options.folds, options.limit, options.jobs)
    except Refused as error:
        raise SystemExit(f"compare: error: {error}") from error
    if options.json:
        print(json.dumps(report))
        return 0
    print(f"{report['problems']} problems, {report['schedules']} schedules; {report['unknown']} others are not known")
    _print_errors(report["errors"])
    _print_choices(report["choices"])
    _print_constants(report["constants"])
    _print_worst(samples, options.worst)
    return 0
