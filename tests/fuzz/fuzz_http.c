/* Fuzz target: the headers by which the server tells its own pages from foreign
 * ones. Lines of the input are Host, Origin and Sec-Fetch-Site (an empty one is
 * not sent). A request that is let in must name the server and come from it:
 * judged here by a rule of its own. */
#include <strings.h>
#include "fuzz.h"
#include "serve/http.h"

static const char *const names[] = {"localhost", "127.0.0.1", "::1", "sw.test",
                                    NULL};

/* NAME or [NAME], and perhaps a colon and digits. */
static int names_us(const char *host) {
  for (int i = 0; names[i]; i++) {
    size_t length = strlen(names[i]);
    int inside = *host == '[';
    const char *at = host + inside;
    if (strncasecmp(at, names[i], length)) continue;
    at += length;
    if (inside && *at++ != ']') continue;
    if (!*at || (*at == ':' && strspn(at + 1, "0123456789") == strlen(at + 1)))
      return 1;
  }
  return 0;
}

static char *next_line(char **at) {
  char *line = *at, *end = line ? strchr(line, '\n') : NULL;
  if (end) *end++ = 0;
  *at = end;
  return line && *line ? line : NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  static const char *const hosts[] = {"sw.test", NULL};
  const sw_http_options options = {.address = "127.0.0.1", .hosts = hosts};
  char *text = fuzz_text(bytes, length), *at = text;
  /* each in a block of its own, as a sanitizer would have it */
  char *part[3];
  for (int i = 0; i < 3; i++) {
    char *line = next_line(&at);
    part[i] = line ? fuzz_text((uint8_t *)line, strlen(line)) : NULL;
  }
  if (!sw_http_foreign(&options, part[0], part[1], part[2])) {
    if (!part[0] || !names_us(part[0])) abort();
    const char *origin = part[1] ? strstr(part[1], "://") : NULL;
    if (part[1] && (!origin || strcasecmp(origin + 3, part[0]))) abort();
    if (part[1] && strncasecmp(part[1], "http://", 7) &&
        (strncasecmp(part[1], "https://", 8) ||
         strncasecmp(part[0], "sw.test", 7) != 0))
      abort();
    if (part[2] && strcmp(part[2], "none") && strcmp(part[2], "same-origin"))
      abort();
  }
  for (int i = 0; i < 3; i++) free(part[i]);
  free(text);
  return 0;
}
