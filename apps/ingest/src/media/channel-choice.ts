import { common } from '@parlance/contracts';
import { ChannelDifference } from './channel-difference.js';
import type { MediaDecoder } from './media-decoder.js';
import { mediaError } from './media-error.js';
import type { ProbedMedia } from './media-probe.js';

const { CHANNEL_MODE_AUTO, CHANNEL_MODE_SPLIT } = common.ChannelMode;

/** The maximum number of channels that are transcribed apart. */
export const MAX_SPLIT_CHANNELS = 8;

/** Two channels are compared over so many seconds from the beginning at most. */
const COMPARED_SECONDS = 1800;

interface ChannelChoice {
  /** Channels that are transcribed apart; 1: all are mixed. */
  count: number;
  /** Two channels that differ are mixed, as the caller asked or by default. */
  mixesDifferent: boolean;
}

interface ChoiceOptions {
  mode: common.ChannelMode;
  maxDurationSeconds: number;
  signal: AbortSignal;
}

/**
 * Decides how the channels of a recording are transcribed. Two channels are compared in a run of their own unless they are split anyway.
 * @throws AppError media_too_many_channels
 */
export async function chooseChannels(decoder: MediaDecoder, file: string, media: ProbedMedia, options: ChoiceOptions): Promise<ChannelChoice> {
  const { channels } = media;
  const { mode } = options;
  if (mode === CHANNEL_MODE_SPLIT) {
    if (channels > MAX_SPLIT_CHANNELS) throw mediaError('media_too_many_channels', `The media has ${channels} channels; at most ${MAX_SPLIT_CHANNELS} can be split.`);
    return { count: Math.max(1, channels), mixesDifferent: false };
  }
  const areDifferent = channels === 2 && (await compare(decoder, file, media, options));
  return mode === CHANNEL_MODE_AUTO && areDifferent ? { count: 2, mixesDifferent: false } : { count: 1, mixesDifferent: areDifferent };
}

async function compare(decoder: MediaDecoder, file: string, media: ProbedMedia, { maxDurationSeconds, signal }: ChoiceOptions): Promise<boolean> {
  const run = await decoder.run({ kind: 'decodeChannels', track: media, channels: 2 }, { file, signal });
  const difference = new ChannelDifference();
  const maxSeconds = Math.min(COMPARED_SECONDS, maxDurationSeconds);
  // A reader that leaves ends the tool. How it ended is left to the decoding that follows.
  for await (const piece of run.stdout) {
    difference.add(piece);
    if (difference.seconds >= maxSeconds) break;
  }
  return difference.areDifferent;
}
