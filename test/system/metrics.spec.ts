import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, FakeDecoder, SAMPLES, SHAPE, startParlance, totalsOf, WebhookReceiver, type Parlance } from '@parlance/testing';

const SETTINGS = { CHUNK_MAX_ATTEMPTS: '2', JOBS_ACTIVE_PER_ACCOUNT: '1', WEBHOOK_RETRY_SCHEDULE: '0,0' };
const WEBHOOKS = 3;

/** Over several processes the bus and the task queue promise each event and each task at least once; ends are counted exactly once all the same. */
const MAY_REPEAT = SHAPE === 'embedded' ? [] : [
  'parlance_event_age_seconds_count{group="transcription-media",topic="parlance.media.v1"}',
  'parlance_event_handling_seconds_count{group="transcription-media",type="media.ready",outcome="done"}',
  'parlance_task_seconds_count{queue="transcription"}',
  'parlance_chunk_processing_seconds_count{engine="pocketsphinx"}',
  'parlance_chunk_real_time_factor_count{engine="pocketsphinx"}',
  'parlance_diarization_real_time_factor_count{engine="built-in"}',
  'parlance_webhook_attempt_seconds_count{outcome="delivered"}',
];

/** Where operators meet the names of metrics. */
const USED_IN = ['helm/parlance/templates/alerts.yaml', 'helm/parlance/dashboards/parlance.json', 'docs/observability.md'];

