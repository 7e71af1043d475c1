// The header holds everything; the package manager wants one source file for each C target.
#include "CCurl.h"
