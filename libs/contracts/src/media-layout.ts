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
  audioPrefix: string;
  /** The audio of a chunk, as 16-bit PCM. */
  audio(index: number): string;
}

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
    audioPrefix: `${all}audio/`,
    audio: (index) => `${all}audio/${String(index).padStart(6, '0')}.pcm`,
  };
}
