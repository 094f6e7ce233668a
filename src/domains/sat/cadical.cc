/* CaDiCaL behind a wall (see cadical.h). std::bad_alloc, and whatever else it
 * may throw, ends here: C code has no way to pass an exception on. */
#include "domains/sat/cadical.h"

#include <cadical.hpp>
#include <new>

extern "C" {
double sw_now(void);
int sw_time_to_stop(void);
}

struct sw_cadical : public CaDiCaL::Terminator, public CaDiCaL::Learner {
  CaDiCaL::Solver solver;
  double deadline = 0;
  unsigned asked = 0;
  bool broken = false;
  int64_t learned = 0;

  /* Told of every learned clause; the clause itself is not wanted. */
  bool learning(int) override {
    learned++;
    return false;
  }
  void learn(int) override {}

  /* Asked after every few propagations: the clock is read each 32nd time. */
  bool terminate() override {
    if (asked++ % 32) return false;
    return (deadline > 0 && sw_now() > deadline) || sw_time_to_stop();
  }
};

sw_cadical *sw_cadical_new(void) {
  sw_cadical *s = nullptr;
  try {
    s = new sw_cadical;
    s->solver.set("quiet", 1);
    s->solver.connect_terminator(s);
    s->solver.connect_learner(s);
    return s;
  } catch (...) {
    if (s) s->broken = true;
    sw_cadical_free(s);
    return nullptr;
  }
}

/* A solver that ran out of memory in the middle of something is given up, not
 * destroyed: its destructor takes its arrays for whole and frees what it never
 * had. */
void sw_cadical_free(sw_cadical *s) {
  if (s && s->broken) return;
  try {
    delete s;
  } catch (...) {
  }
}

int sw_cadical_add(sw_cadical *s, int literal) {
  try {
    if (!s->broken) s->solver.add(literal);
  } catch (...) {
    s->broken = true;
  }
  return !s->broken;
}

int sw_cadical_assume(sw_cadical *s, int literal) {
  try {
    if (!s->broken) s->solver.assume(literal);
  } catch (...) {
    s->broken = true;
  }
  return !s->broken;
}

int sw_cadical_solve(sw_cadical *s, int conflicts, double deadline) {
  if (s->broken) return -1;
  s->deadline = deadline;
  s->asked = 0;
  try {
    if (conflicts >= 0) s->solver.limit("conflicts", conflicts);
    return s->solver.solve();
  } catch (...) {
    s->broken = true;
    return -1;
  }
}

int sw_cadical_value(sw_cadical *s, int variable) {
  try {
    return s->solver.val(variable);
  } catch (...) {
    s->broken = true;
    return 0;
  }
}

int64_t sw_cadical_learned(const sw_cadical *s) { return s->learned; }
