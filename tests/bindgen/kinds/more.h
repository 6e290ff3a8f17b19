/* A header of the same library. */
int kinds_more(void);
typedef struct { int a; } kinds_part;
int kinds_part_of(kinds_part *part);
