import { segmentId } from '../segments/segment-words.js';
import type { Segment, Speaker, Word } from '../transcript.js';
import { roundToMs } from '../timecodes.js';

/** The id of the speaker on a channel: `S1` on channel 0. */
const channelSpeaker = (channel: number): string => `S${channel + 1}`;

/** A word on a channel, which says who speaks. */
export const wordOnChannel = <W extends Word>(word: W, channel: number): W => ({ ...word, channel, speakerId: channelSpeaker(channel) });

/**
 * The segments of all channels in order of their start, numbered anew. Those of different channels may overlap: each keeps its words
 * and times. Holds one segment of each channel.
 */
export async function* mergeChannels(channels: readonly AsyncIterable<Segment>[]): AsyncGenerator<Segment> {
  const streams = channels.map((segments) => segments[Symbol.asyncIterator]());
  try {
    const next = await Promise.all(streams.map((stream) => stream.next()));
    for (let number = 1; ; number += 1) {
      const first = earliest(next);
      const segment: Segment | undefined = first === undefined ? undefined : next[first]?.value;
      if (first === undefined || segment === undefined) return;
      yield { ...segment, segmentId: segmentId(number) };
      next[first] = (await streams[first]?.next()) ?? END;
    }
  } finally {
    for (const stream of streams) await stream.return?.(undefined);
  }
}

const END: IteratorResult<Segment> = { done: true, value: undefined };

/** The channel whose segment starts first; of equals the lower channel. */
function earliest(next: readonly IteratorResult<Segment>[]): number | undefined {
  let first: number | undefined;
  let start = Infinity;
  for (const [channel, { done, value }] of next.entries()) {
    if (done || value.start >= start) continue;
    [first, start] = [channel, value.start];
  }
  return first;
}

/** Sums up who speaks on the channels while their segments are read. */
export class ChannelSpeakers {
  private readonly seconds = new Map<number, number>();

  /** @param names display names by channel */
  constructor(private readonly names: readonly string[] = []) {}

  async *watch(segments: AsyncIterable<Segment>): AsyncGenerator<Segment> {
    for await (const segment of segments) {
      const { channel, start, end } = segment;
      if (channel !== undefined) this.seconds.set(channel, (this.seconds.get(channel) ?? 0) + end - start);
      yield segment;
    }
  }

  /** The channels on which somebody speaks, in order of first appearance. */
  get speakers(): Speaker[] {
    return [...this.seconds].map(([channel, seconds]) => ({
      speakerId: channelSpeaker(channel),
      name: this.names[channel] ?? `Speaker ${channel + 1}`,
      talkTime: roundToMs(seconds),
    }));
  }
}
