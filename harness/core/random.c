// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/random.h"

#include <string.h>
#include <sys/random.h>
#include <time.h>

static uint64_t splitmix64(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

static uint64_t rotate_left(uint64_t x, int count)
{
	return (x << count) | (x >> (64 - count));
}

void random_seed(struct random *r, uint64_t seed)
{
	for (size_t i = 0; i < ARRAY_SIZE(r->state); i++)
		r->state[i] = splitmix64(&seed);
}

uint64_t random_next(struct random *r)
{
	uint64_t *s = r->state;
	uint64_t result = rotate_left(s[1] * 5, 7) * 9;
	uint64_t t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rotate_left(s[3], 45);
	return result;
}

uint64_t random_below(struct random *r, uint64_t bound)
{
	/* 2^64 mod bound: the values below it are one too many for an equal share. */
	uint64_t surplus = -bound % bound;
	uint64_t x;

	do
		x = random_next(r);
	while (x < surplus);
	return x % bound;
}

void random_shuffle(struct random *r, unsigned *items, size_t count)
{
	for (size_t i = count; i > 1; i--) {
		size_t j = random_below(r, i);
		unsigned swapped = items[i - 1];

		items[i - 1] = items[j];
		items[j] = swapped;
	}
}

void random_fill(struct random *r, void *buffer, size_t size)
{
	unsigned char *p = buffer;
	uint64_t x;

	for (; size >= sizeof(x); p += sizeof(x), size -= sizeof(x)) {
		x = random_next(r);
		memcpy(p, &x, sizeof(x));
	}
	if (size) {
		x = random_next(r);
		memcpy(p, &x, size);
	}
}

uint64_t random_fresh_seed(void)
{
	uint64_t seed;
	struct timespec now;

	if (getrandom(&seed, sizeof(seed), 0) == sizeof(seed))
		return seed;
	/* A seccomp filter may forbid it; no secret depends on the seed. */
	clock_gettime(CLOCK_REALTIME, &now);
	seed = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
	return splitmix64(&seed) ^ (uint64_t)getpid();
}
