import { firstSample } from './audio-decoder.js';
import { decoderArguments, SAMPLE_RATE } from './decoder-arguments.js';
import type { Clip, MediaDecoder, ToolTask, TrackClip } from './media-decoder.js';
import { probeMedia } from './media-probe.js';
import type { MediaSandbox, SandboxInput, SandboxRun } from './sandbox.js';

/** Decodes in child processes of this process. */
export function createLocalMediaDecoder(sandbox: MediaSandbox): MediaDecoder {
  const runTool = (task: ToolTask, input: SandboxInput): Promise<SandboxRun> => {
    const { tool, args } = decoderArguments(task);
    return sandbox.run(tool, args, input);
  };
  const decoder: MediaDecoder = {
    run: async (task, input) => runTool(task.kind === 'clip' ? await trackClip(decoder, task, input) : task, input),
  };
  return decoder;
}

/** Finds the track and where it begins: a clip takes three runs, and a decoder that is another process gets the recording once. */
async function trackClip(decoder: MediaDecoder, { start, duration, format }: Clip, { file, signal }: SandboxInput): Promise<TrackClip> {
  const track = await probeMedia(decoder, file, { maxDurationSeconds: Infinity, signal });
  const beginsLater = start * SAMPLE_RATE < (await firstSample(decoder, file, track, signal));
  return { kind: 'clip', track, channels: track.channels, sampleRate: track.sampleRate, beginsLater, start, duration, format };
}
