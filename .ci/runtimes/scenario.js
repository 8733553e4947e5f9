// What the JavaScript client does in every runtime, against the running product. Uses nothing but the web's own interfaces.
const RAW = { audio: { encoding: 'pcm_s16le', sample_rate: 16_000, channels: 1 } };
const PIECE_BYTES = 8 * 1024 * 1024;

/** @returns a name and true, or what is wrong, for each check */
export async function scenario({ Parlance, verifyWebhook }, { runtime, baseUrl, silentUrl, apiKey, webhook, sendsStreams }, { media, pcm }) {
  const client = new Parlance({ baseUrl, apiKey });
  const metadata = { runtime };
  let job;
  const checks = {
    'uploads bytes with progress, and waits for the transcript': async () => {
      const sent = [];
      const states = [];
      job = await client.transcriptions.transcribe(
        { file: media, file_name: 'meeting.mp3', language: 'en', metadata },
        { onUploadProgress: ({ sentBytes }) => sent.push(sentBytes), onProgress: ({ status }) => states.push(status) },
      );
      equal([sent.at(-1), states.at(-1), job.status, job.file_name], [media.byteLength, 'completed', 'completed', 'meeting.mp3']);
      equal(job.transcript.text.length > 0, true);
    },
    'uploads a large Blob in pieces': async () => {
      const sent = [];
      const size = PIECE_BYTES + 1000;
      const upload = await client.uploads.create(new Blob([new Uint8Array(size)]), { fileName: 'nothing.mp3', onProgress: ({ sentBytes }) => sent.push(sentBytes) });
      equal([upload.status, upload.size_bytes, sent], ['completed', size, [PIECE_BYTES, size]]);
    },
    'uploads a stream of known size in pieces': async () => {
      const upload = await client.uploads.create(streamOf(9), { size: 9_000_000 });
      equal([upload.status, upload.size_bytes], ['completed', 9_000_000]);
    },
    'uploads a stream of unknown size, or says that it cannot': async () => {
      const result = await client.uploads.create(streamOf(20)).then(({ size_bytes: size }) => size, ({ name }) => name);
      equal(sendsStreams ? result === 20_000_000 : ['ConnectionError', 'ParlanceError'].includes(result), true, result);
    },
    'exports captions and a document': async () => {
      equal(/^1\r?\n00:00:\d\d,\d{3} --> /.test(await client.transcriptions.export(job.job_id, 'srt')), true);
      equal(new TextDecoder().decode((await client.transcriptions.export(job.job_id, 'pdf')).subarray(0, 5)), '%PDF-');
    },
    'lists jobs page after page': async () => {
      const jobs = await all(client.transcriptions.list({ metadata: [`runtime:${runtime}`], limit: 1 }));
      equal(jobs.map(({ job_id: id }) => id), [job.job_id]);
    },
    'follows the events of a job': async () => equal((await all(client.transcriptions.events(job.job_id))).at(-1).event, 'done'),
    'finds a passage': async () => {
      const q = job.transcript.text.split(/\s+/).slice(0, 3).join(' ');
      for (let hits = []; hits.length === 0; await pause(100)) hits = await all(client.search({ q, job_id: job.job_id }));
    },
    'streams an answer': async () => {
      const events = (await all(client.chat.stream({ message: 'What is it about?', job_id: job.job_id }))).map(({ event }) => event);
      equal([events.includes('delta') || events.includes('citations'), events.at(-1)], [true, 'done']);
    },
    'verifies a webhook': async () => {
      equal(await verifyWebhook(webhook.body, webhook.headers, webhook.secret), JSON.parse(webhook.body));
      equal(await verifyWebhook(`${webhook.body} `, webhook.headers, webhook.secret).catch(({ name }) => name), 'WebhookVerificationError');
    },
    'transcribes live': async () => {
      const finals = [];
      const session = await client.live.connect(RAW, { onFinal: ({ text }) => finals.push(text) });
      for (let at = 0; at < pcm.byteLength; at += 32_000) await session.send(new Uint8Array(pcm.slice(at, at + 32_000)));
      const { transcription_id: id } = await session.finish();
      const words = (text) => text.toLowerCase().match(/[\w']+/g);
      equal(words(finals.join(' ')), words((await client.transcriptions.wait(id)).transcript.text));
    },
    'says that the key is wrong': async () => {
      const error = await new Parlance({ baseUrl, apiKey: 'pl_wrong' }).usage().catch((each) => each);
      equal([error.name, error.status, error.code, typeof error.requestId], ['ApiError', 401, 'unauthenticated', 'string']);
    },
    'says that the server is away': async () => {
      const error = await new Parlance({ baseUrl: 'http://127.0.0.1:9', apiKey, maxRetries: 0 }).usage().catch((each) => each);
      equal([error.name, error.retryable], ['ConnectionError', true]);
    },
    'ends a call by its signal and by its time-out': async () => {
      const held = (options) => client.transcriptions.wait(job.job_id, options).catch(({ name }) => name);
      equal(await held({ signal: AbortSignal.abort() }), 'AbortError');
      const silent = new Parlance({ baseUrl: silentUrl, apiKey, maxRetries: 0 });
      equal(await silent.usage({}, { timeout: { total: 100 } }).catch(({ name }) => name), 'TimeoutError');
    },
  };
  const results = {};
  for (const [name, check] of Object.entries(checks)) results[name] = await check().then(() => true, (error) => String(error?.stack ?? error));
  return results;
}

function equal(actual, expected, shown = actual) {
  if (JSON.stringify(actual) !== JSON.stringify(expected)) throw new Error(`${JSON.stringify(shown)} instead of ${JSON.stringify(expected)}`);
}

async function all(items) {
  const collected = [];
  for await (const item of items) collected.push(item);
  return collected;
}

/** A stream of so many million bytes. */
function streamOf(megabytes) {
  let left = megabytes;
  return new ReadableStream({ pull: (controller) => (left-- > 0 ? controller.enqueue(new Uint8Array(1_000_000)) : controller.close()) });
}

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
