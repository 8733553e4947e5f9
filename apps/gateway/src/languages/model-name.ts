import { z } from 'zod';

/** The name of a speech engine, as SPEECH_ENGINES has it. */
export const modelName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, 'The name of a model has up to 64 lower-case letters, digits, dots, hyphens and underscores.')
  .meta({ description: 'The name of a speech engine. `GET /api/v1/models` lists them.', example: 'default' });
