import { expect, it } from '@jest/globals';
import { chanceFor } from '@parlance/platform/contract';
import { eventually, ParlanceProcess, runAdmin, type TestApi } from '@parlance/testing';

const KILLS = 3;
const CLIENTS = 6;
/** Answers before a kill, at most. */
const MAX_ANSWERS = 120;
const { random } = chanceFor('audit-killed');

interface AuditLine {
  request_id: string;
  event: string;
  action: string;
  resources: string[];
}

/** Reads and creates until the process is gone. @param answered takes the ids of the requests that were answered */
async function work(api: TestApi, answered: string[]): Promise<void> {
  for (let turn = 0; ; turn += 1) {
    try {
      const response = turn % 3 === 0 ? await api.post('/transcriptions', { audio_url: 'http://127.0.0.1:1/a.mp3' }) : await api.request('GET', '/transcriptions?limit=1');
      await response.text();
      if (response.ok) answered.push(response.headers.get('x-request-id') ?? '');
    } catch {
      return;
    }
  }
}

it('a process that is killed with -9 leaves chains that verify, with each answered read and each change', async () => {
  await using parlance = await ParlanceProcess.start({ env: { SPEECH_ENGINE_URL: 'fixture:', RATE_LIMIT_PER_MINUTE: '0', ACCOUNT_RATE_LIMIT_PER_MINUTE: '0', JOBS_IN_FLIGHT_PER_ACCOUNT: '0' } });
  const answered: string[] = [];
  for (let round = 0; round < KILLS; round += 1) {
    const enough = answered.length + 10 + random() * MAX_ANSWERS;
    const clients = Array.from({ length: CLIENTS }, () => work(parlance.api, answered));
    await eventually('answers', async () => answered.length >= enough);
    await parlance.kill();
    await Promise.all(clients);
    await parlance.restart();
  }
  const report = JSON.parse(await runAdmin(parlance.settings, 'audit', 'verify', '--json')) as { ok: boolean };
  expect(report.ok).toBe(true);
  const exported = await parlance.api.request('GET', '/audit', { headers: { accept: 'application/x-ndjson' } });
  const lines = (await exported.text()).trim().split('\n').map((line) => JSON.parse(line) as AuditLine);
  const recorded = new Set(lines.map(({ request_id: id }) => id));
  expect(answered.filter((id) => !recorded.has(id))).toEqual([]);
  const attempts = lines.filter(({ action, event }) => action === 'createTranscription' && event === 'requested');
  const outcomes = lines.filter(({ action, event }) => action === 'createTranscription' && event === 'answered');
  const { data } = await parlance.api.json<{ data: { job_id: string }[] }>('/transcriptions?limit=100');
  expect(attempts.length).toBeGreaterThanOrEqual(Math.max(data.length, outcomes.length));
});
