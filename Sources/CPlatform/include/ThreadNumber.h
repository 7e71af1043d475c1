#ifndef CPLATFORM_THREADNUMBER_H
#define CPLATFORM_THREADNUMBER_H

/// A number of the calling thread. Threads are numbered from 0 in the order of their first calls, and no number comes twice.
unsigned thread_number(void);

#endif
