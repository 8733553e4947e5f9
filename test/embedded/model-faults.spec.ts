import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, LanguageModelServer, ParlanceProcess, SAMPLES, serverSentEvents, SpeechServer, type ModelAnswer, type Problem } from '@parlance/testing';

const SPOKEN = 'We decided to build it in spring. I will send the plan by next Friday.';
const NO_ITEMS = { action_items: [], key_decisions: [], insights: [] };
const REPORT = { ...NO_ITEMS, sections: ['It is built in spring.'] };
const HIGHLIGHTS = { key_moments: [], quotes: [], insights: [], topics: [], moods: [0, 1].map(() => ({ score: 0, evidence: [] })), speakers: [] };

const chunk = (delta: object, finish: string | null = null) => `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const streamed = (...chunks: string[]) => ({ status: 200, body: chunks.join(''), headers: { 'content-type': 'text/event-stream' } });
const never = () => new Promise<ModelAnswer>(() => {});
const BORNE_OUT = chunk({ content: 'In spring [1]. ' });

describe('a language model', () => {
  let parlance: ParlanceProcess;
  let model: LanguageModelServer;
  let jobId: string;
  const opened = new AsyncDisposableStack();

  beforeAll(async () => {
    model = opened.use(await LanguageModelServer.start());
    const speech = opened.use(await SpeechServer.start(() => SPOKEN));
    model.answer = never;
    const env = { SPEECH_ENGINE_URL: speech.url, LANGUAGE_MODEL_URL: model.url(), SUMMARY_MAX_ATTEMPTS: '1', SUMMARY_TIMEOUT_SECONDS: '4', CHAT_TIMEOUT_SECONDS: '15' };
    parlance = opened.use(await ParlanceProcess.start({ env }));
    jobId = await parlance.api.upload(SAMPLES.reading.path, { diarization: 'false' });
  });
  afterAll(() => opened.disposeAsync());

  it('that does not answer within SUMMARY_TIMEOUT_SECONDS costs no transcript, and a retry redoes that stage alone', async () => {
    const { api } = parlance;
    const job = await api.terminal(jobId);
    expect(job).toMatchObject({ status: 'completed', transcript: { text: SPOKEN } });
    for (const stage of ['summary', 'highlights']) expect(job.stages[stage]).toMatchObject({ status: 'failed', error: { code: 'engine_timeout' } });
    model.answer = ({ form }) => (form === 'highlights' ? HIGHLIGHTS : REPORT);
    // On a busy machine it may take longer than that once more.
    await eventually('the stages', async () => {
      await api.retry(jobId);
      await api.terminal(jobId);
      const { stages } = await api.job(jobId);
      return ['summary', 'highlights'].every((stage) => stages[stage]?.status === 'completed');
    });
    expect((await api.job(jobId)).stages['transcription']).toMatchObject({ attempts: 1 });
  });

  const FAULTS: [what: string, answer: () => ModelAnswer | Promise<ModelAnswer>, problem: Partial<Problem>][] = [
    ['is down', () => ({ status: 503 }), { status: 503, code: 'service_unavailable', retryable: true }],
    ['has too much to do', () => ({ status: 429 }), { status: 503, code: 'service_unavailable', retryable: true }],
    ['does not answer in time', never, { status: 503, code: 'service_unavailable', retryable: true }],
    ['answers nonsense', () => ({ status: 200, body: '<html>Welcome</html>' }), { status: 503, code: 'service_unavailable', retryable: true }],
    ['answers broken JSON', () => streamed('data: {"choices": [{"delta": {"con\n\n'), { status: 503, code: 'service_unavailable', retryable: true }],
    ['breaks off', () => streamed(BORNE_OUT), { status: 503, code: 'service_unavailable', retryable: true }],
    ['refuses', () => streamed(chunk({ refusal: 'I cannot' }), chunk({}, 'stop')), { status: 422, code: 'engine_refused', retryable: false }],
  ];

  it.each(FAULTS)('that %s is a problem of the chat, and nothing is kept of it', async (_what, answer, problem) => {
    model.answer = answer;
    const response = await parlance.api.post(`/transcriptions/${jobId}/chat`, { message: 'When is it built?' });
    expect(response.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    expect({ ...((await response.json()) as Problem), status: response.status }).toMatchObject(problem);
  });

  it('that breaks off while its answer is shown ends the stream with the problem', async () => {
    model.answer = () => streamed(BORNE_OUT);
    const response = await parlance.api.post(`/transcriptions/${jobId}/chat`, { message: 'When is it built?' }, { accept: 'text/event-stream' });
    const events: { event: string | undefined; data: unknown }[] = [];
    for await (const { event, data } of serverSentEvents(response)) events.push({ event, data });
    expect(events).toMatchObject([{ event: 'delta', data: { text: 'In spring' } }, { event: 'error', data: { status: 503, code: 'service_unavailable' } }]);
  });

  it('that is there again answers', async () => {
    model.answer = () => 'In spring [1].';
    const answer = await (await parlance.api.post(`/transcriptions/${jobId}/chat`, { message: 'When is it built?' })).json();
    expect(answer).toMatchObject({ answer: 'In spring.', grounded: true, citations: [{ segment_id: 'seg_000001' }] });
  });
});
