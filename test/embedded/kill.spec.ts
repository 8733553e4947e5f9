import { readFile, readdir, rm, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { content, eventually, MediaServer, ParlanceProcess, programsNaming, SAMPLES, WebhookReceiver, type TestApi } from '@parlance/testing';
import { nothingLeft } from '../system/nothing-left.js';

/** In CI (RANDOM_CASES=all) twice as many; `npm run chaos -- --only kill` kills as often as one likes, and compares less. */
const KILLS = process.env.RANDOM_CASES === 'all' ? 8 : 4;
const WORKERS = 3;
/** From a start to its end, milliseconds: a job takes about as long. */
const MAX_LIFE_MS = 900;
const EVENTS = ['transcription.started', 'transcription.transcript_ready', 'transcription.completed'];

/** mulberry32: the same seed kills at the same moments, as far as the machine allows. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const seed = Number(process.env.KILL_SEED ?? Math.floor(Math.random() * 2 ** 31));

describe('a process that is killed with -9', () => {
  it(`${KILLS} times at random points loses and doubles nothing (KILL_SEED=${seed})`, async () => {
    const random = randomFrom(seed);
    const folder = await mkdtemp(join(tmpdir(), 'parlance-kill-'));
    const callLog = join(folder, 'calls');
    await writeFile(callLog, '');
    const calls = async () => (await readFile(callLog, 'utf8')).split('\n').length - 1;
    await using media = await MediaServer.start();
    await using receiver = await WebhookReceiver.start();
    const url = media.at('/meeting', content(await readFile(SAMPLES.meeting.path), { breakAfter: 200_000 }));
    await using parlance = await ParlanceProcess.start({
      env: {
        SPEECH_ENGINE_URL: `fixture:?${new URLSearchParams({ delayMs: '120', parallelism: String(WORKERS), callLog })}`,
        CHUNK_IDEAL_SECONDS: '5',
        CHUNK_MAX_SECONDS: '10',
        WEBHOOK_TIMEOUT_SECONDS: '1',
        WEBHOOK_RETRY_SCHEDULE: Array.from({ length: 30 }, () => 1).join(','),
      },
    });

    const undisturbed = await parlance.api.terminal(await parlance.api.upload(SAMPLES.meeting.path));
    const chunks = await calls();
    expect(chunks).toBeGreaterThanOrEqual(5);
    expect(undisturbed.transcript?.segments.length).toBeGreaterThan(0);

    /** Every other job comes by address, and without what summary makes. @returns the job's id. @throws when the answer is lost */
    const post = async (api: TestApi, round: number): Promise<string> => {
      const key = { 'idempotency-key': `round-${round}` };
      const options = { callback_url: receiver.url };
      return round % 2 === 0 ? api.upload(SAMPLES.meeting.path, options, key) : api.submit({ ...options, audio_url: url, summary: false, highlights: false }, key);
    };

    const accepted = new Map<number, string>();
    for (let round = 0; round < KILLS; round += 1) {
      const life = sleep(random() * MAX_LIFE_MS);
      const posted = sleep(random() * random() * MAX_LIFE_MS).then(() => post(parlance.api, round));
      const answered = posted.then((jobId) => void accepted.set(round, jobId)).catch(() => undefined);
      await life;
      await parlance.kill();
      await answered;
      await parlance.restart();
    }

    // What was accepted is there; a call whose answer was lost is made again, and makes no second job.
    for (let round = 0; round < KILLS; round += 1) {
      const jobId = await eventually(`call ${round} to be taken`, () => post(parlance.api, round).catch(() => undefined), 45_000);
      expect(jobId).toBe(accepted.get(round) ?? jobId);
      accepted.set(round, jobId);
    }
    const jobIds = [...accepted.values()];
    expect(new Set(jobIds).size).toBe(KILLS);
    const { data } = await parlance.api.json<{ data: { job_id: string }[] }>('/transcriptions?limit=100');
    expect(new Set(data.map(({ job_id: jobId }) => jobId))).toEqual(new Set([...jobIds, undisturbed.job_id]));
    expect(data).toHaveLength(KILLS + 1);

    for (const jobId of jobIds) {
      const job = await parlance.api.terminal(jobId);
      expect({ jobId, status: job.status, error: job.error }).toEqual({ jobId, status: 'completed', error: undefined });
      expect(job.transcript).toEqual(undisturbed.transcript);
    }

    const made = await calls();
    expect(made).toBeGreaterThanOrEqual((KILLS + 1) * chunks);
    expect(made).toBeLessThanOrEqual((KILLS + 1) * chunks + KILLS * WORKERS);

    for (const jobId of jobIds) {
      await eventually(`the webhooks of ${jobId}`, async () => {
        const deliveries = await parlance.api.deliveries(jobId);
        return deliveries.length === EVENTS.length && deliveries.every(({ status }) => status === 'delivered');
      });
      const received = receiver.of(jobId);
      for (const [index, type] of EVENTS.entries()) {
        const ofType = received.filter(({ body }) => body.type === type);
        expect(new Set(ofType.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
        expect(new Set(ofType.map(({ body }) => body.data.sequence))).toEqual(new Set([index + 1]));
      }
      expect(new Set(received.map(({ body }) => body.type))).toEqual(new Set(EVENTS));
    }

    await nothingLeft(parlance);
    await eventually('orphans to end', async () => (await programsNaming(parlance.dataFolder)).length === 0);
    const leases = await readdir(join(parlance.dataFolder, 'media'), { recursive: true });
    expect(leases.filter((name) => /\.(tmp|part|new)$/.test(name))).toEqual([]);
    await rm(folder, { recursive: true });
  }, 300_000);
});
