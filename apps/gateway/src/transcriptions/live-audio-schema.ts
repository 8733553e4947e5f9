import { z } from 'zod';

/** The audio of a live session, in answers about it and its job. */
export const shownAudio = z
  .object({
    container: z.string().optional().meta({ description: '`auto` for a container.' }),
    encoding: z.string().optional().meta({ description: 'The form of raw samples.', example: 'pcm_s16le' }),
    sample_rate: z.int().max(48_000).optional().meta({ description: 'Samples per second of raw audio.' }),
    channels: z.int().max(8).optional().meta({ description: 'Channels of raw audio.' }),
  })
  .meta({ id: 'LiveAudio', description: 'The audio of a live session.' });

export type ShownAudio = z.output<typeof shownAudio>;
