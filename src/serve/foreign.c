/* Is a request from this server's own pages, or from a program? (see http.h) */
#include <arpa/inet.h>
#include <string.h>
#include <strings.h>
#include "base/text.h"
#include "serve/http.h"

static int is_address(const char *name) {
  unsigned char binary[16];
  return inet_pton(AF_INET, name, binary) == 1 ||
         inet_pton(AF_INET6, name, binary) == 1;
}

static int is_any(const char *address) {
  return !strcmp(address, "0.0.0.0") || !strcmp(address, "::");
}

/* The name of NAME, NAME:PORT, [ADDRESS] or [ADDRESS]:PORT; 0: it is none of
 * these. */
static int host_name(const char *host, char name[256]) {
  int bracket = *host == '[';
  host += bracket;
  size_t length = strcspn(host, bracket ? "]" : ":");
  if (length == 0 || length >= 256) return 0;
  memcpy(name, host, length);
  name[length] = 0;
  host += length;
  if (bracket && *host++ != ']') return 0;
  if (*host == ':')
    for (host++; sw_is_digit(*host);) host++;
  return *host == 0;
}

static int is_listed(const char *const *names, const char *name) {
  for (int i = 0; names && names[i]; i++)
    if (!strcasecmp(name, names[i])) return 1;
  return 0;
}

/* Is this a name of ours? The port is not looked at, so that a tunnel may end
 * at another one. */
static int own_name(const sw_http_options *o, const char *name) {
  if (!strcasecmp(name, "localhost") || !strcasecmp(name, o->address)) return 1;
  if (!strcmp(name, "127.0.0.1") || !strcmp(name, "::1")) return 1;
  if (is_any(o->address) && is_address(name)) return 1;
  return is_listed(o->hosts, name);
}

/* Is this the origin of our own pages? */
static int own_origin(const sw_http_options *o, const char *origin,
                      const char *host, const char *name) {
  if (!strncasecmp(origin, "http://", 7)) return !strcasecmp(origin + 7, host);
  return !strncasecmp(origin, "https://", 8) && !strcasecmp(origin + 8, host) &&
         is_listed(o->hosts, name);
}

const char *sw_http_foreign(const sw_http_options *o, const char *host,
                            const char *origin, const char *site) {
  char name[256];
  if (!host || !host_name(host, name) || !own_name(o, name))
    return "this server does not answer to that Host";
  if (origin && !own_origin(o, origin, host, name))
    return "pages of another origin may not use this server";
  if (site && strcmp(site, "same-origin") && strcmp(site, "none"))
    return "pages of another origin may not use this server";
  return NULL;
}
