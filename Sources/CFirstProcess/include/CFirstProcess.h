#ifndef CFIRSTPROCESS_H
#define CFIRSTPROCESS_H

/// From here on SIGTERM, SIGINT, SIGHUP and SIGQUIT end the process at once with the status 128 + signal, if it is the first one
/// of a container. Any other process ends by itself.
///
/// This is called before `main` too: the kernel drops the signals that come while the first process has no handler, and the
/// start of the libraries takes some milliseconds.
void first_process_end_at_signals(void);

#endif
