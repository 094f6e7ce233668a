/* What became of a log, in words (see logs.h). */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "audit/logs.h"

static void say(char *text, size_t room, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void say(char *text, size_t room, const char *format, ...) {
  size_t used = strlen(text);
  va_list list;
  va_start(list, format);
  vsnprintf(text + used, room - used, format, list);
  va_end(list);
}

/* Prints "3 without history", ", 1 sample" for counts above 0; in `what`, +
 * marks the place of the plural's s. */
static void say_some(int64_t count, const char *what, char *text, size_t room) {
  size_t used = strlen(text), before = strcspn(what, "+");
  const char *comma = used && text[used - 1] != ' ' ? ", " : "";
  if (count)
    say(text, room, "%s%lld %.*s%s%s", comma, (long long)count, (int)before,
        what, what[before] && count != 1 ? "s" : "",
        what[before] ? what + before + 1 : "");
}

void sw_log_say(const sw_log_counts *c, char *text, size_t room) {
  text[0] = 0;
  say(text, room,
      "Of %lld decisions in %lld conversations (%lld file%s) %lld "
      "became cases.",
      (long long)c->decisions, (long long)c->conversations, (long long)c->files,
      c->files == 1 ? "" : "s", (long long)c->cut);
  if (c->decisions > c->cut) {
    say(text, room, " Not cut: ");
    say_some(c->no_history, "without history", text, room);
    say_some(c->no_state, "without the situation that --state names", text,
             room);
    say_some(c->no_choice, "with nothing to choose from", text, room);
    say_some(c->not_taken, "beyond --most", text, room);
    say(text, room, ".");
  }
  if (c->unread + c->no_answer + c->lost + c->strange == 0) return;
  say(text, room, " Not read: ");
  say_some(c->unread, "sample+", text, room);
  if (c->unread) say(text, room, " (%s)", c->unread_why);
  say_some(c->no_answer, "call+ of a model without question or answer", text,
           room);
  say_some(c->lost, "message+ of an unknown kind", text, room);
  say_some(c->strange, "JSON value+ without a conversation", text, room);
  say(text, room, ".");
}
