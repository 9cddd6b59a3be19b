/* both_types.h: includes LOOP_TEMPLATE for float and for double. */
#define REAL        float
#define NAMED(name) LOOPS(name##_f32)
#include LOOP_TEMPLATE
#undef REAL
#undef NAMED
#define REAL        double
#define NAMED(name) LOOPS(name##_f64)
#include LOOP_TEMPLATE
#undef REAL
#undef NAMED
