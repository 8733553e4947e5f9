import { readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  content,
  eventually,
  LanguageModelServer,
  MediaFiles,
  MediaServer,
  runAdmin,
  SAMPLES,
  SpeechServer,
  startParlance,
  TraceCollector,
  WebhookReceiver,
  type Parlance,
} from '@parlance/testing';
import { nothingLeft } from './nothing-left.js';

/** A word that is nowhere else, and names the way by which it enters the product. */
const canary = (way: string): string => `zq${way}canary`;
const CANARIES = /zq[a-z]+canary/giu;
const SECRETS_KEY = Buffer.alloc(32, 9).toString('base64');

const found = (text: string): string[] => [...new Set(text.match(CANARIES))];

const read = (pid: number, file: string): Promise<string> => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '');

/** Command lines and environments of the programs that a product starts, from /proc, while it works. */
class ProgramWatch {
  readonly seen = new Set<string>();
  private readonly stopped = new AbortController();
  private readonly done: Promise<void>;

  constructor(private readonly parlance: Parlance) {
    this.done = this.watch();
  }

  /** @param name as the kernel has it in `comm` */
  has(name: string): boolean {
    return this.seen.has(`${name}\n`);
  }

  async stop(): Promise<string> {
    this.stopped.abort();
    await this.done;
    return [...this.seen].join('\n');
  }

  private async watch(): Promise<void> {
    while (!this.stopped.signal.aborted) {
      for (const { pid, parent } of await this.parlance.programs()) {
        const [own, parents] = await Promise.all([read(pid, 'cmdline'), read(parent, 'cmdline')]);
        // Between fork and exec a child still shows what its parent has: it is no program yet.
        if (own === parents) continue;
        for (const text of [own, await read(pid, 'environ'), await read(pid, 'comm')]) this.seen.add(text);
      }
      await sleep(20);
    }
  }
}

