#ifndef STOREHOUSE_CSQLITE_H
#define STOREHOUSE_CSQLITE_H

#include <sqlite3.h>

#endif
