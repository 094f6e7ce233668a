#!/bin/sh
# Prints the directory in which tests keep their files: TMPDIR where that is
# set; else memory where there is room and programs may run from it, because
# every file we write waits for its disk; else /tmp.
[ -n "${TMPDIR:-}" ] && { echo "$TMPDIR"; exit; }
probe=/dev/shm/statewise-scratch-$$
room=$(df -Pk /dev/shm 2>/dev/null | awk 'NR == 2 { print $4 }')
if [ "${room:-0}" -ge 1048576 ] && printf '#!/bin/sh\n' 2>/dev/null >"$probe" && chmod +x "$probe" && "$probe" 2>/dev/null
then echo /dev/shm; else echo /tmp; fi
rm -f "$probe"
