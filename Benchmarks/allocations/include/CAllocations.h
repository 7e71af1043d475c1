// Counts what a thread asks the heap for, by standing in for the C library's functions in the program that links it.
#ifndef CALLOCATIONS_H
#define CALLOCATIONS_H

// How many blocks the calling thread has been given so far; -1 where they cannot be counted.
long allocations_of_this_thread(void);

#endif
