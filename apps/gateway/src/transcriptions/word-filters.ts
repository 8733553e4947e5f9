import { z } from 'zod';

export const profanityFilter = z.enum(['mask', 'remove', 'off']).meta({ id: 'ProfanityFilter', description: 'How profanity is written.' });
export const fillerFilter = z.enum(['remove', 'off']).meta({ id: 'FillerFilter', description: 'Whether sounds of hesitation are left out.' });
