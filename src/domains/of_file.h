/* The domain of a data set or of weights. A file names it. Where that is a
 * domain of the program, or one that is open with the same words, it is that
 * one. Otherwise a domain is made of the file's words: it prints and counts
 * tokens, knows which one goes back, and has no rules, so that it can be
 * learned and asked about, not searched. Two files with the same name and the
 * same words get the same domain. */
#ifndef SW_DOMAINS_OF_FILE_H
#define SW_DOMAINS_OF_FILE_H
#include "base/safetensors.h"
#include "domains/domain.h"
#include "trace/dataset.h"

/* The name where a file says none. */
#define SW_OWN_DOMAIN "own"

/* Held for the caller (sw_domain_release). `least`: tokens that the file is
 * known to hold. SW_USAGE: a domain of this name is open for searching, and has
 * other words. */
int sw_domain_of_file(const sw_st_file *file, int64_t least, const char *path,
                      const sw_domain **domain, sw_err *err);
int sw_domain_of_set(const sw_dataset *set, const char *path,
                     const sw_domain **domain, sw_err *err);

/* The words of a file: those of its metadata, else as its domain prints its
 * tokens, else their numbers. */
int sw_words_of_meta(const sw_st_file *file, int64_t least, const char *path,
                     sw_words *words, sw_err *err);
/* The words that a domain's tokens are printed as. */
int sw_words_of_domain(const sw_domain *domain, int32_t vocab, sw_words *words,
                       sw_err *err);

#endif
