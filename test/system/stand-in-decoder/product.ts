import { afterAll } from '@jest/globals';
import { FakeDecoder } from '@parlance/testing';
import { sharedProduct } from '../shared-product.js';

export const CHUNK_ATTEMPTS = 3;
export const CHUNKS = { CHUNK_IDEAL_SECONDS: '10', CHUNK_MAX_SECONDS: '15', CHUNK_MAX_ATTEMPTS: String(CHUNK_ATTEMPTS) };
const PLANS = { tiny: { free_minutes: 1 } };

const opened = new AsyncDisposableStack();
afterAll(() => opened.disposeAsync());

let made: Promise<FakeDecoder> | undefined;
/** The decoder of the shared product, which each file leaves mended. */
export const standInDecoder = (): Promise<FakeDecoder> => (made ??= FakeDecoder.create().then((decoder) => opened.use(decoder)));

/** The product with a decoder that fails as told, and webhooks that are given up after one more try. */
export const product = sharedProduct(async () => ({
  ...CHUNKS,
  PLANS: JSON.stringify(PLANS),
  WEBHOOK_RETRY_SCHEDULE: '0',
  SPEECH_ENGINE_URL: (await standInDecoder()).engineUrl,
}));
