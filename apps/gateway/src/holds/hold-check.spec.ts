import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { common, search, summary, type ingest } from '@parlance/contracts';
import { AppError } from '@parlance/platform';
import { GatewayHarness } from '../../test/gateway-harness.js';
import { StorageFolder } from '../../test/storage-folder.js';
import { LiveEvents } from '../live/session/live-events.js';
import { LiveRecords } from '../live/session/live-records.js';
import { LiveSessions } from '../live/session/live-sessions.js';
import { LiveTokens } from '../live/session/live-tokens.js';
import { HoldCheck } from './hold-check.js';

const HOUR_MS = 60 * 60 * 1000;
const holdUntil = (until?: Date): ingest.LegalHold => ({ reason: 'case 7', until, byOperator: false, since: new Date(0) });

describe('what is held beside jobs', () => {
  let gateway: GatewayHarness;
  let jobId: string;
  let vocabularyId: string;
  beforeAll(async () => void (gateway = await GatewayHarness.start()));
  afterAll(() => gateway[Symbol.asyncDispose]());

  beforeEach(async () => {
    const { services } = gateway;
    services.holds.clear();
    jobId = await gateway.submit();
    services.furtherSummaries.push(summary.Summary.fromPartial({ summaryId: 'sum_1', jobId, status: summary.WorkStatus.WORK_STATUS_COMPLETED, createdAt: new Date(0) }));
    services.conversations.set('cht_1', search.Conversation.fromPartial({ conversationId: 'cht_1', jobId }));
    services.conversations.set('cht_2', search.Conversation.fromPartial({ conversationId: 'cht_2' }));
    const { body } = await gateway.call<{ vocabulary_id: string }>('POST', '/vocabularies', { json: { name: 'a', phrases: [{ phrase: 'b' }] } });
    vocabularyId = body.vocabulary_id;
  });

  const ofJob = () => [`/transcriptions/${jobId}/summaries/sum_1`, `/transcriptions/${jobId}/conversations/cht_1`, '/conversations/cht_1'];
  const ofAccount = () => [`/vocabularies/${vocabularyId}`, '/conversations/cht_2'];
  const removed = async (paths: readonly string[]) => {
    const answers: unknown[] = [];
    for (const path of paths) {
      const { status, body } = await gateway.call('DELETE', path);
      answers.push(status === 204 ? status : body['code']);
    }
    return answers;
  };

  it('is kept with the account, and can be deleted once its hold is lifted', async () => {
    gateway.services.holds.set(gateway.accountId, holdUntil());
    expect(await removed([...ofJob(), ...ofAccount()])).toEqual(Array(5).fill('legal_hold'));
    gateway.services.holds.clear();
    expect(await removed([...ofJob().slice(0, 2), ...ofAccount()])).toEqual(Array(4).fill(204));
  });

  it('is named when it is refused, and is not found under a hold when there is none of that id', async () => {
    gateway.services.holds.set(gateway.accountId, holdUntil());
    const details: unknown[] = [];
    for (const path of [...ofJob().slice(0, 2), ...ofAccount()]) details.push((await gateway.call('DELETE', path)).body['detail']);
    expect(details).toEqual(['summary', 'conversation', 'vocabulary', 'conversation'].map((what) => `The ${what} is under a legal hold and cannot be deleted.`));
    expect((await gateway.call('DELETE', '/vocabularies/voc_none')).status).toBe(404);
  });

  it('is kept with its job, and not what belongs to no held job', async () => {
    gateway.services.change(jobId, (job) => ({ ...job, legalHold: holdUntil(new Date(Date.now() + HOUR_MS)) }));
    expect(await removed(ofJob())).toEqual(Array(3).fill('legal_hold'));
    expect(await removed(ofAccount())).toEqual([204, 204]);
    gateway.services.change(jobId, (job) => ({ ...job, legalHold: holdUntil(new Date(0)) }));
    expect(await removed(ofJob().slice(0, 2))).toEqual([204, 204]);
  });
});

describe('the messages of a live session', () => {
  it('are kept beyond their time under a hold of the account or the job, and removed when it has ended', async () => {
    await using storage = await StorageFolder.open();
    let now = Date.parse('2026-03-01T10:00:00.000Z');
    const clock = { now: () => new Date(now) };
    const sessions = new LiveSessions(storage.documents, clock, new LiveTokens(clock, (length) => randomBytes(length)));
    const messages = new LiveEvents(storage.documents, clock, { publish: () => {} });
    const holds = new Map<string, ingest.LegalHold>();
    const jobHolds = new Map<string, ingest.LegalHold>();
    const work = { getAccountHold: async ({ accountId }: { accountId: string }) => ({ hold: holds.get(accountId) }) };
    const jobs = {
      getJob: async ({ jobId }: { jobId: string }) => {
        if (jobId === 'job_gone') throw new AppError({ kind: 'not_found', code: 'not_found', message: 'There is no such job.' });
        return { job: { legalHold: jobHolds.get(jobId) } as ingest.Job };
      },
    };
    const records = new LiveRecords(sessions, messages, new HoldCheck(work, jobs, clock));
    for (const [id, accountId] of [['job_1', 'acc_1'], ['job_2', 'acc_2'], ['job_3', 'acc_2'], ['job_gone', 'acc_2']] as const) {
      const session = await sessions.create({ id, accountId, keyId: 'key_1', credentialId: 'key_1', audio: { container: 'auto' }, partials: true, endpointing: { silenceMs: 500, maxUtteranceMs: 20_000 }, options: common.JobOptions.toJSON(common.JobOptions.fromPartial({})), storeAudio: true, finalPass: 'none', limits: { maxFrameBytes: 1, maxBytes: 1e9, idleMs: 1, maxSessionMs: 60_000, resumeMs: 60_000 } });
      await messages.append(session, { type: 'warning', seq: 1 } as never);
      await sessions.cancel(id);
    }
    const kept = async () => (await Promise.all(['job_1', 'job_2', 'job_3', 'job_gone'].map((id) => records.countOf(id)))).map((count) => count > 0);
    holds.set('acc_1', holdUntil());
    jobHolds.set('job_2', holdUntil());
    now += 8 * 24 * HOUR_MS;
    await records.sweep();
    expect(await kept()).toEqual([true, true, false, false]);
    holds.clear();
    jobHolds.clear();
    await records.sweep();
    expect(await kept()).toEqual([true, true, false, false]);
    now += HOUR_MS + 1;
    await records.sweep();
    expect(await kept()).toEqual([false, false, false, false]);
  });
});
