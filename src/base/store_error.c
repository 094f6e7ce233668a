/* Errors of SQLite (see store_error.h). */
#include "base/store_error.h"

static int code_of(int cause) {
  switch (cause) {
    case SQLITE_NOMEM:
      return SW_MEMORY;
    case SQLITE_ERROR: /* a table or column that is not there */
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
      return SW_DATA;
    default:
      return SW_IO; /* busy, full, read-only, ... */
  }
}

int sw_fail_store(sw_err *err, sqlite3 *db, const char *path,
                  const char *what) {
  int cause = db ? sqlite3_errcode(db) & 0xff : SQLITE_NOMEM;
  int code = code_of(cause);
  sw_fail(err, code, "%s: %s: %s", path, what,
          cause == SQLITE_FULL    ? "the disk is full"
          : cause == SQLITE_NOMEM ? "out of memory"
                                  : sqlite3_errmsg(db));
  if (cause == SQLITE_BUSY)
    return sw_hint(err, "another process writes to it; run again later");
  if (cause == SQLITE_FULL)
    return sw_hint(err, "free some space; what was stored is kept");
  return code;
}

int sw_store_starved(sqlite3 *db) {
  return (sqlite3_errcode(db) & 0xff) == SQLITE_NOMEM;
}
