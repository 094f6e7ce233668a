/* The domains by name. To add one: define `const sw_domain sw_domain_ID` in
 * its folder and add the row X(ID) here. */
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

int sw_domain_searchable(const sw_domain *domain, sw_err *err) {
  if (domain->search) return SW_OK;
  sw_fail(err, SW_USAGE, "domain `%s` has no search to run", domain->name);
  return sw_hint(err, "`statewise %s` tests its models", domain->name);
}
