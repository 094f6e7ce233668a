/* The domains by name. To add one: define `const sw_domain sw_domain_ID` in
 * its folder and add the row X(ID) here. */
#include <stdio.h>
#include <string.h>
#include "domains/domain.h"

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

const sw_domain *sw_domain_find(const char *name) {
  for (int i = 0; sw_domains[i]; i++)
    if (strcmp(sw_domains[i]->name, name) == 0) return sw_domains[i];
  return NULL;
}

int sw_domain_named(const char *name, const sw_domain **domain, sw_err *err) {
  char names[200] = "";
  const char *all[32];
  int count = 0;
  *domain = name ? sw_domain_find(name) : NULL;
  if (*domain) return SW_OK;
  for (; sw_domains[count] && count < 32; count++) {
    size_t used = strlen(names);
    all[count] = sw_domains[count]->name;
    snprintf(names + used, sizeof names - used, " %s", all[count]);
  }
  if (!name) return sw_fail(err, SW_USAGE, "which domain? one of:%s", names);
  sw_fail(err, SW_USAGE, "there is no domain \"%.40s\"", name);
  const char *near = sw_nearest(name, all, count);
  return near ? sw_hint(err, "did you mean \"%s\"?", near)
              : sw_hint(err, "one of:%s", names);
}

int sw_domain_searchable(const sw_domain *domain, sw_err *err) {
  if (domain->search) return SW_OK;
  sw_fail(err, SW_USAGE, "domain `%s` has no search to run", domain->name);
  return sw_hint(err, "`statewise %s` tests its models", domain->name);
}

int sw_domain_candidates(const sw_domain *domain, sw_env *env,
                         const sw_cand **candidate, int *count, sw_err *err) {
  *candidate = domain->search->candidates(env, count);
  return *count < 0 ? sw_fail(err, SW_MEMORY, "out of memory") : SW_OK;
}

int sw_domain_has_pads(const sw_domain *domain,
                       const sw_domain_options *options) {
  const int64_t any_length = 1000;
  int32_t end;
  return domain->search && domain->search->pad_limit &&
         domain->search->pad_limit(options, any_length, &end) > 0;
}

int sw_domain_trouble(const sw_domain *domain, const sw_env *env, sw_err *err) {
  const sw_search_ops *ops = domain->search;
  int trouble = ops->troubled ? ops->troubled(env) : SW_OK;
  if (trouble == SW_STOPPED)
    return sw_fail(err, SW_STOPPED, "stopped before all instances were done");
  return trouble ? sw_fail(err, SW_MEMORY, "out of memory") : SW_OK;
}

int sw_stream_skip(const sw_domain *domain, sw_stream *stream, int64_t count,
                   sw_err *err) {
  for (int64_t i = 0; i < count; i++) {
    sw_instance *instance;
    if (domain->stream_skip) {
      SW_TRY(domain->stream_skip(stream, err));
    } else {
      SW_TRY(domain->stream_next(stream, &instance, err));
      domain->instance_free(instance);
    }
  }
  return SW_OK;
}
