/* Word lists (words.h): all texts in one buffer, found through a hash table
 * with linear probing that is at most half full. */
#include "trace/words.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/check.h"
#include "base/grow.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/json_read.h"
#include "base/text.h"

void sw_words_free(sw_words *words) {
  free(words->text);
  free(words->start);
  free(words->slot);
  memset(words, 0, sizeof *words);
}

/* Blanks of Unicode that are no control characters. */
static int is_wide_blank(const unsigned char *p, size_t n) {
  if (n == 2) return p[0] == 0xC2 && p[1] == 0xA0;
  if (n != 3) return 0;
  unsigned code = (p[0] & 0xfu) << 12 | (p[1] & 0x3fu) << 6 | (p[2] & 0x3fu);
  return code == 0x1680 || (code >= 0x2000 && code <= 0x200B) ||
         code == 0x202F || code == 0x205F || code == 0x3000 || code == 0xFEFF;
}

int sw_word_check(const char *word, size_t bytes, sw_err *err) {
  if (bytes == 0) return sw_fail(err, SW_DATA, "a word is empty");
  if (bytes > SW_WORD_BYTES)
    return sw_fail(err, SW_LIMIT, "a word of %zu bytes; at most %d", bytes,
                   SW_WORD_BYTES);
  for (size_t at = 0; at < bytes;) {
    size_t n = sw_plain_length(word + at, bytes - at);
    int blank = n && (word[at] == ' ' ||
                      is_wide_blank((const unsigned char *)word + at, n));
    if (n && !blank) {
      at += n;
      continue;
    }
    char copy[SW_WORD_BYTES + 1], shown[80];
    snprintf(copy, sizeof copy, "%.*s", (int)bytes, word);
    sw_clean_text(shown, sizeof shown, copy);
    return sw_fail(err, SW_DATA, "the word \"%s\" has %s at byte %zu", shown,
                   blank ? "a blank" : "a control character or invalid UTF-8",
                   at + 1);
  }
  return SW_OK;
}

/* The slot that holds the word, or the free one where it belongs. */
static int32_t slot_of(const sw_words *words, const char *word, size_t bytes) {
  uint32_t mask = (uint32_t)words->slots - 1;
  uint32_t at = (uint32_t)sw_xxh64(word, bytes, 0) & mask;
  for (; words->slot[at]; at = (at + 1) & mask) {
    const char *held = words->text + words->start[words->slot[at] - 1];
    if (strlen(held) == bytes && memcmp(held, word, bytes) == 0) break;
  }
  return (int32_t)at;
}

int32_t sw_words_find(const sw_words *words, const char *word, size_t bytes) {
  SW_ASSERT(words && word);
  return words->slots ? words->slot[slot_of(words, word, bytes)] - 1 : -1;
}

const char *sw_words_text(const sw_words *words, int32_t token) {
  return token >= 0 && token < words->count ? words->text + words->start[token]
                                            : NULL;
}

static int widen(sw_words *words) {
  if (words->count * 2 < words->slots) return 1;
  int32_t slots = words->slots ? words->slots * 2 : 64;
  int32_t *slot = calloc((size_t)slots, sizeof *slot);
  if (!slot) return 0;
  free(words->slot);
  words->slot = slot;
  words->slots = slots;
  for (int32_t i = 0; i < words->count; i++) {
    const char *text = words->text + words->start[i];
    slot[slot_of(words, text, strlen(text))] = i + 1;
  }
  return 1;
}

/* Appends what is a word and is not there yet. */
static int append(sw_words *words, const char *word, size_t bytes,
                  sw_err *err) {
  if (words->count >= SW_WORDS_MAX)
    return sw_fail(err, SW_LIMIT, "more than %d different words", SW_WORDS_MAX);
  if (words->text_bytes + (int64_t)bytes + 1 > SW_WORDS_BYTES)
    return sw_fail(err, SW_LIMIT, "the words have more than %d bytes in all",
                   SW_WORDS_BYTES);
  if (!sw_grow64(&words->text, &words->text_room,
                 words->text_bytes + (int64_t)bytes + 1, 1) ||
      !sw_grow64(&words->start, &words->start_room, words->count + 1,
                 sizeof *words->start) ||
      !widen(words))
    return sw_no_memory_for(err, "a list of words");
  int32_t slot = slot_of(words, word, bytes);
  char *text = words->text + words->text_bytes;
  memcpy(text, word, bytes);
  text[bytes] = 0;
  words->start[words->count] = words->text_bytes;
  words->text_bytes += (int64_t)bytes + 1;
  words->slot[slot] = ++words->count;
  return SW_OK;
}

