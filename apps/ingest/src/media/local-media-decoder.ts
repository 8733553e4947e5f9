import { BYTES_PER_SECOND, firstSample } from './audio-decoder.js';
import { decoderArguments, SAMPLE_RATE, streamArguments } from './decoder-arguments.js';
import type { Clip, MediaDecoder, ToolTask, TrackClip } from './media-decoder.js';
import { probeMedia } from './media-probe.js';
import { DEFAULT_FEED_LIMITS, type FedRun, type MediaSandbox, type SandboxInput, type SandboxRun } from './sandbox.js';

/** Decodes in child processes of this process. */
export function createLocalMediaDecoder(sandbox: MediaSandbox): MediaDecoder {
  const runTool = (task: ToolTask, input: SandboxInput): Promise<SandboxRun> => {
    const { tool, args } = decoderArguments(task);
    return sandbox.run(tool, args, input);
  };
  const decoder: MediaDecoder = {
    run: async (task, input) => runTool(task.kind === 'clip' ? await trackClip(decoder, task, input) : task, input),
    stream: async (track, feed) => {
      const run = await sandbox.feed('ffmpeg', streamArguments(track), feed);
      return { stdout: inProportion(run), end: run.end };
    },
  };
  return decoder;
}

/** Seconds of processor time for one second of audio. Decoding takes about 0.01, where a video is read over more. */
const CPU_SHARE = 0.25;

/** Allows processor time in proportion to the audio that was decoded. */
async function* inProportion(run: FedRun): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const piece of run.stdout) {
    bytes += piece.length;
    run.allowCpu(DEFAULT_FEED_LIMITS.cpuSeconds + (CPU_SHARE * bytes) / BYTES_PER_SECOND);
    yield piece;
  }
}

/** Finds the track and where it begins: a clip takes three runs, and a decoder that is another process gets the recording once. */
async function trackClip(decoder: MediaDecoder, { start, duration, format }: Clip, { file, signal }: SandboxInput): Promise<TrackClip> {
  const track = await probeMedia(decoder, file, { maxDurationSeconds: Infinity, signal });
  const beginsLater = start * SAMPLE_RATE < (await firstSample(decoder, file, track, signal));
  return { kind: 'clip', track, channels: track.channels, sampleRate: track.sampleRate, beginsLater, start, duration, format };
}
