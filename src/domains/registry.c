/* The domains by name. To add one: define `const sw_domain sw_domain_ID` in
 * its folder and add the row X(ID) here. */
#include "domains/registry.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "domains/outside/outside.h"

#define SW_DOMAINS(X) \
  X(sat)              \
  X(blocks)           \
  X(coloring)         \
  X(parsing)          \
  X(trees)

#define X(id) extern const sw_domain sw_domain_##id;
SW_DOMAINS(X)
#undef X

const sw_domain *const sw_domains[] = {
#define X(id) &sw_domain_##id,
    SW_DOMAINS(X)
#undef X
        NULL};

/* Prefixes such as `exec:`. What follows one is opened, not looked up. */
static const struct {
  const char *prefix;
  sw_domain_opener open;
  const sw_domain *kind;
} openers[] = {{"exec:", sw_outside_command, &sw_outside_kind},
               {NULL, NULL, NULL}};

const sw_option sw_domain_settings_table[] = {
#define X(...) SW_OPTION_ROW(sw_domain_settings, __VA_ARGS__)
    SW_DOMAIN_SETTINGS(X)
#undef X
};

const sw_domain *sw_domain_kind(int i) {
  int compiled = 0;
  while (sw_domains[compiled]) compiled++;
  return i < compiled ? sw_domains[i] : openers[i - compiled].kind;
}

enum { NAME_MOST = 63 };

/* ---- domains made at run time ---- */

typedef struct entry {
  const sw_domain *domain;
  int64_t holders;
  int unnamed; /* found by its words only (sw_domain_adopt) */
  struct entry *next;
} entry;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static entry *registered; /* in the order of registration */

static const sw_domain *compiled_in(const char *name) {
  for (int i = 0; sw_domains[i]; i++)
    if (strcmp(sw_domains[i]->name, name) == 0) return sw_domains[i];
  return NULL;
}

/* Of two with the same name and words, the one that can be searched. */
static const sw_domain *find_registered(const char *name) {
  const sw_domain *found = NULL;
  for (entry *e = registered; e; e = e->next)
    if (!e->unnamed && strcmp(e->domain->name, name) == 0 &&
        (!found || (!found->search && e->domain->search)))
      found = e->domain;
  return found;
}

const sw_domain *sw_domain_find(const char *name) {
  const sw_domain *found = compiled_in(name);
  if (found) return found;
  pthread_mutex_lock(&lock);
  found = find_registered(name);
  pthread_mutex_unlock(&lock);
  return found;
}

int sw_domain_list(const sw_domain **all, int room) {
  int count = 0;
  for (; sw_domains[count]; count++)
    if (count < room) all[count] = sw_domains[count];
  pthread_mutex_lock(&lock);
  for (entry *e = registered; e; e = e->next) {
    if (e->unnamed) continue;
    if (count < room) all[count] = e->domain;
    count++;
  }
  pthread_mutex_unlock(&lock);
  return count;
}

/* A name may become part of a path, of a command line and of a page. */
static int check_name(const char *name, sw_err *err) {
  static const char letters[] =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
  size_t length = name ? strlen(name) : 0;
  if (length == 0 || length > NAME_MOST || *name == '.' || *name == '-' ||
      strspn(name, letters) != length) {
    sw_fail(err, SW_USAGE, "`%.80s` cannot be the name of a domain",
            name ? name : "");
    return sw_hint(err, "letters, digits, `-`, `_` and `.`, at most %d",
                   NAME_MOST);
  }
  if (!compiled_in(name)) return SW_OK;
  sw_fail(err, SW_USAGE, "`%s` is the name of a domain of the program", name);
  return sw_hint(err, "choose another name");
}

static int same_words(const sw_words *a, const sw_words *b) {
  return a == b || (a && b && sw_words_same(a, b));
}

static int add(entry *made, sw_err *err) {
  entry **end = &registered;
  for (; *end; end = &(*end)->next)
    if (!(*end)->unnamed &&
        strcmp((*end)->domain->name, made->domain->name) == 0 &&
        !same_words((*end)->domain->words, made->domain->words)) {
      sw_fail(err, SW_USAGE, "a domain `%s` with other words is open",
              made->domain->name);
      return sw_hint(err, "its data and models hold other tokens");
    }
  *end = made;
  return SW_OK;
}

int sw_domain_register(const sw_domain *domain, sw_err *err) {
  SW_TRY(check_name(domain->name, err));
  entry *made = malloc(sizeof *made);
  if (!made) return sw_no_memory(err);
  *made = (entry){.domain = domain, .holders = 1};
  pthread_mutex_lock(&lock);
  int code = add(made, err);
  pthread_mutex_unlock(&lock);
  if (code) free(made);
  return code;
}

