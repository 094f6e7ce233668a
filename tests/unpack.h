/* Test data that lies compressed in tests/data. */
#ifndef TESTS_UNPACK_H
#define TESTS_UNPACK_H

/* The file's text, unpacked; free() it. NULL: it cannot be read. */
char *unpack_text(const char *path);
/* The file unpacked into a temporary one, for readers that map files; returns
 * its path or NULL. unpack_remove removes it and frees the path. */
char *unpack_file(const char *path);
void unpack_remove(char *path);
/* The next line of a text, ended in place; NULL after the last. */
char *unpack_line(char **text);

#endif
