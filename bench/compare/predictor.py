"""What the compiler on the path predicts, with its own constants and with others."""

import concurrent.futures
import json
import subprocess


class Refused(ValueError):
    """The compiler refuses a request."""


def _run(*arguments, text=None):
    return subprocess.run(arguments, input=text, capture_output=True, text=True)


def _generate(problem):
    done = _run("conv-gen", *problem.split())
    return done.stdout if done.returncode == 0 else None


def generate_all(problems, jobs):
    """The modules of problems; None for a problem that conv-gen refuses."""
    problems = list(problems)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        return dict(zip(problems, pool.map(_generate, problems)))


def read_constants(target):
    """The constants of a target that are not zero, by name."""
    done = _run("conv-predict", "--constants", target)
    if done.returncode != 0:
        raise Refused(done.stderr.strip())
    return json.loads(done.stdout)


def _answer(requests):
    done = _run("conv-predict", text="".join(json.dumps(one) + "\n" for one in requests))
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    if len(answers) != len(requests):
        raise Refused(f"conv-predict ended with {done.returncode} after {len(answers)} answers: {done.stderr.strip()}")
    return answers


def ask(requests, jobs):
    """The answers of conv-predict, in the order of the requests, by as many processes as there are jobs."""
    parts = [requests[place::jobs] for place in range(min(jobs, len(requests)))]
    answers = [None] * len(requests)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for place, part in enumerate(pool.map(_answer, parts)):
            answers[place :: len(parts)] = part
    return answers