/* The domain to use for these words; searchable ones come first. */
static entry *find_alike(const sw_domain *domain) {
  entry *found = NULL;
  for (entry *e = registered; e; e = e->next)
    if (strcmp(e->domain->name, domain->name) == 0 && e->domain->words &&
        same_words(e->domain->words, domain->words) &&
        (!found || (!found->domain->search && e->domain->search)))
      found = e;
  return found;
}

int sw_domain_adopt(const sw_domain *made, const sw_domain **domain,
                    sw_err *err) {
  entry *added = malloc(sizeof *added);
  if (!added) return sw_no_memory(err);
  *added = (entry){.domain = made, .holders = 1, .unnamed = 1};
  pthread_mutex_lock(&lock);
  entry *found = find_alike(made);
  if (found) {
    found->holders++;
  } else {
    added->next = registered;
    registered = added;
  }
  *domain = found ? found->domain : made;
  pthread_mutex_unlock(&lock);
  if (!found) return SW_OK;
  free(added);
  if (made->close) made->close(made);
  return SW_OK;
}

void sw_domain_hold(const sw_domain *domain) {
  pthread_mutex_lock(&lock);
  for (entry *e = registered; e; e = e->next)
    if (e->domain == domain) e->holders++;
  pthread_mutex_unlock(&lock);
}

void sw_domain_release(const sw_domain *domain) {
  entry *gone = NULL;
  pthread_mutex_lock(&lock);
  for (entry **at = &registered; domain && *at; at = &(*at)->next)
    if ((*at)->domain == domain) {
      if (--(*at)->holders == 0) {
        gone = *at;
        *at = gone->next;
      }
      break;
    }
  pthread_mutex_unlock(&lock);
  if (gone && domain->close) domain->close(domain);
  free(gone);
}

/* ---- names that open ---- */

typedef struct sw_opened {
  const sw_domain *domain;
  char *name; /* as it was given */
  struct sw_opened *next;
} opened;

static _Thread_local sw_domain_scope *current;

void sw_domain_scope_enter(sw_domain_scope *scope) {
  *scope = (sw_domain_scope){.outer = current};
  sw_options_defaults(sw_domain_settings_table, SW_DOMAIN_SETTINGS_COUNT,
                      &scope->settings);
  if (current) scope->settings = current->settings;
  current = scope;
}

sw_domain_settings *sw_domain_scope_settings(void) {
  static _Thread_local sw_domain_settings nowhere;
  sw_options_defaults(sw_domain_settings_table, SW_DOMAIN_SETTINGS_COUNT,
                      &nowhere);
  return current ? &current->settings : &nowhere;
}

void sw_domain_scope_leave(sw_domain_scope *scope) {
  for (opened *o = scope->opened, *next; o; o = next) {
    next = o->next;
    sw_domain_release(o->domain);
    free(o->name);
    free(o);
  }
  scope->opened = NULL;
  current = scope->outer;
}

/* Opens a domain and leaves it to the scope. */
static int open_named(sw_domain_opener opener, const char *name,
                      const char *rest, const sw_domain **domain, sw_err *err) {
  for (sw_domain_scope *s = current; s; s = s->outer)
    for (opened *o = s->opened; o; o = o->next)
      if (strcmp(o->name, name) == 0) {
        *domain = o->domain;
        return SW_OK;
      }
  if (!current)
    return sw_fail(err, SW_USAGE, "`%.40s` cannot be opened here", name);
  opened *made = malloc(sizeof *made);
  char *copy = strdup(name);
  int code = made && copy ? opener(rest, domain, err) : sw_no_memory(err);
  if (code) {
    free(made);
    free(copy);
    *domain = NULL;
    return code;
  }
  *made = (opened){.domain = *domain, .name = copy, .next = current->opened};
  current->opened = made;
  return SW_OK;
}

int sw_domain_named(const char *name, const sw_domain **domain, sw_err *err) {
  char names[400] = "";
  const char *all[32];
  const sw_domain *known[32];
  *domain = NULL;
  for (int i = 0; name && openers[i].prefix; i++) {
    size_t length = strlen(openers[i].prefix);
    if (strncmp(name, openers[i].prefix, length) == 0)
      return open_named(openers[i].open, name, name + length, domain, err);
  }
  *domain = name ? sw_domain_find(name) : NULL;
  if (*domain) return SW_OK;
  int count = sw_domain_list(known, 32);
  if (count > 32) count = 32;
  for (int i = 0; i < count; i++) {
    size_t used = strlen(names);
    all[i] = known[i]->name;
    snprintf(names + used, sizeof names - used, " %s", all[i]);
  }
  if (!name) return sw_fail(err, SW_USAGE, "which domain? one of:%s", names);
  sw_fail(err, SW_USAGE, "there is no domain \"%.40s\"", name);
  const char *near = sw_nearest(name, all, count);
  return near ? sw_hint(err, "did you mean \"%s\"?", near)
              : sw_hint(err, "one of:%s", names);
}
