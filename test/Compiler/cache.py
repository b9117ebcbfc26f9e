# RUN: rm -rf %t && mkdir %t && %python %s %t
"""The cache: neither the content of its folder nor any damage changes the results."""

import os
import pathlib
import resource
import signal
import stat
import subprocess
import sys
import time
import unittest

import conv
from conv import _compiler

ROOT = pathlib.Path(sys.argv.pop())


def problem(k=8):
    return conv.Problem(n=1, c=8, k=k, input=(6, 6), filter=(3, 3), dtype="f16")


def run(folder, code):
    """Run `code` in a new process; return its memory hits, file hits and compilations."""
    prologue = "import conv\nfrom conv import _compiler\n"
    prologue += "def get(k=8): return conv.compile(conv.Problem(n=1, c=8, k=k, input=(6, 6), filter=(3, 3), dtype='f16'), 'host')\n"
    done = subprocess.run(
        [sys.executable, "-c", f"{prologue}{code}\nprint(*_compiler.statistics().values())"],
        env={**os.environ, "CONV_CACHE_DIR": str(folder)},
        capture_output=True,
        text=True,
        check=True,
    )
    return tuple(map(int, done.stdout.split()[-3:]))


class Cache(unittest.TestCase):
    def setUp(self):
        self.folder = ROOT / self.id()
        self.right = conv.compile(problem(), "host", cache=False)

    def files(self):
        return sorted(self.folder.glob("*.convpack"))

    def test_memory_and_files(self):
        self.assertEqual(run(self.folder, "get(); get(); get(16)"), (1, 0, 2))
        self.assertEqual(run(self.folder, "get(); get()"), (1, 1, 0))
        self.assertEqual(len(self.files()), 2)
        self.assertEqual(stat.S_IMODE(self.folder.stat().st_mode), 0o700)
        self.assertIn(self.right, [file.read_bytes() for file in self.files()])

    def test_options_that_almost_agree(self):
        code = (
            "problem = conv.Problem(n=1, c=8, k=8, input=(6, 6), filter=(3, 3))\n"
            "for most in (2.0, 2.0000000001): conv.compile(problem, 'host', max_error=most)\n"
        )
        self.assertEqual(run(self.folder, code), (0, 0, 2))

    def test_broken_files(self):
        run(self.folder, "get()")
        (file,) = self.files()
        whole = file.read_bytes()
        middle = len(whole) // 2
        for content in (b"", whole[:middle], whole[:middle] + b"\0" * 64 + whole[middle + 64 :], b"nonsense"):
            file.write_bytes(content)
            self.assertEqual(run(self.folder, "get()"), (0, 0, 1))
            self.assertEqual(file.read_bytes(), whole, "it is written again")

    def test_what_others_can_write(self):
        run(self.folder, "get()")
        (file,) = self.files()
        file.chmod(0o666)
        self.assertEqual(run(self.folder, "get()"), (0, 0, 1))
        file.chmod(0o600)
        self.folder.chmod(0o777)
        self.assertEqual(run(self.folder, "get()"), (0, 0, 1))
        self.folder.chmod(0o700)
        planted = self.folder / "planted"
        file.rename(planted)
        file.symlink_to(planted)
        self.assertEqual(run(self.folder, "get()"), (0, 0, 1))

    def test_what_cannot_be_used_is_replaced(self):
        """A link would direct the write elsewhere, and a file that cannot be written would be there for ever."""
        run(self.folder, "get()")
        (file,) = self.files()
        victim = self.folder / "document"
        victim.write_text("mine")
        file.unlink()
        file.symlink_to(victim)
        self.assertEqual(run(self.folder, "get()"), (0, 0, 1))
        self.assertEqual(run(self.folder, "get()"), (0, 1, 0))
        self.assertEqual(victim.read_text(), "mine")
        file.write_bytes(b"nonsense")
        os.truncate(file, 4 << 30)  # On disk, it takes no more than a block.
        file.chmod(0o400)
        self.assertEqual(run(self.folder, "get()"), (0, 0, 1))
        most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss << 10
        self.assertLess(most, 2 << 30, "the file was read into memory")
        self.assertEqual(run(self.folder, "get()"), (0, 1, 0))

    def test_a_link_to_the_folder(self):
        self.folder.mkdir(mode=0o700)
        link = self.folder.with_name("link")
        link.symlink_to(self.folder)
        for path in (link, f"{link}/"):
            self.assertEqual(run(path, "get()"), (0, 0, 1))
            self.assertEqual(run(path, "get()"), (0, 1, 0))
            self.files()[0].unlink()

    def test_no_folder(self):
        self.folder.write_text("a file")
        self.assertEqual(run(self.folder, "get(); get()"), (1, 0, 1))
        self.assertEqual(run("/proc/none", "get()"), (0, 0, 1))

    def test_threads_wait_for_one(self):
        code = (
            "import threading\n"
            "threads = [threading.Thread(target=get) for _ in range(16)]\n"
            "for thread in threads: thread.start()\n"
            "for thread in threads: thread.join()\n"
        )
        hits, files, compilations = run(self.folder, code)
        self.assertEqual((hits, files, compilations), (15, 0, 1))

    def test_processes_at_once_and_killed(self):
        """Killed processes that share a cache folder leave only whole files."""
        code = (
            "import conv\n"
            "while True:\n"
            "    for k in range(8, 64, 8):\n"
            "        p = conv.Problem(n=1, c=8, k=k, input=(6, 6), filter=(3, 3), dtype='f16')\n"
            "        conv.compile(p, 'host')\n"
            "    import glob, os\n"
            "    for file in glob.glob(os.environ['CONV_CACHE_DIR'] + '/*.convpack'): os.path.exists(file) and os.unlink(file)\n"
        )
        environment = {**os.environ, "CONV_CACHE_DIR": str(self.folder)}
        for round_ in range(3):
            processes = [
                subprocess.Popen([sys.executable, "-c", code], env=environment, stderr=subprocess.DEVNULL)
                for _ in range(3)
            ]
            time.sleep(1.5 + 0.13 * round_)
            for process in processes:
                process.send_signal(signal.SIGKILL)
                process.wait()
            for file in self.files():
                conv.load(file)
        self.assertEqual(
            run(
                self.folder,
                "assert get() == conv.compile(conv.Problem(n=1, c=8, k=8, input=(6, 6), filter=(3, 3), dtype='f16'), 'host', cache=False)",
            )[0],
            0,
        )

    def test_files_that_may_not_grow(self):
        """`ulimit -f`, which counts files in memory too, fails what writes them, and nothing kills the process. Python ignores
        the signal of the system; here it has the action that other programs have."""
        code = (
            "import resource, signal\n"
            "signal.signal(signal.SIGXFSZ, signal.SIG_DFL)\n"
            "right = conv.compile(conv.Problem(n=1, c=8, k=8, input=(6, 6), filter=(3, 3), dtype='f16'), 'host', cache=False)\n"
            "before = resource.getrlimit(resource.RLIMIT_FSIZE)\n"
            "resource.setrlimit(resource.RLIMIT_FSIZE, (100, before[1]))\n"
            "for work in get, conv.load(right)['conv2d_f16_n1_c8_6x6_k8_3x3'].prepare:\n"
            "    try: work(); assert False\n"
            "    except conv.Error as error: assert error.kind == 4 and 'File too large' in str(error), error\n"
            "resource.setrlimit(resource.RLIMIT_FSIZE, before)\n"
            "conv.load(get())['conv2d_f16_n1_c8_6x6_k8_3x3'].prepare()\n"
        )
        run(self.folder, code)
        self.assertEqual([file.read_bytes() for file in self.files()], [self.right])
        self.assertEqual(list(self.folder.glob(".conv-tmp-*")), [])

    def test_bounds_of_memory(self):
        """Memory does not grow when many problems are requested again and again."""
        code = (
            "import resource\n"
            "for k in range(1, 41): get(k)\n"
            "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
            "for _ in range(250):\n"
            "    for k in range(1, 41): get(k)\n"
            "grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before\n"
            "assert grown < 16384, f'{grown} KiB more after 10000 calls'\n"
        )
        self.assertEqual(run(self.folder, code), (10000, 0, 40))

    def test_tool(self):
        run(self.folder, "get(); get(16)")
        environment = {**os.environ, "CONV_CACHE_DIR": str(self.folder)}

        def tool(*arguments):
            done = subprocess.run(["conv-cache", *arguments], env=environment, capture_output=True, text=True)
            return done.returncode, done.stdout + done.stderr

        code, text = tool("list")
        self.assertEqual((code, text.count("@conv2d_f16_n1_c8_6x6_k")), (0, 2), text)
        self.assertRegex(text, r"2 files of \d+ bytes in .*, 0 not to be trusted")
        self.files()[0].write_bytes(b"nonsense")
        code, text = tool("verify")
        self.assertEqual((code, text.count("error")), (1, 1), text)
        code, text = tool("verify", "--json")
        self.assertIn('"broken": 1', text)
        document = self.folder / "notes.convpack"
        document.write_text("mine")
        self.assertEqual(tool("clear")[0], 0)
        self.assertEqual((self.files(), tool("list")[0]), ([document], 0))
        self.assertEqual(tool("list", "--folder", str(document))[0], 2)
        self.assertEqual(tool("paint")[0], 2)


