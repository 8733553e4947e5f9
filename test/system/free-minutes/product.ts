import { afterAll } from '@jest/globals';
import { FakeDecoder } from '@parlance/testing';
import { sharedProduct } from '../shared-product.js';

const MEGABYTE = 1024 * 1024;
/** `tiny` has six seconds for nothing, less than any recording here. */
const PLANS = {
  tiny: { free_minutes: 0.1, limits: { max_duration_seconds: 300 } },
  small: { free_minutes: 60, limits: { storage_bytes: 2 * MEGABYTE, retention_max_hours: 48, media_retention_hours: 0 } },
};

const opened = new AsyncDisposableStack();
afterAll(() => opened.disposeAsync());

/** The product with plans that soon are used up; a new account has `tiny`. */
export const product = sharedProduct(async () => {
  const decoder = opened.use(await FakeDecoder.create());
  return { PLANS: JSON.stringify(PLANS), DEFAULT_PLAN: 'tiny', SPEECH_ENGINE_URL: decoder.engineUrl };
});
