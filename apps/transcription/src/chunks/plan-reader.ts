import { AppError } from '@parlance/platform';
import type { MediaStore } from '@parlance/storage';
import type { ChunkPlan, PlannedChunk } from '@parlance/transcript';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { readObject } from './read-object.js';

const region = z.object({ start: z.number(), end: z.number() });

const planSchema: z.ZodType<ChunkPlan> = z.object({
  jobId: z.string(),
  duration: z.number().nonnegative(),
  sampleRate: z.literal(16000),
  chunks: z.array(region.extend({ index: z.int(), ownStart: z.number(), ownEnd: z.number(), speech: z.array(region), audioKey: z.string() })),
});

/** Chunk plans as ingest stored them; those of the jobs at work are kept. */
export class PlanReader {
  private readonly plans = new LRUCache<string, ChunkPlan>({ max: 8 });

  constructor(private readonly media: MediaStore) {}

  /** `run` tells plans apart that a retry wrote under the same key. @throws AppError not_found */
  async read(planKey: string, run: number): Promise<ChunkPlan> {
    const cacheKey = `${planKey}#${run}`;
    const known = this.plans.get(cacheKey);
    if (known) return known;
    const bytes = await readObject(this.media, planKey);
    const plan = planSchema.parse(JSON.parse(new TextDecoder().decode(bytes)));
    this.plans.set(cacheKey, plan);
    return plan;
  }

  /** @throws AppError internal when the plan has no such chunk. */
  async readChunk({ planKey, run, index }: { planKey: string; run: number; index: number }): Promise<PlannedChunk> {
    const plan = await this.read(planKey, run);
    const chunk = plan.chunks[index];
    if (chunk) return chunk;
    throw new AppError({ kind: 'internal', code: 'internal', message: `The plan has no chunk ${index}.` });
  }
}
