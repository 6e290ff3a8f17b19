//! Stacks, context switch, run queues, workers, park and unpark.
