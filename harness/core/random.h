/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_RANDOM_H
#define IOPROOF_RANDOM_H

/*
 * Seeded pseudo-random numbers: schedules (reproducible) and incompressible data (cheap).
 * xoshiro256** seeded by splitmix64 (Blackman and Vigna, 2018, public domain). Not for secrets.
 */

#include "core/base.h"

struct random {
	uint64_t state[4];
};

void random_seed(struct random *r, uint64_t seed);
uint64_t random_next(struct random *r);
/* Uniform in [0, bound); bound > 0. Unbiased (rejection). */
uint64_t random_below(struct random *r, uint64_t bound);
/* Fisher-Yates. */
void random_shuffle(struct random *r, unsigned *items, size_t count);
/* Incompressible bytes. */
void random_fill(struct random *r, void *buffer, size_t size);
/* A fresh seed from getrandom(2). */
uint64_t random_fresh_seed(void);

#endif
