//! Nursery, old generation, remembered set, roots, collection.
