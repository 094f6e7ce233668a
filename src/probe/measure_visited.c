/* The measure `visited`: the visited-set oracle in the closed loop. */
#include "probe/measured.h"

typedef sw_visited_session session;
static const sw_option table[] = {SW_MEASURE_TABLE(SW_VISITED_OPTIONS)};

static int ask(void *context, const sw_loaded *loaded, sw_err *err) {
  session *s = context;
  sw_probe *p = &s->probe;
  sw_asker *asker;
  sw_visited_options o = {.domain = loaded->domain,
                          .domain_options = p->options,
                          .seed = (uint64_t)p->seed,
                          .split = SW_SPLIT_TEST,
                          .instances = s->instances,
                          .max_decisions = s->decisions,
                          .rebuilt = s->protocol,
                          .intervene = s->intervene};
  int64_t tokens, instances;
  if (o.max_decisions < 0)
    loaded->domain->search->budgets(&o.domain_options, &o.max_decisions,
                                    &tokens, &instances);
  SW_TRY(sw_probe_open(p, loaded, 1, &asker, err));
  sw_probe_begin(p, "instances", s->instances);
  int code =
      sw_visited(asker, &o, sw_probe_step, s, &s->result[p->models], err);
  sw_probe_end(p);
  sw_asker_free(asker);
  return code;
}

static void members(const void *context, int m, sw_json *json) {
  const session *s = context;
  const sw_visited_result *r = &s->result[m];
  sw_json_int(json, "instances", r->instances);
  sw_json_int(json, "solved", r->solved);
  sw_json_int(json, "decisions", r->decisions);
  sw_json_int(json, "revisited_states", r->revisits);
  sw_json_int(json, "repeated_actions", r->repeated);
  sw_json_int(json, "interventions", r->interventions);
  sw_json_int(json, "missed_conflicts", r->missed_conflicts);
  sw_json_int(json, "false_prunes", r->false_prunes);
  sw_json_int(json, "repeats", r->repeats);
  sw_json_int(json, "budget", r->budget);
}

const sw_measure sw_measure_visited = {
    .name = "visited",
    .bytes = sizeof(session),
    .options = table,
    .option_count = sizeof table / sizeof *table,
    .ask = ask,
    .members = members};
