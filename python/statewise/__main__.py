"""`python -m statewise`, and the script `statewise` of an installed wheel: the
program itself, in place of this process."""
import os
import sys

from ._library import Error, program


def main() -> int:
    """Runs the program with the arguments of this process."""
    try:
        path = program()
        os.execv(path, [path, *sys.argv[1:]])
    except Error as error:
        print(f"statewise: {error}", file=sys.stderr)
    except OSError as error:
        print(f"statewise: the program cannot be started: {error}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
