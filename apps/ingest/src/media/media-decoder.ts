import type { SandboxInput, SandboxRun } from './sandbox.js';

/** An audio stream of a recording, as ffprobe found it. */
export interface AudioTrack {
  /** Container by ffprobe's name, for instance `mov,mp4,m4a,3gp,3g2,mj2`. */
  format: string;
  /** Number of the stream among the file's audio streams. */
  audioIndex: number;
}

export type MediaTask =
  /** Container and streams, as ffprobe's JSON. */
  | { kind: 'probe' }
  /** The first frame that can be decoded, as a line of ffmpeg's framecrc. */
  | { kind: 'firstFrame'; track: AudioTrack }
  /** All of the audio: s16le, 16 kHz, mono. */
  | { kind: 'decode'; track: AudioTrack }
  /** The first `channels` channels of the audio, each apart: s16le, 16 kHz, their samples in turn. */
  | { kind: 'decodeChannels'; track: AudioTrack; channels: number };

/** Runs ffprobe and ffmpeg on a recording, in this process's sandbox or in another process. */
export interface MediaDecoder {
  /**
   * @throws AppError internal when the tool is not installed; unavailable, also while stdout is read, when the process that decodes
   * is away.
   */
  run(task: MediaTask, input: SandboxInput): Promise<SandboxRun>;
}
