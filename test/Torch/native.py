# RUN: %torch-python %s
"""libconv_python.so gives what the code in Python gives, and leaves to it what is unusual."""

import contextlib
import ctypes
import gc
import itertools
import mmap
import os
import signal
import sys
import threading
import time
import unittest
from unittest import mock

import shortcuts
import torch
import torch.nn.functional as F
from torch.utils.checkpoint import checkpoint

import conv.torch
import conv.torch.functional as CF
from conv._library import library
from conv.torch import _autograd, _calls, _choices, _kernel, _native, _operators, _shortcuts


LIBC = ctypes.CDLL(None)
LIBC.mmap.restype = ctypes.c_size_t
LOW_ADDRESSES = itertools.count(1 << 36, 1 << 24)
ANONYMOUS = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS


def negated(tensor):
    """The same values, which memory has with the other sign."""
    return torch._neg_view(tensor.neg())


def misaligned(tensor):
    """The same values at an address that is no multiple of 16."""
    memory = torch.empty(tensor.numel() + 1)[1:]
    return memory.as_strided(tensor.shape, tensor.stride()).copy_(tensor)


def at_low_address(tensor):
    """The same values where the allocators of some GPUs place memory, and offsets in storages without memory are."""
    size = tensor.nbytes
    address = LIBC.mmap(ctypes.c_void_p(next(LOW_ADDRESSES)), ctypes.c_size_t(size), mmap.PROT_READ | mmap.PROT_WRITE, ANONYMOUS, -1, 0)
    assert 0 < address < _native.USUAL_ADDRESS
    memory = torch.frombuffer((ctypes.c_char * size).from_address(address), dtype=tensor.dtype)
    return memory.as_strided(tensor.shape, tensor.stride()).copy_(tensor)


class WithoutLibrary(shortcuts.Shortcuts):
    """What `shortcuts` tests holds without it, too."""

    def setUp(self):
        patch = mock.patch.multiple(_native, make_launcher=None, launch=None, forward=None, forward_key=None)
        patch.start()
        self.addCleanup(patch.stop)
        self.addCleanup(_calls.forget)
        super().setUp()