describe('the metrics', () => {
  let parlance: Parlance;
  let decoder: FakeDecoder;
  let receiver: WebhookReceiver;
  const opened = new AsyncDisposableStack();

  beforeAll(async () => {
    decoder = opened.use(await FakeDecoder.create());
    receiver = opened.use(await WebhookReceiver.start());
    parlance = opened.use(await startParlance({ env: { ...SETTINGS, SPEECH_ENGINE_URL: decoder.engineUrl } }));
  });
  afterAll(() => opened.disposeAsync());

  /** The sums over all processes of what is counted. */
  async function count(expected: Record<string, number>): Promise<void> {
    expect(await totalsOf(parlance, expected, MAY_REPEAT)).toEqual(expected);
  }

  async function measure(...durations: string[]): Promise<void> {
    const metrics = await parlance.metrics();
    expect(durations.filter((duration) => !(metrics.total(duration) > 0))).toEqual([]);
  }

  it('count a job from its request to its webhooks, of which one is tried again, as a chunk is', async () => {
    await decoder.failFirst(1);
    receiver.answer = (_request, response) => void response.writeHead(receiver.received.length === 1 ? 500 : 204).end();
    const { status } = await parlance.api.terminal(await parlance.api.upload(SAMPLES.reading.path, { callback_url: receiver.url }));
    expect(status).toBe('completed');
    await count({
      'parlance_http_request_duration_seconds_count{method="POST",route="/api/v1/transcriptions",status="202"}': 1,
      'parlance_grpc_request_duration_seconds_count{method="parlance.ingest.v1.JobService/CreateJobs",code="OK"}': 1,
      'parlance_jobs_ended_total{status="completed"}': 1,
      'parlance_stage_duration_seconds_count{stage="ingest",status="completed"}': 1,
      'parlance_stage_duration_seconds_count{stage="transcription",status="completed"}': 1,
      'parlance_event_age_seconds_count{group="transcription-media",topic="parlance.media.v1"}': 1,
      'parlance_event_handling_seconds_count{group="transcription-media",type="media.ready",outcome="done"}': 1,
      'parlance_task_outcomes_total{queue="transcription",outcome="retried"}': 1,
      'parlance_task_outcomes_total{queue="transcription",outcome="completed"}': 1,
      'parlance_task_seconds_count{queue="transcription"}': 2,
      'parlance_tasks{queue="transcription"}': 0,
      parlance_events_in_progress: 0,
      parlance_chunk_retries_total: 1,
      'parlance_chunk_processing_seconds_count{engine="pocketsphinx"}': 1,
      'parlance_chunk_real_time_factor_count{engine="pocketsphinx"}': 1,
      parlance_chunk_failures_total: 0,
      'parlance_diarization_real_time_factor_count{engine="built-in"}': 1,
      'parlance_webhook_attempt_seconds_count{outcome="retry"}': 1,
      'parlance_webhook_attempt_seconds_count{outcome="delivered"}': WEBHOOKS,
      'parlance_webhook_deliveries_total{status="delivered"}': WEBHOOKS,
      parlance_webhook_pending: 0,
      parlance_dead_letters_total: 0,
    });
    await measure(
      'parlance_http_request_duration_seconds_sum{method="POST",status="202"}',
      'parlance_grpc_request_duration_seconds_sum{method="parlance.ingest.v1.JobService/CreateJobs"}',
      'parlance_stage_duration_seconds_sum{stage="transcription"}',
      'parlance_event_age_seconds_sum{group="transcription-media"}',
      'parlance_event_handling_seconds_sum{type="media.ready"}',
      'parlance_task_seconds_sum{queue="transcription"}',
      'parlance_outbox_lag_seconds_sum{service="ingest"}',
      'parlance_chunk_processing_seconds_sum',
      'parlance_chunk_real_time_factor_sum',
      'parlance_diarization_real_time_factor_sum',
      'parlance_webhook_attempt_seconds_sum{outcome="delivered"}',
    );
  });

  it('count a chunk that fails its last try: its job fails, and no dead task is left', async () => {
    await decoder.fail('exit');
    const { status } = await parlance.api.terminal(await parlance.api.upload(SAMPLES.reading.path));
    expect(status).toBe('failed');
    await count({
      'parlance_jobs_ended_total{status="failed"}': 1,
      'parlance_stage_duration_seconds_count{stage="transcription",status="failed"}': 1,
      'parlance_task_outcomes_total{queue="transcription",outcome="retried"}': 2,
      parlance_chunk_retries_total: 2,
      'parlance_chunk_failures_total{code="engine_failed"}': 1,
      'parlance_task_outcomes_total{queue="transcription",outcome="dead"}': 0,
      'parlance_tasks{queue="transcription",state="dead"}': 0,
    });
  });

  it('tell of jobs that are at work and that wait, and how long', async () => {
    await decoder.mend();
    await decoder.fail('hang');
    const [working, waiting] = [await parlance.api.upload(SAMPLES.reading.path), await parlance.api.upload(SAMPLES.reading.path)];
    const jobs = async (status: string) => (await parlance.metrics()).largest(`parlance_jobs{status="${status}"}`);
    await eventually('one at work and one that waits', async () => (await jobs('processing')) === 1 && (await jobs('queued')) === 1);
    await eventually('the age of the one that waits', async () => (await parlance.metrics()).largest('parlance_queue_age_seconds') > 0);
    for (const jobId of [waiting, working]) expect((await parlance.api.cancel(jobId)).ok).toBe(true);
    await count({ 'parlance_jobs_ended_total{status="canceled"}': 2, parlance_jobs: 0, parlance_queue_age_seconds: 0 });
  });

  it('count who guesses keys', async () => {
    const { apiKey } = parlance.api;
    const guess = `${apiKey.slice(0, -1)}${apiKey.endsWith('0') ? '1' : '0'}`;
    expect((await parlance.api.as(guess).request('GET', '/account')).status).toBe(401);
    await count({
      'parlance_wrong_keys_total{answer="wrong"}': 1,
      'parlance_http_request_duration_seconds_count{method="GET",route="/api/v1/account",status="401"}': 1,
    });
  });

  it('have the names that alerts, dashboard and documents use, and are all in the documents', async () => {
    const { names } = await parlance.metrics();
    const isThere = (name: string) => names.has(name) || names.has(name.replace(/_(bucket|count|sum)$/, ''));
    for (const path of USED_IN) {
      const used = (await readFile(path, 'utf8')).match(/\b(?:parlance|process|nodejs)_\w+/g) ?? [];
      expect([path, used.length > 10, used.filter((name) => !isThere(name))]).toEqual([path, true, []]);
    }
    const documented = await readFile('docs/observability.md', 'utf8');
    expect([...names].filter((name) => name.startsWith('parlance_') && !documented.includes(`\`${name}\``))).toEqual([]);
  });
});
