/* Rows that the option tables of models and of `train` share: a name, its kind
 * and its range, written once. Default and help are the table's. */
#ifndef SW_MODEL_SHAPE_OPTIONS_H
#define SW_MODEL_SHAPE_OPTIONS_H
#include "base/options.h"

/* clang-format off */
#define SW_VOCAB_ROW(X) X(vocab, INT, "vocab", "2030", 1, 1000000, "", "token ids")
#define SW_POSITIONS_ROW(X) X(positions, INT, "positions", "4096", 0, 10000000, "", "rows of the position table; 0: none")
#define SW_WIDTH_ROW(X, usual) X(d, INT, "d", usual, 4, 4096, "", "model width")
#define SW_LAYERS_ROW(X, usual) X(layers, INT, "layers", usual, 1, 64, "", "layers")
#define SW_HEADS_ROW(X, usual) X(heads, INT, "heads", usual, 1, 64, "", "attention heads")
#define SW_FFN_ROW(X) X(ffn, INT, "ffn", "0", 0, 65536, "", "FFN width; 0: 4 d")
#define SW_SLOTS_ROW(X, usual, help) X(slots, INT, "slots", usual, -1, 1024, "", help)
#define SW_MEMORY_ROW(X, help) X(memory, INT, "memory", "0", 0, 1024, "", help)
#define SW_MEMORY_WIDTH_ROW(X) X(memory_width, INT, "memory-width", "0", 0, 4096, "", "width of the memory's attention; 0: d, at most 256")
#define SW_MEMORY_SHARED_ROW(X, help) X(memory_shared, INT, "memory-shared", "0", 0, 1, "", help)
#define SW_MEMORY_HEADS_ROW(X) X(memory_heads, INT, "memory-heads", "0", 0, 64, "", "heads of the memory's attention; 0: 8")
#define SW_MEMORY_GATE_ROW(X, help) X(memory_gate, REAL, "memory-gate", "-10", -100, 100, "", help)
#define SW_POSITION_INIT_ROW(X, usual, help) X(position_init, CHOICE, "position-init", usual, 0, 0, "noise|sinusoid", help)
/* clang-format on */

#endif
