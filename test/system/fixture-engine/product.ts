import { sharedProduct } from '../shared-product.js';

/** The product with default settings but for its speech engine, and with other vendors’ APIs at its root. */
export const product = sharedProduct(() => ({ SPEECH_ENGINE_URL: 'fixture:', COMPAT_ROOTS: 'deepgram' }));
