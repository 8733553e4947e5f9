import { readFile, readdir, rm, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { randomFrom, seedOf } from '@parlance/platform/contract';
import { content, eventually, MediaServer, ParlanceProcess, programsNaming, SAMPLES, WebhookReceiver, type TestApi } from '@parlance/testing';
import { nothingLeft } from '../system/nothing-left.js';

const JSON_BODY = { 'content-type': 'application/json' };

/** In CI (RANDOM_CASES=all) four times as many; `npm run chaos -- --only kill` kills as often as one likes, and compares less. */
const KILLS = process.env.RANDOM_CASES === 'all' ? 8 : 2;
const WORKERS = 3;
/** From a start to its end, milliseconds: a job takes about as long. */
const MAX_LIFE_MS = 900;
/** From an edit to the kill, milliseconds at most: it takes about as long. */
const MAX_EDIT_MS = 40;
const EVENTS = ['transcription.started', 'transcription.transcript_ready', 'transcription.completed'];

/** The same seed kills at the same moments, as far as the machine allows. */
const seed = seedOf('KILL_SEED');

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

    /** An edit that is under way when the process is killed: it is there as a whole, and whenever its client was told so, or not at all. */
    const edited = `/transcriptions/${undisturbed.job_id}`;
    const segment = `${edited}/segments/${undisturbed.transcript?.segments[0]?.segment_id}`;
    const edits = { text: '', revision: 0 };
    const edit = async (api: TestApi, text: string) => (await api.request('PATCH', segment, { body: JSON.stringify({ text }), headers: JSON_BODY })).status === 200;
    const checkEdit = async (api: TestApi, text: string, isAcknowledged: boolean) => {
      const now = await api.json<{ text: string }>(segment);
      expect(isAcknowledged ? [text] : [edits.text, text]).toContain(now.text);
      edits.revision += now.text === edits.text ? 0 : 1;
      edits.text = now.text;
      const { data: revisions } = await api.json<{ data: { revision: number }[] }>(`${edited}/revisions?limit=100`);
      expect(revisions.map(({ revision }) => revision)).toEqual(Array.from({ length: edits.revision + 1 }, (_, index) => edits.revision - index));
      expect(await api.transcript(undisturbed.job_id, 'txt')).toContain(now.text);
    };
    edits.text = (await parlance.api.json<{ text: string }>(segment)).text;

    const accepted = new Map<number, string>();
    for (let round = 0; round < KILLS; round += 1) {
      const lifeMs = random() * MAX_LIFE_MS;
      const life = sleep(lifeMs);
      const editing = sleep(lifeMs - random() * MAX_EDIT_MS).then(() => edit(parlance.api, `This is edit ${round}.`)).catch(() => false);
      const posted = sleep(random() * random() * MAX_LIFE_MS).then(() => post(parlance.api, round));
      const answered = posted.then((jobId) => void accepted.set(round, jobId)).catch(() => undefined);
      await life;
      await parlance.kill();
      const [isAcknowledged] = await Promise.all([editing, answered]);
      await parlance.restart();
      await checkEdit(parlance.api, `This is edit ${round}.`, isAcknowledged);
    }

    // What was accepted is there; a call whose answer was lost is made again, and makes no second job.
    for (let round = 0; round < KILLS; round += 1) {
      const jobId = await eventually(`call ${round} to be taken`, () => post(parlance.api, round).catch(() => undefined));
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

    // An archive breaks off with its process, so that its client does not take it for whole, and is whole when it is requested again.
    const archive = () => parlance.api.request('POST', '/exports', { body: JSON.stringify({ job_ids: jobIds, formats: ['pdf', 'docx', 'txt', 'json'] }), headers: JSON_BODY });
    await eventually('an archive to break off', async () => {
      const reading = (await archive()).arrayBuffer().then((bytes) => (Buffer.from(bytes).includes('manifest.json') ? 'whole' : 'a part'), () => 'broken off');
      await parlance.kill();
      const outcome = await reading;
      await parlance.restart();
      // On a busy machine it may have come whole before the kill.
      expect(outcome).not.toBe('a part');
      return outcome === 'broken off';
    });
    const whole = Buffer.from(await (await archive()).arrayBuffer());
    expect(whole.includes('manifest.json')).toBe(true);

    await nothingLeft(parlance);
    await eventually('orphans to end', async () => (await programsNaming(parlance.dataFolder)).length === 0);
    const leases = await readdir(join(parlance.dataFolder, 'media'), { recursive: true });
    expect(leases.filter((name) => /\.(tmp|part|new)$/.test(name))).toEqual([]);
    await rm(folder, { recursive: true });
  });
});
