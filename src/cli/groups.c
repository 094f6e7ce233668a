/* The groups of options (see groups.h). */
#include "cli/groups.h"
#include <string.h>

const sw_option_group sw_option_groups[] = {
    {"input and output",
     "model data part out into site db label bank init init-names domain judge "
     "list "
     "preset list-architectures cases logs state"},
    {"what is searched",
     "instances seed split protocol eval-mask eval-positions policies policy "
     "verifier loop on-error variables verdict-shown release-layout "
     "shared-draws no-model"},
    {"limits",
     "decisions tokens time-limit width memory-limit no-cache reps queries"},
    {"states and histories",
     "states histories rollouts blocks rebuilt per-instance random-choice "
     "early-back viable conflicts fewer order path with-history foreign "
     "construction resamples turns situations most"},
    {"model",
     "architecture model-option d layers heads ffn slots mask position-kind "
     "position-init window table positions places rotary memory memory-width "
     "memory-shared memory-heads memory-gate n clauses features vocab"},
    {"training",
     "steps until cap-tokens flat-gain best-loss epochs batch keep-every "
     "checkpoint-seconds tune"},
    {"optimizer",
     "lr optimizer momentum matrix-rate beta1 beta2 eps weight-decay clip "
     "warmup dropout"},
    {"what a model is shown in training",
     "prefix-dropout prefix-reveal view sample first-blocks match-tokens "
     "history history-matched history-p history-window contrastive "
     "contrastive-release release-pad-positions prefix block targets"},
    {"what it is asked in training",
     "verify facts facts-share decision-weight"},
    {"validation", "valid-share valid-limit valid-every"},
    {"what is asked of the agent",
     "dose dose-action condition orders repeats answers max-tokens temperature "
     "sufficient judge-model judge-key labels fail-if dry-run dry-sample "
     "price-in price-cached "
     "price-out"},
    {"a model behind an endpoint",
     "guide guide-model guide-api guide-key guide-cache guide-requests "
     "guide-tokens guide-timeout guide-retries guide-pause guide-parallel"},
    {"experiments",
     "list all show scale row seeds trained traces train measure check keep "
     "kept "
     "pages shard merge"},
    {"running", "threads kernels small profile progress json"},
    {NULL, NULL}};

int sw_option_in_group(const sw_option *option, const sw_option_group *group) {
  size_t length = strlen(option->name);
  for (const char *p = group->names; *p; p += strspn(p, " ")) {
    size_t n = strcspn(p, " ");
    if (n == length && !memcmp(p, option->name, n)) return 1;
    p += n;
  }
  return 0;
}

int sw_option_has_group(const sw_option *option) {
  for (const sw_option_group *g = sw_option_groups; g->title; g++)
    if (sw_option_in_group(option, g)) return 1;
  return 0;
}
