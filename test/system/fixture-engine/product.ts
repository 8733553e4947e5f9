import { sharedProduct } from '../shared-product.js';

/** The product with default settings but for its speech engine, with other vendors’ APIs at its root, and with live sessions that wait for their client as long as fourteen processes take to start on a busy machine. */
export const product = sharedProduct(() => ({ SPEECH_ENGINE_URL: 'fixture:', COMPAT_ROOTS: 'deepgram', LIVE_RESUME_SECONDS: '600' }));
