/* Made by `leat bindgen`: functions of C that SML calls in place of those that no library has by a symbol. */
#include "../kinds.h"

#undef kinds_copy
void leat_kinds_kinds_copy(const __typeof__(struct kinds_all) *a0, struct kinds_all *result) { struct kinds_all given = kinds_copy(*a0); __builtin_memcpy(result, &given, sizeof given); }

#undef kinds_pick
void leat_kinds_kinds_pick(const __typeof__(kinds_either) *a0, __typeof__(int) a1, kinds_either *result) { kinds_either given = kinds_pick(*a0, a1); __builtin_memcpy(result, &given, sizeof given); }

#undef kinds_inline
__typeof__(int) leat_kinds_kinds_inline(__typeof__(const char *) a0, __typeof__(_Bool) a1) { return kinds_inline(a0, a1); }

#undef kinds_plain_inline
__typeof__(int) leat_kinds_kinds_plain_inline(__typeof__(int) a0) { return kinds_plain_inline(a0); }

#undef kinds_both
__typeof__(int) leat_kinds_kinds_both(__typeof__(int) a0) { return kinds_both(a0); }

#undef kinds_other
__typeof__(int) leat_kinds_kinds_other(__typeof__(int) a0) { return kinds_other(a0); }

__typeof__(unsigned int) leat_kinds_get_all_low(struct kinds_all *record) { return record->low; }

void leat_kinds_set_all_low(struct kinds_all *record, __typeof__(unsigned int) value) { record->low = value; }

__typeof__(int) leat_kinds_get_all_high(struct kinds_all *record) { return record->high; }

void leat_kinds_set_all_high(struct kinds_all *record, __typeof__(int) value) { record->high = value; }

__typeof__(_Bool) leat_kinds_get_all_flag(struct kinds_all *record) { return record->flag; }

void leat_kinds_set_all_flag(struct kinds_all *record, __typeof__(_Bool) value) { record->flag = value; }

__typeof__(unsigned long long) leat_kinds_get_all_many(struct kinds_all *record) { return record->many; }

void leat_kinds_set_all_many(struct kinds_all *record, __typeof__(unsigned long long) value) { record->many = value; }
