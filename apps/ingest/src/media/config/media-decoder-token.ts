import { z } from 'zod';

export const mediaDecoderToken = z.string({ error: 'missing' }).regex(/^[\x21-\x7e]{20,200}$/, 'must be 20 to 200 visible ASCII characters');
