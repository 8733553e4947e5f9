import type { Egress } from '@parlance/egress';
import type { MediaStore, PutResult } from '@parlance/storage';
import { DEFAULT_FETCH_LIMITS, type FetchLimits } from './fetch-limits.js';
import { DownloadChanged, downloadMedia, type DownloadProgress } from './media-download.js';
import { mediaError } from './media-error.js';
import { noAnswer, RetryBudget } from './retry-budget.js';

export interface FetchOptions {
  signal?: AbortSignal;
  /** In place of the fetcher's own. */
  maxBytes?: number;
  /** Headers of the caller, for the origin of the URL alone. */
  headers?: Readonly<Record<string, string>> | undefined;
  onProgress?: (progress: DownloadProgress) => void;
}

/** Brings media from a caller's URL into the media store. */
export interface MediaFetcher {
  /**
   * The object is there whole or not at all. Broken connections are resumed with Range, or begun again.
   * @throws AppError media_unreachable, media_timeout, media_too_large, media_empty, media_unsupported, address_forbidden,
   * and what the store throws; the signal's reason when it aborts. No message holds a URL or an address.
   */
  fetchInto(key: string, url: string, options?: FetchOptions): Promise<PutResult>;
}

interface MediaFetcherOptions {
  egress: Egress;
  store: MediaStore;
  limits?: Partial<FetchLimits>;
  /** 0 to before 1, for jitter. */
  random?: () => number;
}

export function createMediaFetcher({ egress, store, limits, random = Math.random }: MediaFetcherOptions): MediaFetcher {
  const defaults: FetchLimits = { ...DEFAULT_FETCH_LIMITS, ...limits };
  return {
    async fetchInto(key, url, { signal, maxBytes, headers, onProgress } = {}) {
      const effective = { ...defaults, maxBytes: maxBytes ?? defaults.maxBytes };
      const budget = new RetryBudget(effective, random);
      const tooLong = AbortSignal.timeout(effective.totalMs);
      const either = signal ? AbortSignal.any([signal, tooLong]) : tooLong;
      for (let begun = 1; ; begun += 1) {
        try {
          const bytes = downloadMedia({ egress, url, limits: effective, budget, signal: either, headers, onProgress });
          return await store.put(key, bytes, { signal: either });
        } catch (error) {
          signal?.throwIfAborted();
          if (tooLong.aborted) throw budget.answered ? mediaError('media_timeout', 'The media could not be downloaded within the time allowed.', { cause: error }) : noAnswer(error);
          if (!(error instanceof DownloadChanged)) throw error;
          if (begun >= effective.maxTries) throw mediaError('media_unreachable', 'The media server closed the connection repeatedly and cannot resume.', { cause: error });
        }
      }
    },
  };
}
