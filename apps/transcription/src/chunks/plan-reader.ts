import { Inject, Injectable } from '@nestjs/common';
import { AppError } from '@parlance/platform';
import { MEDIA_STORE } from '@parlance/runtime';
import { readObject, type MediaStore } from '@parlance/storage';
import { parseChunkPlan, type ChunkPlan, type PlannedChunk, type RecognitionOptions } from '@parlance/transcript';
import { LRUCache } from 'lru-cache';

/** Reads chunk plans that ingest stored, and caches those of recent jobs. */
@Injectable()
export class PlanReader {
  private readonly plans = new LRUCache<string, ChunkPlan>({ max: 8 });

  constructor(@Inject(MEDIA_STORE) private readonly media: MediaStore) {}

  /** @param run distinguishes plans that a retry wrote under the same key @throws AppError not_found */
  async read(planKey: string, run: number): Promise<ChunkPlan> {
    const cacheKey = `${planKey}#${run}`;
    const known = this.plans.get(cacheKey);
    if (known) return known;
    const bytes = await readObject(this.media, planKey);
    const plan = parseChunkPlan(new TextDecoder().decode(bytes));
    this.plans.set(cacheKey, plan);
    return plan;
  }

  /** @throws AppError internal when the plan has no such chunk. */
  async readChunk({ planKey, run, index }: { planKey: string; run: number; index: number }): Promise<{ chunk: PlannedChunk; options: RecognitionOptions; isLast: boolean }> {
    const { chunks, options } = await this.read(planKey, run);
    const chunk = chunks[index];
    if (chunk) return { chunk, options, isLast: index === chunks.length - 1 };
    throw new AppError({ kind: 'internal', code: 'internal', message: `The plan has no chunk ${index}.` });
  }
}