class Native(unittest.TestCase):
    def setUp(self):
        conv.torch.settings.measure = False
        _choices.forget()
        _calls.forget()
        torch.manual_seed(0)
        self.x, self.w, self.b = torch.randn(2, 4, 7, 9), torch.randn(6, 4, 3, 3), torch.randn(6)

    @contextlib.contextmanager
    def expect_native(self):
        """The code in Python must not compute anything here."""
        with contextlib.ExitStack() as stack:
            for module, name in ((_calls, "run_known"), (_calls, "run_again"), (_operators, "run"), (_autograd, "gradients")):
                stack.enter_context(mock.patch.object(module, name, side_effect=AssertionError("not native")))
            yield

    def step(self, f, x, w, b, start, **window):
        operands = [None if t is None else t.detach().requires_grad_(t.requires_grad or t is not x) for t in (x, w, b)]
        result = f(*operands, **window)
        wanted = [t for t in operands if t is not None and t.requires_grad]
        return result.detach(), *torch.autograd.grad(result, wanted, start)

    def test_is_loaded(self):
        for name in ("make_launcher", "launch", "forward", "forward_key", "backward_key"):
            self.assertIsNotNone(getattr(_native, name), name)

    def test_both_directions(self):
        """Of all kinds: one call of the library computes each."""
        last = torch.channels_last
        cases = (
            (CF.conv2d, F.conv2d, self.x, self.w, dict(padding=1)),
            (CF.conv2d, F.conv2d, self.x.to(memory_format=last), self.w.to(memory_format=last), dict(stride=(2, 1))),
            (CF.conv2d, F.conv2d, self.x, torch.randn(6, 2, 3, 3), dict(groups=2, dilation=2, padding=(1, 2))),
            (CF.conv1d, F.conv1d, torch.randn(2, 4, 9), torch.randn(6, 4, 3), dict(padding="same")),
            (CF.conv3d, F.conv3d, torch.randn(2, 4, 5, 6, 7), torch.randn(6, 4, 3, 1, 3), {}),
            (CF.conv_transpose2d, F.conv_transpose2d, self.x, torch.randn(4, 6, 3, 3), dict(stride=2, output_padding=1)),
            (CF.conv_transpose1d, F.conv_transpose1d, torch.randn(2, 4, 9), torch.randn(4, 3, 3), dict(groups=2)),
        )
        for ours, theirs, x, w, window in cases:
            for bias in (None, self.b):
                with self.subTest(f=ours.__name__, bias=bias is not None, **window):
                    start = torch.randn_like(theirs(x, w, bias, **window))
                    expected = self.step(theirs, x, w, bias, start, **window)
                    for _ in range(2):
                        self.step(ours, x, w, bias, start, **window)
                    with self.expect_native():
                        found = self.step(ours, x, w, bias, start, **window)
                        with torch.no_grad():
                            torch.testing.assert_close(ours(x, w, bias, **window), found[0])
                    for mine, reference in zip(found, expected):
                        torch.testing.assert_close(mine, reference, rtol=1e-4, atol=1e-3)
                        self.assertEqual(mine.dtype, reference.dtype)
                    self.assertEqual(found[0].stride(), expected[0].stride())

    def test_types(self):
        for dtype in (torch.float16, torch.bfloat16):
            x, w, b = (t.to(dtype) for t in (self.x, self.w, self.b))
            start = torch.randn_like(F.conv2d(x, w, b))
            expected = self.step(F.conv2d, *(t.double() for t in (x, w, b)), start.double())
            for _ in range(2):
                self.step(CF.conv2d, x, w, b, start)
            with self.expect_native():
                found = self.step(CF.conv2d, x, w, b, start)
            for mine, reference in zip(found, expected):
                self.assertEqual(mine.dtype, dtype)
                torch.testing.assert_close(mine.double(), reference, rtol=2e-2, atol=2e-1)

    def test_workspace(self):
        """Of the gradient of a filter, whose sums are split."""
        x, w = torch.randn(1, 16, 56, 56), torch.randn(16, 16, 3, 3)
        start = torch.randn(1, 16, 54, 54)
        for _ in range(2):
            self.step(CF.conv2d, x, w, None, start)
        self.assertTrue(any(known.choice.kernel._workspace_bytes for known in _calls._known.values()))
        with self.expect_native():
            found = self.step(CF.conv2d, x, w, None, start)
        for mine, reference in zip(found, self.step(F.conv2d, x, w, None, start)):
            torch.testing.assert_close(mine, reference, rtol=1e-4, atol=1e-3)

    def test_bias_sums(self):
        """Of any strides of the output's gradient, with the same bits in each call."""
        for shape in ((2, 6, 5, 7), (1, 6, 1, 1), (8, 6, 60, 62)):
            w, b = self.w[:, :, :1, :1].clone().requires_grad_(), self.b.clone().requires_grad_()
            x = torch.randn(shape[0], 4, *shape[2:])
            start = torch.randn(shape)
            expanded = torch.randn(shape[0], 6, 1, 1).expand(shape)
            transposed = torch.randn(*shape[:2], shape[3], shape[2]).transpose(2, 3)
            for grad in (start, start.to(memory_format=torch.channels_last), expanded, transposed, negated(start)):
                found = torch.autograd.grad(CF.conv2d(x, w, b), b, grad)[0]
                for _ in range(3):
                    self.assertTrue(torch.equal(torch.autograd.grad(CF.conv2d(x, w, b), b, grad)[0], found))
                torch.testing.assert_close(found.double(), grad.double().sum(dim=(0, 2, 3)), rtol=1e-5, atol=1e-4)

    def test_unusual_operands(self):
        """Python handles them, with the same results, after the library has seen a usual call of the same sizes."""
        expected = F.conv2d(self.x, self.w, self.b)
        start = torch.randn_like(expected)
        gradients = self.step(F.conv2d, self.x, self.w, self.b, start)
        for _ in range(3):
            self.step(CF.conv2d, self.x, self.w, self.b, start)
        CF.conv2d(self.x, self.w, self.b)
        for change in (negated, misaligned):
            for place in range(3):
                given = [change(t) if at == place else t for at, t in enumerate((self.x, self.w, self.b))]
                torch.testing.assert_close(CF.conv2d(*given), expected, rtol=1e-4, atol=1e-4)
                torch.testing.assert_close(self.step(CF.conv2d, *given, start), gradients, rtol=1e-4, atol=1e-3)
            torch.testing.assert_close(
                self.step(CF.conv2d, self.x, self.w, self.b, change(start)), gradients, rtol=1e-4, atol=1e-3
            )
        zeros = torch._efficientzerotensor(self.x.shape)
        torch.testing.assert_close(CF.conv2d(zeros, self.w), torch.zeros_like(expected))

        class Special(torch.Tensor):
            pass

        self.assertIs(type(CF.conv2d(self.x.as_subclass(Special), self.w, self.b)), Special)
        self.assertTrue(CF.conv2d(self.x.to("meta"), self.w.to("meta")).is_meta)
        for wrong in (None, 3, "x", self.x.to_sparse(), self.x.double(), self.x[0, 0]):
            with self.assertRaises(Exception):
                CF.conv2d(wrong, self.w, self.b)

    def test_low_addresses(self):
        given = [at_low_address(t) for t in (self.x, self.w, self.b)]
        expected = CF.conv2d(*given)
        with self.expect_native():
            torch.testing.assert_close(CF.conv2d(*given), expected)
        freed = self.x.clone()
        freed.untyped_storage().resize_(0)
        with self.assertRaisesRegex(RuntimeError, "the storage of one of shape"):
            CF.conv2d(freed, self.w, self.b)

    def test_launch(self):
        """It declines tensors that its kernel is not for, and kernels that are not in use."""
        CF.conv2d(self.x, self.w)
        [known] = _calls._known.values()
        torch.testing.assert_close(_native.launch(known.launcher, self.x, self.w), CF.conv2d(self.x, self.w))
        calls = known.choice.calls
        for operands in ((self.x,), (self.x, self.w, self.b), (self.x, None), (self.x.to("meta"), self.w), [self.x] * 9):
            self.assertIsNone(_native.launch(known.launcher, *operands))
        kernel, known.choice.kernel = known.choice.kernel, None
        self.assertIsNone(_native.launch(known.launcher, self.x, self.w))
        known.choice.kernel = kernel
        self.assertEqual(known.choice.calls, calls)

    def test_changed_in_place(self):
        for place in range(2):
            operands = [self.x.clone().requires_grad_(), self.w.clone().requires_grad_()]
            for _ in range(3):
                CF.conv2d(*operands).sum().backward()
            result = CF.conv2d(*operands)
            with torch.no_grad():
                operands[place].mul_(2)
            with self.assertRaisesRegex(RuntimeError, "modified by an inplace operation"):
                result.sum().backward()

    def test_graph_is_freed(self):
        w = self.w.clone().requires_grad_()
        for _ in range(3):
            result = CF.conv2d(self.x, w).sum()
            result.backward()
        with self.assertRaisesRegex(RuntimeError, "second time"):
            result.backward()

    def test_checkpoint(self):
        """Its hooks allow that saved tensors are read once."""
        w = self.w.clone().requires_grad_()
        for _ in range(4):
            w.grad = None
            checkpoint(lambda x: CF.conv2d(x, w), self.x, use_reentrant=False).square().sum().backward()
        expected = torch.autograd.grad(F.conv2d(self.x, w).square().sum(), w)[0]
        torch.testing.assert_close(w.grad, expected, rtol=1e-4, atol=1e-3)

    def test_hooks_of_nodes(self):
        w = self.w.clone().requires_grad_()
        for _ in range(3):
            result = CF.conv2d(self.x, w)
            seen = []
            result.grad_fn.register_prehook(lambda grads, seen=seen: seen.append(grads[0].shape))
            result.grad_fn.register_hook(lambda given, grads, seen=seen: seen.append([g is not None for g in given].count(True)))
            result.sum().backward()
            self.assertEqual(seen[-2:], [result.shape, 1])

    def test_compiled_autograd(self):
        """It traces the node's backward in Python."""
        w, b = self.w.clone().requires_grad_(), self.b.clone().requires_grad_()
        for _ in range(2):
            CF.conv2d(self.x, w, b).square().sum().backward()
        expected = torch.autograd.grad(F.conv2d(self.x, w, b).square().sum(), (w, b))
        for _ in range(2):
            w.grad = b.grad = None
            with torch._dynamo.compiled_autograd._enable(torch.compile(backend="eager")):
                CF.conv2d(self.x, w, b).square().sum().backward()
            torch.testing.assert_close((w.grad, b.grad), expected, rtol=1e-4, atol=1e-3)

    def test_batch_of_gradients(self):
        w = self.w.clone().requires_grad_()
        for _ in range(3):
            result = CF.conv2d(self.x, w)
            result.sum().backward()
        starts = torch.randn(3, *result.shape)
        found = torch.autograd.grad(CF.conv2d(self.x, w), w, starts, is_grads_batched=True)[0]
        expected = torch.autograd.grad(F.conv2d(self.x, w), w, starts, is_grads_batched=True)[0]
        torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-3)

    def test_double_backward(self):
        operands = [t.clone().requires_grad_() for t in (self.x, self.w, self.b)]

        def second(f):
            grads = torch.autograd.grad(f(*operands).square().sum(), operands, create_graph=True)
            return torch.autograd.grad(sum(grad.square().sum() for grad in grads), operands)

        for _ in range(3):
            CF.conv2d(*operands).sum().backward()
        for mine, reference in zip(second(CF.conv2d), second(F.conv2d)):
            torch.testing.assert_close(mine, reference, rtol=1e-4, atol=1e-1)

    def test_threads(self):
        """Calls in several threads, while another one clears the caches."""
        operands = [t.clone().requires_grad_() for t in (self.x, self.w, self.b)]
        start = torch.randn(2, 6, 5, 7)
        expected = torch.autograd.grad(F.conv2d(*operands), operands, start)
        failures, running = [], [True]

        def work():
            try:
                for _ in range(200):
                    found = torch.autograd.grad(CF.conv2d(*operands), operands, start)
                    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-3)
            except BaseException as error:  # noqa: BLE001
                failures.append(error)

        def clear():
            while running:
                _calls.forget()

        threads = [threading.Thread(target=work) for _ in range(3)]
        clearer = threading.Thread(target=clear)
        for thread in (*threads, clearer):
            thread.start()
        for thread in threads:
            thread.join()
        running.clear()
        clearer.join()
        self.assertFalse(failures, failures[:1])

    def test_number_of_threads(self):
        """Kernels run on as many threads as PyTorch's operators, with the library and without."""
        before, seen = torch.get_num_threads(), []
        run = library.conv_limit_threads

        def limit(most):
            seen.append(most)
            run(most)

        self.addCleanup(torch.set_num_threads, before)
        torch.set_num_threads(1)
        expected = F.conv2d(self.x, self.w)
        with mock.patch.object(_kernel, "library", mock.Mock(conv_limit_threads=limit)):
            CF.conv2d(self.x, self.w)
            [known] = _calls._known.values()
            known.choice.kernel._threads = 2
            with mock.patch.object(_native, "forward", None), mock.patch.object(_native, "launch", return_value=None):
                torch.testing.assert_close(CF.conv2d(self.x, self.w), expected, rtol=1e-4, atol=1e-4)
                self.assertEqual(seen[-2:], [1, 0])
                torch.set_num_threads(2)
                CF.conv2d(self.x, self.w)
                self.assertEqual(len(seen) % 2, 0)
                self.assertEqual(seen[-2:], [1, 0])
        torch.set_num_threads(1)
        large = torch.randn(8, 16, 64, 64), torch.randn(32, 16, 3, 3)
        CF.conv2d(*large)
        threads = len(os.listdir("/proc/self/task"))
        switches = self.count_switches()
        calls = 20
        for _ in range(calls):
            CF.conv2d(*large)
        self.assertEqual(len(os.listdir("/proc/self/task")), threads)
        # Without the limit, each call wakes another thread.
        self.assertLess(self.count_switches() - switches, calls)

    @unittest.skipIf(len(os.sched_getaffinity(0)) < 2, "needs two processors")
    def test_threads_are_those_of_pytorch(self):
        """Kernels start none in the thread that imports conv.torch, and a child of a fork, which has none, works alone. Other
        threads, and `share_threads(False)`, use conv's."""
        self.addCleanup(torch.set_num_threads, torch.get_num_threads())
        self.addCleanup(conv.torch.share_threads)
        torch.set_num_threads(2)
        operands = torch.randn(8, 16, 64, 64), torch.randn(32, 16, 3, 3)
        expected = F.conv2d(*operands)
        teams = []

        @ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint, ctypes.c_uint)
        def note(member, context, threads, flags):
            teams.append(threads)
            ctypes.CFUNCTYPE(None, ctypes.c_void_p)(member)(context)

        def compute():
            for _ in range(10):
                torch.testing.assert_close(CF.conv2d(*operands), expected, rtol=1e-4, atol=1e-4)

        compute()
        threads = len(os.listdir("/proc/self/task"))
        compute()
        self.assertEqual(len(os.listdir("/proc/self/task")), threads)
        child = os.fork()
        if child == 0:
            signal.alarm(60)
            found = CF.conv2d(*operands)
            os._exit(0 if abs(found.numpy() - expected.numpy()).max() < 1e-3 else 1)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        with mock.patch.object(library, "conv_use_team") as lend:
            self.assertFalse(conv.torch.share_threads(False))
            self.assertTrue(conv.torch.share_threads())
        self.assertEqual([call.args[0] is None for call in lend.call_args_list], [True, False])
        library.conv_use_team(note)
        until = time.monotonic() + 30
        while not teams and time.monotonic() < until:  # On a loaded machine, kernels stay on one thread for a while.
            compute()
        mine = len(teams)
        self.assertEqual(set(teams), {2})
        other = threading.Thread(target=compute)
        other.start()
        other.join()
        self.assertEqual(len(teams), mine)

    def test_more_threads_than_processors(self):
        """Kernels know how many threads PyTorch's operators use, also if conv has fewer: such teams are not shared."""
        self.addCleanup(torch.set_num_threads, torch.get_num_threads())
        operands = torch.randn(1, 5, 9, 9), torch.randn(3, 5, 3, 3)
        CF.conv2d(*operands)
        choice = next(known.choice for known in _calls._known.values() if known.shape == (1, 3, 7, 7))
        for more in (0, 1):
            torch.set_num_threads(choice.kernel._threads + more)
            with mock.patch.object(library, "conv_limit_threads") as limit:
                choice.kernel(operands, torch.empty(1, 3, 7, 7))
            self.assertEqual([call.args[0] for call in limit.call_args_list], [choice.kernel._threads + 1, 0] if more else [])

    def test_allocation(self):
        """Results are allocated by the function of compiled code, or by another PyTorch's `torch.empty_strided`."""
        device, x = torch.device("cpu"), self.x.half()
        self.assertIsNotNone(_native.find_empty_strided(device))
        expected = CF.conv2d(x, self.w.half())
        for function in (_native.find_empty_strided(device), None):
            with mock.patch.object(_native, "find_empty_strided", return_value=function) as find:
                _calls.forget()
                CF.conv2d(x, self.w.half())
                find.assert_called_once_with(device)
            with self.expect_native():
                found = CF.conv2d(x, self.w.half())
            torch.testing.assert_close(found, expected, rtol=0, atol=0)
            self.assertEqual((found.stride(), type(found)), (expected.stride(), torch.Tensor))
        wrong = mock.Mock(return_value=torch.empty(3, 2))
        for function in (wrong, mock.Mock(side_effect=TypeError)):
            with mock.patch.object(torch._C._dynamo.guards, "_empty_strided_cpu", function):
                self.assertIsNone(_native.find_empty_strided.__wrapped__(device))
        with mock.patch.object(torch.cuda, "device_count", return_value=2):
            self.assertIsNone(_native.find_empty_strided.__wrapped__(torch.device("cuda", 0)))

    @unittest.skipIf(len(os.sched_getaffinity(0)) < 2, "needs two processors")
    def test_threads_of_schedules(self):
        """Schedules are ranked for as many threads as PyTorch uses."""
        self.addCleanup(torch.set_num_threads, torch.get_num_threads())
        torch.set_num_threads(1)
        with mock.patch.object(_choices, "compile_problem", wraps=_choices.compile_problem) as compiled:
            CF.conv2d(torch.randn(1, 5, 9, 7), torch.randn(3, 5, 3, 3))
        self.assertEqual(compiled.call_args.args[2], 1)

    def count_switches(self):
        """How often threads other than this one went to sleep."""
        total = 0
        for task in os.listdir("/proc/self/task"):
            if int(task) != threading.get_native_id():
                with open(f"/proc/self/task/{task}/status") as status:
                    total += sum(int(line.split()[1]) for line in status if line.startswith("voluntary"))
        return total

    def test_profiler(self):
        """It sees the kernels of both directions, also in calls like earlier ones."""
        operands = [t.clone().requires_grad_() for t in (self.x, self.w)]

        def work():
            with torch.no_grad():
                CF.conv2d(self.x, self.w)
            torch.autograd.grad(CF.conv2d(*operands).sum(), operands)

        for _ in range(2):
            work()
        activities = [torch.profiler.ProfilerActivity.CPU]
        with torch.profiler.profile(activities=activities) as profile:
            work()
        found = {event.key: event.count for event in profile.key_averages() if event.key.startswith("conv.torch::")}
        self.assertEqual(len(found), 3, found)  # Forward twice, data and weight.
        self.assertEqual(sorted(found.values()), [1, 1, 2])

    def test_nothing_leaks(self):
        operands = [t.clone().requires_grad_() for t in (self.x, self.w, self.b)]
        start = torch.randn(2, 6, 5, 7)

        def work(count):
            for _ in range(count):
                torch.autograd.grad(CF.conv2d(*operands), operands, start)
                CF.conv2d(self.x, self.w)

        work(10)
        gc.collect()
        entries = _shortcuts.native_entries.values()
        tracked = (*operands, start, _native.settings, torch.empty_strided, torch.float32, *entries)
        before = [sys.getrefcount(each) for each in tracked], len(gc.get_objects())
        work(300)
        gc.collect()
        after = [sys.getrefcount(each) for each in tracked], len(gc.get_objects())
        for mine, reference in zip(after[0], before[0]):
            self.assertLess(abs(mine - reference), 100)
        self.assertLess(abs(after[1] - before[1]), 100)


del shortcuts.Shortcuts  # It ran in its own file.

if __name__ == "__main__":
    unittest.main()
