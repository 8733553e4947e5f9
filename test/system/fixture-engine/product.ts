import { sharedProduct } from '../shared-product.js';

/** The product with default settings but for its speech engine. */
export const product = sharedProduct(() => ({ SPEECH_ENGINE_URL: 'fixture:' }));
