"""A forked child plays on with its parent's model, frees it and ends; and so do
the workers of multiprocessing. A hang is ended by the alarm."""
import multiprocessing
import os
import signal
import threading

import statewise

PROBLEM = "examples/planted-20.cnf"


def answer(model):
    with model.search(PROBLEM) as search:
        return search.run(), search.answer


def child(work):
    """Runs `work` in a child; what it returned must be true."""
    pid = os.fork()
    if not pid:
        signal.alarm(40)
        fine = False
        try:
            fine = bool(work())
        finally:
            os._exit(0 if fine else 1)
    status = os.waitpid(pid, 0)[1]
    assert status == 0, f"the child ended with status {status} ({signal.SIGALRM.value}: it hung)"


shared = []


def by_worker(_):
    signal.alarm(40)
    return answer(shared[0])


def spawned(path):
    with statewise.Model(path, threads=2) as own:
        return answer(own)


def main():
    with statewise.Model("models/sat.safetensors", threads=2) as model:
        expected = answer(model)
        under_way = model.search(PROBLEM)
        under_way.choose(under_way.next().best)

        def works():
            assert under_way.run() == "solved" and under_way.answer == expected[1]
            same = answer(model) == expected
            model.close()
            with statewise.Model("models/sat.safetensors", threads=2) as own:
                return same and answer(own) == expected

        child(works)
        assert answer(model) == expected and under_way.run() == "solved"

        # Another thread of the parent uses the model while the process forks.
        holding, done = threading.Event(), threading.Event()

        def hold():
            with model._lock:
                holding.set()
                done.wait()

        thread = threading.Thread(target=hold)
        thread.start()
        holding.wait()

        def refuses():
            try:
                answer(model)
            except statewise.Error as error:
                model.close()
                under_way.close()
                return "forked" in str(error)

        child(refuses)
        done.set()
        thread.join()
        assert answer(model) == expected

        shared.append(model)
        with multiprocessing.get_context("fork").Pool(2) as pool:
            assert pool.map(by_worker, range(4)) == [expected] * 4
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.map(spawned, ["models/sat.safetensors"]) == [expected]


if __name__ == "__main__":
    main()
