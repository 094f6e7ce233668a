/* Fuzz target: any text as the answer to a problem (the first byte chooses
 * which) before the judge of `solve`, and as the name of a verifier
 * (`--verifier`). A verifier that opens says its text in a form that opens
 * again and says the same. */
#include "domains/domain.h"
#include "fuzz.h"
#include "search/verifier.h"

static const char *const problems[][2] = {
    {"sat", "p cnf 3 3\n1 2 3 0\n-1 -2 0\n-3 0\n"},
    {"coloring", "p edge 4 4\ne 1 2\ne 2 3\ne 3 4\ne 4 1\n"},
    {"blocks",
     "(define (problem p) (:objects a b c) (:init (on a b) (ontable b)"
     " (ontable c) (clear a) (clear c) (handempty)) (:goal (and (on b c)"
     " (on c a))))"},
    {"parsing", "f ( a , ( b ) )"}};

static void name_of_verifier(const sw_domain *domain, const char *text) {
  sw_verifier *v, *again;
  sw_err err;
  if (sw_verifier_open(&v, domain, text, &err)) return;
  if (sw_verifier_open(&again, domain, v->text, &err)) abort();
  if (strcmp(v->text, again->text)) abort();
  sw_verifier_close(again);
  sw_verifier_close(v);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  if (length < 1) return 0;
  const char *const *problem = problems[bytes[0] % 4];
  const sw_domain *domain = sw_domain_find(problem[0]);
  char *answer = fuzz_text(bytes + 1, length - 1);
  sw_domain_options options;
  sw_err err;
  sw_domain_defaults(domain, &options);
  (void)domain->file.verify(problem[1], strlen(problem[1]), &options, answer,
                            &err);
  name_of_verifier(domain, answer);
  free(answer);
  return 0;
}
