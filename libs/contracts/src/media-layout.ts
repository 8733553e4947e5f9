/** Keys of a job's objects in the media store. A prefix ends in '/'. */
export interface MediaKeys {
  /** The prefix of all objects of the job. */
  all: string;
  /** The recording as it was uploaded or downloaded. */
  source: string;
  /** The chunk plan, as JSON. */
  plan: string;
  audioPrefix: string;
  /** The audio of a chunk, as 16-bit PCM. */
  audio(index: number): string;
}

const SOURCE = 'source';

/** True for the key of a job's source. Decoded audio does not count as stored by the account. */
export const isSourceKey = (key: string): boolean => key.endsWith(`/${SOURCE}`);

/** Returns where the services store and find the media of a job. */
export function mediaKeys(accountId: string, jobId: string): MediaKeys {
  const all = `${accountId}/${jobId}/`;
  return {
    all,
    source: `${all}${SOURCE}`,
    plan: `${all}plan.json`,
    audioPrefix: `${all}audio/`,
    audio: (index) => `${all}audio/${String(index).padStart(6, '0')}.pcm`,
  };
}
