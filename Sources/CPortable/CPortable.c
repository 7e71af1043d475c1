#include "FaultNote.h"
#include "UniqueNumber.h"

_Atomic(uint64_t) unique_number;
_Atomic(fault_note_source) fault_notes;
