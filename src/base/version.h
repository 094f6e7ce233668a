/* The version of the library and the program. */
#ifndef SW_BASE_VERSION_H
#define SW_BASE_VERSION_H
#define SW_VERSION "0.1.0"
#endif
