#ifndef STOREHOUSE_CCURL_H
#define STOREHOUSE_CCURL_H

#include <curl/curl.h>

#endif
