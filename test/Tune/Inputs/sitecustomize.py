"""Instruments the tasks of conv.tune in child processes. CONV_TEST_TRACE names a file, which gets a line for each call.
CONV_TEST_POISON has pairs such as `crash:64, 48`: a failure, and a part of the schedules that fail so."""

import os
import sys

if "CONV_TEST_TRACE" in os.environ and "conv.tune._isolated" in sys.orig_argv:
    from conv.tune import _tasks

    _poison = [pair.split(":") for pair in os.environ.get("CONV_TEST_POISON", "").split(";") if pair]

    def _trace(name, text):
        descriptor = os.open(os.environ["CONV_TEST_TRACE"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(descriptor, f"{name} {os.getpid()} {text}\n".encode())
        os.close(descriptor)

    def _wrap_compile(function):
        def _compile(problem, target, candidate):
            _trace("compile", candidate.schedule)
            for what, part in _poison:
                if part in candidate.schedule:
                    if what == "crash":
                        os.kill(os.getpid(), 11)
                    if what == "hang":
                        import time

                        time.sleep(1000)
            return function(problem, target, candidate)

        return _compile

    def _wrap_verify(function):
        def _verify(device, problem, pack):
            import conv

            error = function(device, problem, pack)
            [entry] = conv.load(pack).entries
            schedule = _tasks.plain(entry.schedule)  # The default's says that the model chose it.
            if any(what == "memory" and part in schedule for what, part in _poison):
                raise MemoryError("Unable to allocate 2.00 TiB")
            return 1e9 if any(what == "wrong" and part in schedule for what, part in _poison) else error

        return _verify

    def _wrap_time(function):
        def _time(device, problem, packs, protocol):
            import conv

            times = function(device, problem, packs, protocol)
            for pack in packs:
                [entry] = conv.load(pack).entries
                _trace("time", f"{entry.problem} {_tasks.plain(entry.schedule)}")
            return times

        return _time

    for _name, _wrapper in (("_compile", _wrap_compile), ("_verify", _wrap_verify), ("_time", _wrap_time)):
        _wrapped = _wrapper(getattr(_tasks, _name))
        _wrapped.__module__, _wrapped.__qualname__ = _tasks.__name__, _name
        setattr(_tasks, _name, _wrapped)
