import { z } from 'zod';

/** The finder of names and other entities, in a transcript and where they are redacted. */
export const entityMethod = z.enum(['rules', 'model']).meta({ id: 'EntityMethod', description: 'By rules, or by the language model.' });
