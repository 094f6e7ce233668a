/* The version of the library and the program, and the number of the library's
 * binary interface: the one of libstatewise.so.N. It grows when a program that
 * was built against the library would have to be built again. */
#ifndef SW_BASE_VERSION_H
#define SW_BASE_VERSION_H
#define SW_VERSION "0.1.0"
#define SW_ABI 1
#endif