class Bounded(unittest.TestCase):
    def test_oldest_goes(self):
        """A full folder loses the least recently used file."""
        folder = ROOT / "bounded"
        library = _compiler.load()
        import ctypes

        class Options(ctypes.Structure):
            _fields_ = [
                ("struct_size", ctypes.c_size_t),
                ("folder", ctypes.c_char_p),
                ("max_file_bytes", ctypes.c_int64),
                ("max_memory_bytes", ctypes.c_int64),
            ]

        size = len(conv.compile(problem(), "host", cache=False))
        options = Options(ctypes.sizeof(Options), str(folder).encode(), int(2.5 * size), size // 2)
        jit, place = ctypes.c_void_p(), ctypes.c_void_p()
        self.assertEqual(library.conv_jit_open(ctypes.byref(options), ctypes.byref(jit)), 0)
        wrong = Options(ctypes.sizeof(Options), None, -1, 0)
        self.assertEqual(library.conv_jit_open(ctypes.byref(wrong), ctypes.byref(ctypes.c_void_p())), 2)
        self.assertEqual(
            library.conv_compiler_last_error(), b"expects max_file_bytes to be 0 or more, but got -1"
        )
        asked = _compiler.Options(struct_size=ctypes.sizeof(_compiler.Options), targets=b"host")

        def get(k):
            module = problem(k).module().encode()
            self.assertEqual(
                library.conv_jit_compile(jit, module, len(module), ctypes.byref(asked), ctypes.byref(place)), 0
            )
            library.conv_compilation_close(place)
            time.sleep(0.02)  # Some file systems have no finer time stamps.

        def hits():
            counts = _compiler.Statistics(struct_size=ctypes.sizeof(_compiler.Statistics))
            library.conv_jit_get_statistics(jit, ctypes.byref(counts))
            return counts.file_hits, counts.compilations

        # What the cache has not made stays, however old it is and however full the folder.
        folder.mkdir(mode=0o700)
        documents = [folder / "report.txt", folder / "layer.convpack"]
        for document in documents:
            document.write_bytes(bytes(3 * size))
            os.utime(document, (0, 0))
        left = folder / ".conv-tmp-1-0"
        left.write_bytes(b"of a process that died")
        os.utime(left, (0, 0))
        # Those of a wrong clock are no younger than all others.
        future = time.time() + 1e9
        misdated = [folder / ".conv-tmp-1-1", folder / f"{'a' * 64}.convpack"]
        for file in misdated:
            file.write_bytes(bytes(2 * size))
            os.utime(file, (future, future))

        get(8), get(16), get(8)  # 8 is read again, so 16 is the least recently used.
        self.assertEqual(hits(), (1, 2))
        get(24)
        get(8)
        self.assertEqual(hits(), (2, 3))
        get(16)
        self.assertEqual(hits(), (2, 4))
        library.conv_jit_close(jit)
        self.assertTrue(all(document.exists() for document in documents))
        self.assertFalse(any(file.exists() for file in (left, *misdated)))
        own = [file for file in folder.iterdir() if file not in documents]
        self.assertLessEqual(sum(file.stat().st_size for file in own), 2.5 * size)


if __name__ == "__main__":
    unittest.main()
