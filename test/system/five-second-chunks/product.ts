import { sharedProduct } from '../shared-product.js';

/** The product with chunks that are short enough for several of one sample, and take their time. An account has one active job. */
export const product = sharedProduct(() => ({ SPEECH_ENGINE_URL: 'fixture:?delayMs=150&parallelism=2', CHUNK_IDEAL_SECONDS: '5', CHUNK_MAX_SECONDS: '10', JOBS_ACTIVE_PER_ACCOUNT: '1' }));
