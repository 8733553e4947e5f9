/** Where the parts of a job's media lie in the media store; see the joint between ingest and transcription. */
export interface MediaKeys {
  source: string;
  plan: string;
  /** Ends in '/'. */
  audioPrefix: string;
  audio(index: number): string;
}

export function mediaKeys(accountId: string, jobId: string): MediaKeys {
  const job = `${accountId}/${jobId}`;
  return {
    source: `${job}/source`,
    plan: `${job}/plan.json`,
    audioPrefix: `${job}/audio/`,
    audio: (index) => `${job}/audio/${String(index).padStart(6, '0')}.pcm`,
  };
}
