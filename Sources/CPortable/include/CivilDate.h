#ifndef CPORTABLE_CIVILDATE_H
#define CPORTABLE_CIVILDATE_H

#include <stdint.h>

/// A day of the Gregorian calendar.
typedef struct {
    int64_t year;
    int64_t month;
    int64_t day;
} civil_date;

/// The date of a day counted from 1970-01-01 (H. Hinnant, "chrono-compatible low-level date algorithms"). It is safe in a
/// signal handler.
///
/// Years begin in March, so that the leap day is the last day of a year, and the calendar repeats after 400 years.
static inline civil_date civil_date_of_day(int64_t day) {
    int64_t shifted = day + 719468;
    int64_t era = (shifted >= 0 ? shifted : shifted - 146096) / 146097;
    int64_t day_of_era = shifted - era * 146097;
    int64_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int64_t march_month = (5 * day_of_year + 2) / 153;
    int64_t month = march_month < 10 ? march_month + 3 : march_month - 9;
    civil_date date = {year_of_era + era * 400 + (month <= 2), month, day_of_year - (153 * march_month + 2) / 5 + 1};
    return date;
}

#endif
