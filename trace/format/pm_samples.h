/*
 * trace/format/pm_samples.h - samples of the performance monitors around one launch, as a blob of a trace holds them
 *
 * The shim writes it behind a launch that was sampled, in the byte order of the machine: the head, a word for each
 * image of counter data, the times of all samples, then the images as CUPTI made them, each padded to a multiple of 8.
 * Sample number k of an image is what CUPTI's host library evaluates as its range k; those of the second image follow
 * those of the first. Times are the device's, in the clock that CUPTI tells of activities too.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_TRACE_FORMAT_PM_SAMPLES_H
#define GPUTAP_TRACE_FORMAT_PM_SAMPLES_H

#include <stdbool.h>
#include <stdint.h>

#define REC_PM_MAGIC 0x31534d5050415447ull
#define REC_PM_IMAGES 4096u                      /* at most */
#define REC_PM_SAMPLES (1u << 20)                /* at most */

enum rec_pm_state {
	REC_PM_WHOLE,
	REC_PM_OVERFLOW,                         /* the device's buffer was full: what came then is not there */
	REC_PM_FULL,                             /* more samples than are kept of a launch */
	REC_PM_FAILED,                           /* CUPTI did not give them */
	REC_PM_STATES
};
enum rec_pm_trigger { REC_PM_CYCLES, REC_PM_TIME };      /* CUPTI's numbers: interval in system cycles, in ns */

/*
 * image: number in the file `counters`. begin_ns, end_ns: CUPTI's clock before sampling was started and behind its end.
 * kernel_begin_ns, kernel_end_ns: of what was launched, in the same clock, where a later run of the program sampled:
 * the launcher takes them from its trace; 0: the activities of this trace tell. interval, buffer_bytes: as asked for.
 */
struct rec_pm {
	uint64_t magic, bytes, begin_ns, end_ns, kernel_begin_ns, kernel_end_ns, interval, buffer_bytes;
	uint32_t state, trigger, image, images, samples, unused;
};
struct rec_pm_image { uint32_t bytes, samples; };
struct rec_pm_time { uint64_t begin_ns, end_ns; };

/* Where its parts lie. */
struct rec_pm_parts {
	const struct rec_pm *head;
	const struct rec_pm_image *images;
	const struct rec_pm_time *times;
	const uint8_t *data;
};

/* An image takes so many bytes of the blob. */
static inline uint64_t rec_pm_room(uint64_t bytes) { return (bytes + 7) & ~UINT64_C(7); }

/* Whether it is such a blob, begins at a word, and everything that it says lies inside it. */
static inline bool rec_pm_sound(const void *blob, uint64_t bytes, struct rec_pm_parts *p)
{
	const struct rec_pm *h = blob;
	uint64_t need = sizeof *h, samples = 0;

	if (bytes < sizeof *h || (uintptr_t)blob % 8 || h->magic != REC_PM_MAGIC || h->bytes != bytes ||
		h->images > REC_PM_IMAGES || h->samples > REC_PM_SAMPLES || h->state >= REC_PM_STATES)
		return false;
	need += (uint64_t)h->images * sizeof *p->images + (uint64_t)h->samples * sizeof *p->times;
	if (need > bytes)
		return false;
	p->head = h;
	p->images = (const void *)(h + 1);
	p->times = (const void *)(p->images + h->images);
	p->data = (const void *)(p->times + h->samples);
	for (uint32_t i = 0; i < h->images; i++) {
		need += rec_pm_room(p->images[i].bytes);
		samples += p->images[i].samples;
	}
	return need == bytes && samples == h->samples;
}

#endif
