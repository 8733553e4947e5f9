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
  const jobId = await sessionOf(api, playedAudio(path, stopped.signal), stream).finally(() => stopped.abort());
  const job = await follow(api, jobId, () => undefined);
  if (job.status !== 'completed') throw new Error(job.error ? `${job.error.message} (${job.error.code})` : `The job was ${job.status}.`);
  return { jobId, transcript: await api.transcript(jobId) };
}

/** Plays the audio into a session until it is finished. @returns its id, which is that of its job */
async function sessionOf(api: ApiClient, audio: AsyncGenerator<Uint8Array>, stream: NodeJS.WriteStream): Promise<string> {
  // Before the session, so that a file without audio makes none.
  const first = await audio.next();
  const { id, resume_within_ms: resumeWithinMs } = await api.openLive();
  const session = new LiveSession({ sessionId: id, socketUrl: api.liveSocketUrl(id), requests: api, resumeWithinMs });
  const playing = play(session, first, audio);
  // It is awaited after the session.
  playing.catch(() => undefined);
  await showAll(session.messages(), stream);
  await playing;
  return id;
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
