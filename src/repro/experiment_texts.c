/* Experiments as text, taken in by the assembler (see experiment_texts.h). */
#include "repro/experiment_texts.h"

#define ALL(X)                \
  SW_EXPERIMENT_TEXTS(X)      \
  X(quickstart, "quickstart") \
  X(models, "models")

#define X(symbol, id)                                               \
  __asm__(".section .rodata\n.globl sw_text_" #symbol               \
          "\n.hidden sw_text_" #symbol "\n.hidden sw_text_" #symbol \
          "_end\n.globl sw_text_" #symbol                           \
          "_end\n"                                                  \
          "sw_text_" #symbol ":\n.incbin \"experiments/" id         \
          ".yaml\"\nsw_text_" #symbol "_end:\n.byte 0\n.previous"); \
  extern const char sw_text_##symbol[], sw_text_##symbol##_end[];
ALL(X)
#undef X

const sw_text_inside sw_experiment_texts[] = {
#define X(symbol, id) {id, sw_text_##symbol, sw_text_##symbol##_end},
    ALL(X)
#undef X
        {NULL, NULL, NULL}};
