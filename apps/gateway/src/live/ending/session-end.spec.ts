import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { common, ingest, mediaKeys, parseLiveFinals } from '@parlance/contracts';
import { AppError, notFound, silentLogger } from '@parlance/platform';
import { JobErasure, JobTombstones } from '@parlance/stage';
import { readObject, type MediaStore } from '@parlance/storage';
import { StandInLive, tone } from '../../../test/stand-in-live.js';
import { StorageFolder } from '../../../test/storage-folder.js';
import type { RecognitionServices } from '../recognition/recognition-run.js';
import { LiveEvents } from '../session/live-events.js';
import { LiveFeed } from '../session/live-feed.js';
import { LiveSessions, type NewLiveSession } from '../session/live-sessions.js';
import { LiveTokens } from '../session/live-tokens.js';
import { SessionEnd } from './session-end.js';

const { JOB_STATUS_PROCESSING, JOB_STATUS_CANCELED } = common.JobStatus;
const SPEECH = Buffer.concat([tone(1, 1), tone(0, 1), tone(2, 1), tone(0, 1), tone(3, 0.5)]);

async function* one(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

const running = new AbortController().signal;

describe('the end of a session', () => {
  let storage: StorageFolder;
  let sessions: LiveSessions;
  let events: LiveEvents;
  let tombstones: JobTombstones;
  let count = 0;
  beforeAll(async () => {
    storage = await StorageFolder.open();
    sessions = new LiveSessions(storage.documents, storage.clock, new LiveTokens(storage.clock, (bytes) => Buffer.alloc(bytes)));
    tombstones = new JobTombstones(storage.documents, storage.clock);
    events = new LiveEvents(storage.documents, storage.clock, new LiveFeed());
  });
  afterAll(() => storage[Symbol.asyncDispose]());

  /** A session whose client disconnected, with audio that is not recognized yet. */
  const left = async (audio = SPEECH) => {
    const id = `job_${(count += 1)}`;
    const limits = { maxFrameBytes: 1000, maxBytes: 1e9, idleMs: 1000, maxSessionMs: 1e9, resumeMs: 1000 };
    const session: NewLiveSession = { id, accountId: 'acc_1', keyId: 'key_1', credentialId: 'key_1', audio: { encoding: 'pcm_s16le', sampleRate: 16_000, channels: 1 }, partials: true, endpointing: { silenceMs: 500, maxUtteranceMs: 20_000 }, options: {}, storeAudio: true, finalPass: 'none', limits };
    await sessions.create(session);
    const { generation } = await sessions.takeOver(id);
    for (let at = 0; at < audio.byteLength; at += 32_000) await storage.media.put(mediaKeys('acc_1', id).livePiece(at, generation), one(audio.subarray(at, at + 32_000)));
    await sessions.commit(id, generation, { acknowledged: audio.byteLength, audioMs: audio.byteLength / 32 });
    return id;
  };
  const messagesOf = async (id: string) => {
    const texts: string[] = [];
    for await (const { seq, message } of events.list(id)) texts.push(`${seq} ${message.type === 'final' ? message.text : message.type}`);
    return texts;
  };
  /** @param fails throws at the step of its number, counted from 1 */
  const setUp = (fails: (step: number) => void = () => {}) => {
    const finished: ingest.FinishLiveRequest[] = [];
    const live = new StandInLive();
    let step = 0;
    const before = <A extends unknown[], R>(work: (...args: A) => R) => (...args: A): R => {
      fails((step += 1));
      return work(...args);
    };
    const services = { live: live.liveService(), media: live.mediaService(), stallMs: 60_000 } as RecognitionServices;
    // The ingest service may join the pieces, and remove them, as soon as the session is finished.
    const finishLive = before(async (request: ingest.FinishLiveRequest) => {
      finished.push(request);
      for (const key of request.pieces) await storage.media.remove(key);
      continued.add(request.jobId);
      return { job: undefined };
    });
    const getJob = before(async ({ jobId }: ingest.GetJobRequest) => ({ job: ingest.Job.fromPartial({ jobId, status: statuses.get(jobId) ?? JOB_STATUS_PROCESSING, live: { open: !continued.has(jobId) && !statuses.has(jobId) } }) }));
    const jobs = { finishLive, getJob };
    const holdings = { what: 'request_records', where: 'gateway', count: async () => 0, remove: ({ jobId }: { jobId: string }) => events.removeAll(jobId) };
    const erasure = new JobErasure({ ledger: tombstones, holdings, clock: storage.clock });
    const own = Object.assign(Object.create(sessions) as LiveSessions, { beginEnd: before(sessions.beginEnd.bind(sessions)), commit: before(sessions.commit.bind(sessions)), end: before(sessions.end.bind(sessions)) });
    const stored = Object.assign(Object.create(events) as LiveEvents, { append: before(events.append.bind(events)) });
    const media = Object.assign(Object.create(storage.media) as MediaStore, { put: before(storage.media.put.bind(storage.media)) });
    return { live, finished, jobs, steps: () => step, end: new SessionEnd(own, stored, media, jobs, services, erasure, silentLogger()) };
  };
  /** Jobs whose live session was finished, and those of another status than `processing`. */
  const continued = new Set<string>();
  const statuses = new Map<string, common.JobStatus>();
  const take = async (id: string) => (await sessions.takeOverEnd(id))?.generation ?? 0;

  it('recognizes what is left, and gives finals and pieces to the job', async () => {
    const id = await left();
    const { end, finished } = setUp();
    await end.finish(id, await take(id), running);
    const keys = mediaKeys('acc_1', id);
    expect(await messagesOf(id)).toEqual(['1 speech_started', '2 speech_ended', '3 w1', '4 speech_started', '5 speech_ended', '6 w2', '7 speech_started', '8 speech_ended', '9 w3', '10 finished']);
    expect(finished).toEqual([{ accountId: 'acc_1', jobId: id, pieces: [0, 32_000, 64_000, 96_000, 128_000].map((at) => keys.livePiece(at, 1)), gaps: [], finalsKey: keys.liveFinals }]);
    const finals = parseLiveFinals(Buffer.from(await readObject(storage.media, keys.liveFinals)).toString());
    expect([finals.engine, finals.finals.map(({ words }) => words.map(({ text }) => text))]).toEqual(['stand-in', [['w1'], ['w2'], ['w3']]]);
    expect(await sessions.find(id)).toMatchObject({ status: 'ended' });
  });

  it('is the same when the process was killed before any of its steps', async () => {
    const whole = await left();
    const undisturbed = setUp();
    await undisturbed.end.finish(whole, await take(whole), running);
    const expected = await messagesOf(whole);
    for (let killed = 1; killed <= undisturbed.steps(); killed += 1) {
      const id = await left();
      const dying = setUp((step) => {
        if (step >= killed) throw new AppError({ code: 'invalid_request', message: `killed at ${killed}` });
      });
      await expect(dying.end.finish(id, await take(id), running)).rejects.toThrow('killed');
      const { end, finished } = setUp();
      await end.finish(id, await take(id), running).catch((error: unknown) => {
        throw new Error(`after a kill at step ${killed}`, { cause: error });
      });
      expect([killed, await messagesOf(id)]).toEqual([killed, expected]);
      expect([killed, (await sessions.find(id))?.status]).toEqual([killed, 'ended']);
      const calls = [...dying.finished, ...finished];
      expect([killed, calls.length > 0, new Set(calls.map((call) => JSON.stringify(call))).size]).toEqual([killed, true, 1]);
    }
  });

  it('is complete when the job went on, but its answer was lost', async () => {
    const id = await left();
    const { end, jobs, finished } = setUp();
    const { finishLive } = jobs;
    jobs.finishLive = async (request) => {
      await finishLive(request);
      throw new AppError({ code: 'service_unavailable', message: 'The answer is lost.' });
    };
    await expect(end.finish(id, await take(id), running)).rejects.toThrow('lost');
    await end.finish(id, await take(id), running);
    expect([(await messagesOf(id)).at(-1), finished.length, (await sessions.find(id))?.status]).toEqual(['10 finished', 1, 'ended']);
  });

  it('fails for a job that was canceled', async () => {
    const id = await left();
    const { live, end } = setUp();
    statuses.set(id, JOB_STATUS_CANCELED);
    await expect(end.finish(id, await take(id), running)).rejects.toMatchObject({ code: 'invalid_state' });
    expect([live.opened, await messagesOf(id)]).toEqual([[], []]);
  });

  it('is interrupted by its signal, and continued later', async () => {
    const id = await left();
    const { live, end, finished } = setUp();
    const stop = new AbortController();
    live.beforeWindow = () => new Promise(() => stop.abort(new AppError({ code: 'live_ended', message: 'Ended.' })));
    await expect(end.finish(id, await take(id), stop.signal)).rejects.toMatchObject({ code: 'live_ended' });
    expect([finished, (await sessions.find(id))?.status]).toEqual([[], 'ending']);
    live.beforeWindow = () => {};
    await end.finish(id, await take(id), running);
    expect(finished).toMatchObject([{ finalsKey: mediaKeys('acc_1', id).liveFinals }]);
  });

  it('leaves nothing of a job that is deleted meanwhile', async () => {
    const id = await left();
    const { live, end, jobs } = setUp();
    // The other processes have erased the session; this one is in the middle of its audio.
    live.beforeWindow = async () => {
      live.beforeWindow = () => {};
      await tombstones.bury({ jobId: id, accountId: 'acc_1' }, 0);
      await sessions.remove(id);
      await events.removeAll(id);
    };
    jobs.finishLive = async () => {
      throw notFound('The job');
    };
    await expect(end.finish(id, await take(id), running)).rejects.toMatchObject({ code: 'not_found' });
    expect(await messagesOf(id)).toEqual([]);
  });

  it('leaves the recording to the job when it cannot be recognized', async () => {
    const id = await left();
    const { live, end, finished } = setUp();
    live.beforeWindow = () => {
      throw new AppError({ code: 'language_unsupported', message: 'No.' });
    };
    await end.finish(id, await take(id), running);
    expect(finished).toMatchObject([{ finalsKey: '', pieces: { length: 5 } }]);
    expect(await sessions.find(id)).toMatchObject({ status: 'ended' });
  });

  it('without audio has no finals', async () => {
    const id = await left(Buffer.alloc(0));
    const { live, end, finished } = setUp();
    await end.finish(id, await take(id), running);
    expect([live.opened.length, finished]).toEqual([0, [{ accountId: 'acc_1', jobId: id, pieces: [], gaps: [], finalsKey: '' }]]);
  });

  it('is left to the process that took it over', async () => {
    const id = await left();
    const generation = await take(id);
    await take(id);
    await expect(setUp().end.finish(id, generation, running)).rejects.toMatchObject({ code: 'live_ended' });
  });
});
