import type { SandboxFeed, SandboxInput, SandboxRun } from './sandbox.js';

/** An audio stream of a recording, as ffprobe found it. */
export interface AudioTrack {
  /** Container by ffprobe's name, for instance `mov,mp4,m4a,3gp,3g2,mj2`. */
  format: string;
  /** Number of the stream among the file's audio streams. */
  audioIndex: number;
}

/** File formats of a clip: MP3, AAC in fragmented MP4, 16 bit PCM in WAV, Opus in Ogg. */
export const CLIP_FORMATS = ['mp3', 'm4a', 'wav', 'ogg'] as const;
export type ClipFormat = (typeof CLIP_FORMATS)[number];

/** A stretch of a recording, in seconds on its time line. */
export interface Clip {
  start: number;
  duration: number;
  format: ClipFormat;
}

export type MediaTask =
  /** Container and streams, as ffprobe's JSON. */
  | { kind: 'probe' }
  /** The first frame that can be decoded, as a line of ffmpeg's framecrc. */
  | { kind: 'firstFrame'; track: AudioTrack }
  /** All of the audio: s16le, 16 kHz, mono. */
  | { kind: 'decode'; track: AudioTrack }
  /** The first `channels` channels of the audio, each apart: s16le, 16 kHz, their samples in turn. */
  | { kind: 'decodeChannels'; track: AudioTrack; channels: number }
  /** Audio as `decode` and `decodeChannels` write it, as Opus in Ogg. */
  | { kind: 'encode'; channels: number }
  /** A stretch of the audio as a file, written without seeking; its track is found first. */
  | ({ kind: 'clip' } & Clip);

/** A stretch of a track that was found. */
export interface TrackClip extends Clip {
  kind: 'clip';
  track: AudioTrack;
  /** Channels that the track has. */
  channels: number;
  /** Sample rate of the track, in Hz; 0: unknown. */
  sampleRate: number;
  /** True when the audio begins after the start of the clip, which then begins with silence. */
  beginsLater: boolean;
}

/** A task that one run of a tool does. */
export type ToolTask = Exclude<MediaTask, { kind: 'clip' }> | TrackClip;

/** Runs ffprobe and ffmpeg on a recording, in this process's sandbox or in another process. */
export interface MediaDecoder {
  /**
   * @throws AppError media_* when a clip's media cannot be read; internal when the tool is not installed; unavailable, also while stdout is read, when the process that decodes
   * is away.
   */
  run(task: MediaTask, input: SandboxInput): Promise<SandboxRun>;
  /**
   * Decodes audio while its recording arrives, as soon as it can be decoded: s16le, 16 kHz, mono.
   * @throws AppError as `run`; no_live_capacity, also while stdout is read
   */
  stream(track: AudioTrack, feed: SandboxFeed): Promise<SandboxRun>;
}
