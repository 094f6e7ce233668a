/* What can be asked of any domain (see domain.h). */
#include "domains/domain.h"
#include "base/check.h"

int sw_domain_searchable(const sw_domain *domain, sw_err *err) {
  if (domain->search) return SW_OK;
  if (domain->words) {
    sw_fail(err, SW_USAGE, "the rules of `%s` are not known, only its words",
            domain->name);
    return sw_hint(err,
                   "--domain exec:COMMAND gives them; --data FILE asks about "
                   "recorded searches and needs none");
  }
  sw_fail(err, SW_USAGE, "domain `%s` has no search to run", domain->name);
  return sw_hint(err, "`statewise %s` tests its models", domain->name);
}

int sw_domain_candidates(const sw_domain *domain, sw_env *env,
                         const sw_cand **candidate, int *count, sw_err *err) {
  SW_ASSERT(domain->search && env && candidate && count);
  *candidate = domain->search->candidates(env, count);
  if (*count >= 0) return SW_OK;
  SW_TRY(sw_domain_trouble(domain, env, err));
  return sw_no_memory(err);
}

int sw_domain_has_pads(const sw_domain *domain,
                       const sw_domain_options *options) {
  const int64_t any_length = 1000;
  int32_t end;
  return domain->search && domain->search->pad.limit &&
         domain->search->pad.limit(options, any_length, &end) > 0;
}

int sw_trouble_told(int trouble, sw_err *err) {
  if (trouble == SW_STOPPED)
    return sw_fail(err, SW_STOPPED, "stopped before all instances were done");
  return trouble ? sw_no_memory(err) : SW_OK;
}

int sw_domain_trouble(const sw_domain *domain, const sw_env *env, sw_err *err) {
  const sw_search_ops *ops = domain->search;
  return ops->trouble ? ops->trouble(env, err) : SW_OK;
}

int sw_stream_skip(const sw_domain *domain, sw_stream *stream, int64_t count,
                   sw_err *err) {
  SW_ASSERT(stream && count >= 0);
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