describe('words and secrets that enter a product at its most talkative', () => {
  const opened = new AsyncDisposableStack();
  let parlance: Parlance;
  let collector: TraceCollector;
  let model: LanguageModelServer;
  let media: MediaServer;
  let receiver: WebhookReceiver;
  let programs: ProgramWatch;
  let jobs: string[];

  beforeAll(async () => {
    const speech = opened.use(await SpeechServer.start(() => `Today ${canary('spoken')} said that the plan of ${canary('person')} is ready. We begin on Monday.`));
    [collector, model, media, receiver] = await Promise.all([TraceCollector.start(), LanguageModelServer.start(), MediaServer.start(), WebhookReceiver.start()]);
    for (const server of [collector, model, media, receiver]) opened.use(server);
    model.answer = ({ form }) => (form === undefined ? `A summary of ${canary('summary')}.` : { status: 500, body: `{"error": {"message": "cannot read ${canary('modelerror')}"}}` });
    media.at('/v1/audio/transcriptions', (request, response) => {
      request.resume().once('end', () => response.writeHead(400, { 'content-type': 'application/json' }).end(`{"error": {"message": "bad audio: ${canary('engineerror')}"}}`));
    });
    media.at('/meeting.mp3', content(await readFile(SAMPLES.reading.path)));
    const files = opened.use(await MediaFiles.create());
    media.at('/long.mp3', content(await readFile(await files.make('long.mp3', '-stream_loop', '100', '-i', SAMPLES.meeting.path, '-c', 'copy'))));
    media.at('/gone.mp3', (_request, response) => void response.writeHead(404).end(`no ${canary('mediaerror')} here`));
    media.at('/page.mp3', (_request, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end(`<html>${canary('page')}</html>`));
    receiver.answer = (_request, response) => void response.writeHead(500).end(canary('receivererror'));
    parlance = opened.use(
      await startParlance({
        env: {
          ...collector.settings,
          LOG_LEVEL: 'trace',
          SECRETS_KEY,
          SPEECH_ENGINE_URL: speech.url,
          SPEECH_ENGINES: `failing=openai+${media.url('/v1')}?model=failing-model`,
          SPEECH_ENGINE_API_KEYS: `failing=${canary('enginekey')}`,
          LANGUAGE_MODEL_URL: model.url(),
          LANGUAGE_MODEL_API_KEY: canary('modelkey'),
        },
      }),
    );
    programs = new ProgramWatch(parlance);
    opened.defer(async () => void (await programs.stop()));
    jobs = await useEverything();
  });
  afterAll(() => opened.disposeAsync());

  const options = {
    title: canary('title'),
    metadata: { customer: canary('metadata') },
    vocabulary: [canary('vocabulary')],
    callback_url: '',
    callback_headers: { 'x-secret': canary('callbackheader') },
    entities: true,
    chapters: true,
  };

  /** A job whose recording is fetched. */
  const fetched = (path: string, more: object = {}): Promise<string> =>
    parlance.api.submit({
      ...options,
      ...more,
      audio_url: media.url(`${path}?token=${canary('urltoken')}`),
      audio_headers: { authorization: `Bearer ${canary('audioheader')}` },
      callback_url: `${receiver.url}?key=${canary('callbackurl')}`,
    });

  async function useEverything(): Promise<string[]> {
    const upload = async (name: string, bytes: string) => {
      const form = new FormData();
      form.append('file', new Blob([bytes]), name);
      form.append('title', canary('title'));
      return ((await (await parlance.api.request('POST', '/transcriptions', { body: form, headers: { 'idempotency-key': canary('idempotency') } })).json()) as { job_id: string }).job_id;
    };
    const ended = await Promise.all([
      fetched('/meeting.mp3'),
      fetched('/meeting.mp3', { model: 'failing' }),
      fetched('/gone.mp3'),
      fetched('/page.mp3'),
      upload(`${canary('filename')}.mp3`, `ID3 ${canary('nomedia')}`),
    ]);
    await Promise.all(ended.map((jobId) => parlance.api.terminal(jobId)));
    await useTranscript(ended[0] ?? '');
    await sendNonsense();
    return ended;
  }

  async function useTranscript(jobId: string): Promise<void> {
    const { transcript } = await parlance.api.job(jobId);
    const segment = transcript?.segments[0]?.segment_id;
    const speaker = transcript?.speakers[0]?.speaker_id;
    const { post, request } = { post: parlance.api.post.bind(parlance.api), request: parlance.api.request.bind(parlance.api) };
    const patch = (path: string, body: object, headers: Record<string, string> = {}) =>
      request('PATCH', path, { body: JSON.stringify(body), headers: { 'content-type': 'application/json', ...headers } });
    const at = `/transcriptions/${jobId}`;
    const responses = await Promise.all([
      post(`${at}/chat`, { message: `What did ${canary('question')} say?` }),
      post(`${at}/summaries`, { instructions: canary('instructions') }),
      post('/vocabularies', { name: canary('vocabularyname'), phrases: [{ phrase: canary('phrase') }] }),
      post('/webhook-endpoints', { url: `${receiver.url}?key=${canary('endpointurl')}`, headers: { 'x-secret': canary('endpointheader') } }),
      post('/keys', { name: canary('keyname') }),
      request('GET', `/search?${new URLSearchParams({ q: canary('query') })}`),
      request('GET', `${at}/words?${new URLSearchParams({ q: canary('wordquery') })}`),
      request('GET', `/transcriptions?${new URLSearchParams({ q: canary('listquery') })}`),
      patch(`${at}/speakers/${speaker}`, { name: canary('speakername') }),
    ]);
    responses.push(await patch(`${at}/segments/${segment}`, { text: `Edited by ${canary('edit')}.` }, { 'if-match': '*' }));
    responses.push(await post(`${at}/segments/replace`, { find: canary('find'), replace: canary('replacement') }));
    expect(responses.map(({ url, status }) => ({ url: new URL(url).pathname, status })).filter(({ status }) => status >= 300)).toEqual([]);
  }

  /** Sends requests that are refused, each with a canary. */
  async function sendNonsense(): Promise<void> {
    const { api } = parlance;
    const responses = await Promise.all([
      api.request('POST', '/transcriptions', { body: `{"audio_url": "${canary('badjson')}`, headers: { 'content-type': 'application/json' } }),
      api.post('/transcriptions', { audio_url: `ftp://${canary('badurl')}.example/x`, [canary('badfield')]: 1 }),
      api.request('GET', `/transcriptions/${canary('badid')}`),
      api.request('GET', '/account', { headers: { authorization: `Bearer pk_${canary('badkey')}` } }),
      api.request('GET', `/links/${canary('badlink')}`),
      api.request('GET', `/usage?from=${canary('badquery')}`),
    ]);
    for (const { status } of responses) expect(status).toBeGreaterThanOrEqual(400);
    for (const { status } of responses) expect(status).toBeLessThan(500);
  }

  it('reach their receivers: nothing below is quiet because nothing happened', async () => {
    const job = await parlance.api.job(jobs[0] ?? '');
    expect(job.transcript?.text).toContain(canary('edit'));
    await eventually('a webhook', () => receiver.of(jobs[0] ?? '').some(({ headers }) => headers['x-secret'] === canary('callbackheader')));
    await eventually('the model to have the instructions', () => JSON.stringify(model.asked).includes(canary('instructions')));
    const states = await Promise.all(jobs.map(async (jobId) => (await parlance.api.job(jobId)).status));
    expect(states).toEqual(['completed', 'failed', 'failed', 'failed', 'failed']);
  });

  it('are in no log', async () => {
    const log = await parlance.log();
    expect(log).toContain(jobs[0] ?? 'no job');
    expect(found(log)).toEqual([]);
    for (const secret of [SECRETS_KEY, parlance.api.apiKey]) expect(log).not.toContain(secret);
  });

  it('are in no metric and no trace', async () => {
    expect(found((await parlance.metrics()).text)).toEqual([]);
    await eventually('spans', () => collector.spans.length > 50);
    expect(found(JSON.stringify(collector.spans))).toEqual([]);
  });

  it('are in no dead letter', async () => {
    expect(found(await runAdmin(parlance.settings, 'dead-letters', 'list', '--json'))).toEqual([]);
  });

  it('are in no error that the owner of a job or a delivery reads', async () => {
    for (const jobId of jobs) {
      const { error, warnings, stages } = await parlance.api.job(jobId);
      expect(found(JSON.stringify({ error, warnings, stages }))).toEqual([]);
      expect(found(JSON.stringify((await parlance.api.deliveries(jobId)).map(({ attempts }) => attempts.map((attempt) => attempt.error))))).toEqual([]);
    }
  });

  it('are in no command line or environment of a program, nor are the keys of the services', async () => {
    // The decoder of a short recording may run between two looks at the programs.
    const jobId = await fetched('/long.mp3');
    await eventually('the decoder to be seen', () => programs.has('ffmpeg'));
    await parlance.api.request('DELETE', `/transcriptions/${jobId}`);
    const seen = await programs.stop();
    expect(found(seen)).toEqual([]);
    for (const secret of [SECRETS_KEY, parlance.api.apiKey]) expect(seen).not.toContain(secret);
  });

  it('are in no temporary file', async () => {
    await nothingLeft(parlance);
    expect(found((await readdir(tmpdir())).join('\n'))).toEqual([]);
  });
});