int sw_words_add(sw_words *words, const char *word, size_t bytes, sw_err *err) {
  SW_ASSERT(words && word);
  SW_TRY(sw_word_check(word, bytes, err));
  int32_t held = sw_words_find(words, word, bytes);
  if (held >= 0)
    return sw_fail(err, SW_DATA, "the word \"%.*s\" is there twice",
                   (int)(bytes > 60 ? 60 : bytes), word);
  return append(words, word, bytes, err);
}

int sw_words_intern(sw_words *words, const char *word, size_t bytes,
                    int32_t *token, sw_err *err) {
  SW_ASSERT(words && word && token);
  *token = sw_words_find(words, word, bytes);
  if (*token >= 0) return SW_OK;
  SW_TRY(sw_word_check(word, bytes, err));
  SW_TRY(append(words, word, bytes, err));
  *token = words->count - 1;
  return SW_OK;
}

int sw_words_set_back(sw_words *words, const char *word, sw_err *err) {
  int32_t token = sw_words_find(words, word, strlen(word));
  char shown[80];
  sw_clean_text(shown, sizeof shown, word);
  if (token < 0)
    return sw_fail(err, SW_DATA,
                   "\"%s\", the word for going back, is not among the words",
                   shown);
  words->back = token + 1;
  return SW_OK;
}

int32_t sw_words_back(const sw_words *words) { return words->back - 1; }

char *sw_words_json(const sw_words *words) {
  sw_json json;
  sw_json_to_text(&json);
  sw_json_array(&json, NULL);
  for (int32_t i = 0; i < words->count; i++)
    sw_json_string(&json, NULL, sw_words_text(words, i));
  sw_json_end(&json);
  if (json.failed) sw_json_free(&json);
  return json.text;
}

static int take(sw_words *words, const json_t *list, const char *back,
                sw_err *err) {
  size_t i;
  json_t *item;
  if (!json_is_array(list)) return sw_fail(err, SW_DATA, "not a list of texts");
  json_array_foreach(list, i, item) {
    if (!json_is_string(item))
      return sw_fail(err, SW_DATA, "word %zu is not a text", i);
    if (sw_words_add(words, json_string_value(item), json_string_length(item),
                     err))
      return sw_context(err, "word %zu", i);
  }
  if (!words->count) return sw_fail(err, SW_DATA, "a list without a word");
  return back ? sw_words_set_back(words, back, err) : SW_OK;
}

int sw_words_parse(sw_words *words, const char *json, const char *back,
                   const char *label, sw_err *err) {
  json_error_t why;
  json_t *list;
  memset(words, 0, sizeof *words);
  int code =
      sw_json_read(&list, json, strlen(json), JSON_REJECT_DUPLICATES, &why);
  if (code == SW_MEMORY) return sw_no_memory_for(err, "%s", label);
  if (code)
    return sw_fail(err, SW_DATA, "%s: words: not JSON: %s", label, why.text);
  code = take(words, list, back, err);
  json_decref(list);
  if (code) {
    sw_words_free(words);
    return sw_context(err, "%s: words", label);
  }
  return SW_OK;
}

int sw_words_copy(sw_words *to, const sw_words *from, sw_err *err) {
  memset(to, 0, sizeof *to);
  for (int32_t i = 0; i < from->count; i++) {
    const char *text = sw_words_text(from, i);
    int code = append(to, text, strlen(text), err);
    if (code) {
      sw_words_free(to);
      return code;
    }
  }
  to->back = from->back;
  return SW_OK;
}

int32_t sw_words_difference(const sw_words *a, const sw_words *b) {
  int32_t most = a->count > b->count ? a->count : b->count;
  for (int32_t i = 0; i < most; i++) {
    const char *x = sw_words_text(a, i), *y = sw_words_text(b, i);
    if (!x || !y || strcmp(x, y) != 0) return i;
  }
  return -1;
}

int sw_words_same(const sw_words *a, const sw_words *b) {
  return a->back == b->back && sw_words_difference(a, b) < 0;
}

void sw_words_hash(const sw_words *words, char hash[17]) {
  uint64_t h = 0;
  if (words->text_bytes)
    h = sw_xxh64(words->text, (size_t)words->text_bytes, h);
  h = sw_xxh64(&words->back, sizeof words->back, h);
  snprintf(hash, 17, "%016llx", (unsigned long long)h);
}
