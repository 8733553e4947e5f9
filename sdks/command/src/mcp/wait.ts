import { JobFailedError, TimeoutError, type Parlance, type Transcription } from './client.js';

/** The job once it has ended or the time is over, whatever its state. */
export async function waited(client: Parlance, jobId: string, seconds: number, { signal, report }: { signal: AbortSignal; report: (job: Transcription) => void }): Promise<Transcription> {
  if (seconds > 0) {
    try {
      return await client.transcriptions.wait(jobId, { timeout: seconds * 1000, signal, onProgress: report });
    } catch (error) {
      const isState = error instanceof JobFailedError || (error instanceof TimeoutError && error.phase === 'wait');
      if (!isState) throw error;
    }
  }
  return client.transcriptions.get(jobId, {}, { signal });
}
