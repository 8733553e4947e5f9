import type { ServerMessage } from '@parlance/contracts';
import type { ApiClient } from '../api-client.js';
import { follow } from '../transcribe-recordings.js';
import { captionView } from './caption-view.js';
import { LiveSession } from './live-session.js';
import { playedAudio } from './played-audio.js';

/** A live session whose job has ended. */
interface PlayedRecording {
  jobId: string;
  /** Plain text. */
  transcript: string;
}

/** Plays a recording into a live session at its own speed, and shows what is recognized meanwhile. @throws Error that says why it could not */
export async function playRecording(api: ApiClient, path: string, stream: NodeJS.WriteStream): Promise<PlayedRecording> {
  const stopped = new AbortController();
  const audio = playedAudio(path, stopped.signal);
  // Before the session, so that a file without audio makes none.
  const first = await audio.next();
  const { id: jobId, resume_within_ms: resumeWithinMs } = await api.openLive();
  const session = new LiveSession({ sessionId: jobId, socketUrl: api.liveSocketUrl(jobId), requests: api, resumeWithinMs });
  const playing = play(session, first, audio);
  // It is awaited after the session.
  playing.catch(() => undefined);
  try {
    await showAll(session.messages(), stream);
  } finally {
    stopped.abort();
  }
  await playing;
  const job = await follow(api, jobId, () => undefined);
  if (job.status !== 'completed') throw new Error(job.error ? `${job.error.message} (${job.error.code})` : `The job was ${job.status}.`);
  return { jobId, transcript: await api.transcript(jobId) };
}

/** Also finishes a session whose file fails: its beginning is kept. */
async function play(session: LiveSession, first: IteratorResult<Uint8Array>, rest: AsyncGenerator<Uint8Array>): Promise<void> {
  try {
    if (first.done !== true) await session.write(first.value);
    for await (const bytes of rest) await session.write(bytes);
  } finally {
    session.finish();
  }
}

async function showAll(messages: AsyncIterable<ServerMessage>, stream: NodeJS.WriteStream): Promise<void> {
  const view = captionView(stream);
  try {
    for await (const message of messages) view.show(message);
  } finally {
    view.end();
  }
}
