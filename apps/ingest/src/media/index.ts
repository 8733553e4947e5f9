export { DEFAULT_FETCH_LIMITS, type FetchLimits } from './fetch-limits.js';
export { createMediaFetcher, type FetchOptions, type MediaFetcher } from './media-fetcher.js';
export { isMediaErrorCode } from './media-error.js';
export { mediaKeys } from './media-keys.js';
export { createMediaPipeline, type MediaPipeline, type MediaWarning, type PreparedMedia, type PrepareRequest } from './media-pipeline.js';
export { createMediaSandbox, sandboxTimes, type MediaSandbox } from './sandbox.js';
