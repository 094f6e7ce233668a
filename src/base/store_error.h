/* Errors of SQLite as ours. All code that opens a result store
 * (search/results.c, report/outcomes.c) reports a full, busy or broken store in
 * the same words. */
#ifndef SW_BASE_STORE_ERROR_H
#define SW_BASE_STORE_ERROR_H
#include <sqlite3.h>
#include "base/err.h"

/* Returns the code it fills in: SW_MEMORY, SW_DATA (no store, or a broken one)
 * or SW_IO. `db` may be NULL: there was no memory to open it. */
int sw_fail_store(sw_err *err, sqlite3 *db, const char *path, const char *what);
/* Has memory run out since the last call that succeeded? Functions that return
 * a text or a flag do not tell. */
int sw_store_starved(sqlite3 *db);

#endif
