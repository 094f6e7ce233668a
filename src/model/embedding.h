/* What families with tables of embeddings share: the start of a position table
 * and the order in which the rows of a table collect their gradients. */
#ifndef SW_MODEL_EMBEDDING_H
#define SW_MODEL_EMBEDDING_H
#include <stdint.h>

/* Sinusoids of 0.02 root mean square in [rows][d]. */
void sw_sinusoids(float *table, int32_t rows, int32_t d);
/* Indices of [begin, end) sorted by key (0 <= key < keys), equal ones
 * ascending: order lists them, start[k]..start[k + 1] are those of key k (start
 * has keys + 1 entries). So a row of a table gets the sum over its occurrences
 * in ascending order, whichever thread owns the row. */
void sw_sort_by_key(const int32_t *key, int begin, int end, int keys,
                    int32_t *order, int32_t *start);

#endif
