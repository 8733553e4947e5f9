/** Keys of a job's objects in the media store. A prefix ends in '/'. */
export interface MediaKeys {
  /** The prefix of all objects of the job. */
  all: string;
  /** The recording as it was uploaded or downloaded. */
  source: string;
  /** The recording of a participant, where each has a file of their own; number 0 is the source. */
  track(index: number): string;
  /** The chunk plan, as JSON. */
  plan: string;
  /** The peaks of the recording, for waveforms: of each window of {@link PEAKS_PER_SECOND} the lowest and the highest sample, as signed bytes. */
  peaks: string;
  /** The prefix of a live session's objects. */
  livePrefix: string;
  /** A piece of a live session's audio: where it begins, in bytes of the session, and the generation of the connection that stored it. */
  livePiece(offset: number, generation: number): string;
  /** The list of the pieces that make up the recording of a live session, in order, as JSON; there from the end of the session until they are joined. */
  livePieces: string;
  /** The finals of a live session, as JSON: `LiveFinals`. */
  liveFinals: string;
  audioPrefix: string;
  /** The audio of a chunk, as 16-bit PCM. */
  audio(index: number): string;
}

/** Windows of the stored peaks in a second. */
export const PEAKS_PER_SECOND = 50;

const SOURCE = 'source';

/** True for the key of a job's source, or of another of its tracks. Decoded audio does not count as stored by the account. */
export const isSourceKey = (key: string): boolean => /\/source(?:-\d)?$/.test(key);

/** Returns where the services store and find the media of a job. */
export function mediaKeys(accountId: string, jobId: string): MediaKeys {
  const all = `${accountId}/${jobId}/`;
  return {
    all,
    source: `${all}${SOURCE}`,
    track: (index) => `${all}${SOURCE}${index === 0 ? '' : `-${index}`}`,
    plan: `${all}plan.json`,
    peaks: `${all}peaks`,
    livePrefix: `${all}live/`,
    livePiece: (offset, generation) => `${all}live/${String(offset).padStart(14, '0')}-${generation}`,
    livePieces: `${all}live-pieces.json`,
    liveFinals: `${all}live-finals.json`,
    audioPrefix: `${all}audio/`,
    audio: (index) => `${all}audio/${String(index).padStart(6, '0')}.pcm`,
  };
}
