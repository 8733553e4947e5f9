import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { MediaServer, SAMPLES, type TestApi } from '@parlance/testing';
import { AssemblyAI, type Transcript } from 'assemblyai';
import { product } from '../../system/fixture-engine/product.js';

let api: TestApi;
let client: AssemblyAI;
let root: string;
let sound: Buffer;
let done: Transcript;

const POLL = { pollingInterval: 100 };

beforeAll(async () => {
  api = await (await product()).newAccount();
  root = `${new URL(api.url).origin}/compat/assemblyai`;
  client = new AssemblyAI({ baseUrl: root, apiKey: api.apiKey });
  sound = await readFile(SAMPLES.reading.path);
  done = await client.transcripts.transcribe({ audio: SAMPLES.reading.path, speaker_labels: true }, POLL);
});

const refusal = async (work: Promise<unknown>): Promise<string> => work.then(() => 'not refused', (error: unknown) => (error as Error).message);
const request = async (method: string, path: string, body?: object, key = api.apiKey) => {
  const response = await fetch(`${root}/v2${path}`, { method, headers: { authorization: key, 'content-type': 'application/json' }, ...(body && { body: JSON.stringify(body) }) });
  return [response.status, await response.json()] as [number, { error?: string }];
};
const create = (body: object) => request('POST', '/transcript', { audio_url: 'https://example.org/meeting.mp3', ...body });

describe('the client of AssemblyAI, unchanged but for its base URL,', () => {
  it('uploads a file and gets its transcript, of a job of the account', async () => {
    const { transcript, ...job } = await api.job(done.id, '?include=words');
    expect(done).toMatchObject({ status: 'completed', text: transcript?.text, audio_duration: Math.round(transcript?.duration ?? NaN), language_code: 'en', speaker_labels: true, error: null });
    expect(done.audio_url).toMatch(/\/compat\/assemblyai\/v2\/upload\/upl_/);
    expect(job).toMatchObject({ metadata: { source: 'assemblyai' } });
    const words = transcript?.segments.flatMap((segment) => segment.words ?? []) ?? [];
    expect(done.words).toEqual(words.map(({ text, start, end, confidence }) => ({ text, start: Math.round(start * 1000), end: Math.round(end * 1000), confidence, speaker: 'A' })));
  });

  it('gets utterances with speakers by letters', () => {
    expect(done.utterances?.[0]).toMatchObject({ speaker: 'A', start: expect.any(Number), words: expect.arrayContaining([expect.objectContaining({ speaker: 'A' })]) });
    expect(done.utterances?.map(({ text }) => text).join(' ')).toBe(done.text);
    expect(done.utterances?.flatMap(({ words }) => words)).toEqual(done.words);
  });

  it('gets sentences and paragraphs with their words', async () => {
    const { sentences, audio_duration: seconds } = await client.transcripts.sentences(done.id);
    expect(sentences.map(({ text }) => text).join(' ')).toBe(done.text);
    expect(sentences.flatMap(({ words }) => words)).toEqual(done.words);
    expect(seconds).toBe(done.audio_duration);
    const { paragraphs } = await client.transcripts.paragraphs(done.id);
    expect(paragraphs.flatMap(({ words }) => words)).toEqual(done.words);
  });

  it('gets captions, as wide as it wants', async () => {
    expect(await client.transcripts.subtitles(done.id, 'srt')).toMatch(/^1\r?\n00:00:\d\d,\d{3} --> /);
    expect(await client.transcripts.subtitles(done.id, 'vtt')).toMatch(/^WEBVTT/);
    const narrow = await client.transcripts.subtitles(done.id, 'srt', 20);
    const texts = narrow.trim().split(/\r?\n\r?\n/).map((cue) => cue.split(/\r?\n/).slice(2));
    expect(texts.every((lines) => lines.length === 1 && (lines[0]?.length ?? 0) <= 20)).toBe(true);
  });

  it('finds words and phrases by their place among the words', async () => {
    const [first, second] = done.words ?? [];
    const phrase = `${first?.text} ${second?.text}`.toLowerCase();
    const found = await client.transcripts.wordSearch(done.id, [phrase, 'notsaid']);
    expect(found).toMatchObject({ id: done.id, matches: [{ text: phrase, indexes: expect.arrayContaining([0]), timestamps: expect.arrayContaining([[first?.start, second?.end]]) }] });
    expect(found.total_count).toBe(found.matches[0]?.count);
  });

  it('uses an upload again, with everything else that is translated', async () => {
    const transcript = await client.transcripts.transcribe({ audio: done.audio_url, speech_models: ['universal'], language_code: 'en_us', punctuate: true, format_text: true, multichannel: true, keyterms_prompt: ['Parlance'], custom_spelling: [{ from: ['parlors'], to: 'Parlance' }], filter_profanity: true, disfluencies: true, auto_chapters: true, entity_detection: true, summarization: true, summary_type: 'bullets', summary_model: 'informative' }, POLL);
    expect(transcript).toMatchObject({ status: 'completed', multichannel: true, language_detection: false, word_boost: ['Parlance'], summarization: true, auto_chapters: true, entity_detection: true, chapters: expect.anything(), entities: expect.any(Array) });
    expect(transcript.summary).not.toBe('');
    const { options } = (await api.job(transcript.id)) as unknown as { options: object };
    expect(options).toMatchObject({ filters: { profanity: 'mask', fillers: 'off' }, replace: [{ from: 'parlors', to: 'Parlance' }] });
  });

  it('gets the transcript of a URL, and no utterances that it did not ask for', async () => {
    await using media = await MediaServer.start();
    const audio = media.at('/reading.flac', (_request, response) => void response.end(sound));
    const transcript = await client.transcripts.transcribe({ audio }, POLL);
    expect(transcript).toMatchObject({ status: 'completed', audio_url: audio, utterances: null, words: expect.arrayContaining([expect.objectContaining({ speaker: null })]) });
  });

  it('gets the error of a file that is no recording', async () => {
    const url = await client.files.upload(Buffer.from('this is no recording'));
    expect(await client.transcripts.transcribe({ audio: url }, POLL)).toMatchObject({ status: 'error', error: expect.stringMatching(/audio|media|file/i), text: null });
  });

  it('lists its transcripts in pages, and deletes one', async () => {
    const all = await client.transcripts.list({ limit: 100 });
    const first = await client.transcripts.list({ limit: 2 });
    expect(first.page_details).toMatchObject({ limit: 2, result_count: 2, next_url: null });
    const older = await client.transcripts.list(first.page_details.prev_url ?? '');
    expect([...first.transcripts, ...older.transcripts].map(({ id }) => id)).toEqual(all.transcripts.slice(0, 4).map(({ id }) => id));
    const newer = await client.transcripts.list(older.page_details.next_url ?? '');
    expect(newer.transcripts.map(({ id }) => id)).toEqual(first.transcripts.map(({ id }) => id));
    expect((await client.transcripts.list({ status: 'error' })).transcripts).toEqual([expect.objectContaining({ status: 'error', error: expect.any(String) })]);
    const [newest] = first.transcripts;
    const sameDay = await client.transcripts.list({ created_on: newest?.created.toISOString().slice(0, 10), limit: 100 });
    expect(sameDay.transcripts.map(({ id }) => id)).toContain(newest?.id);
    expect((await client.transcripts.list({ created_on: '2001-01-01' })).transcripts).toEqual([]);
    expect(await client.transcripts.delete(newest?.id ?? '')).toMatchObject({ id: newest?.id, text: 'Deleted by user.', words: null });
    expect(await refusal(client.transcripts.get(newest?.id ?? ''))).toMatch(/not found|no such|does not exist/i);
  });

  it('is told what is wrong', async () => {
    expect(await refusal(new AssemblyAI({ baseUrl: root, apiKey: 'wrong' }).transcripts.get(done.id))).toMatch(/^The API key is not valid\./);
    expect(await refusal(client.transcripts.get('job_unknown'))).toMatch(/not found|no such|does not exist/i);
    expect(await refusal(client.transcripts.wordSearch(done.id, ['one two three four five six']))).toMatch(/^words: /);
    expect(await refusal(client.files.upload(new Uint8Array(0)))).not.toBe('not refused');
  });
});

describe('what AssemblyAI has and this server has not', () => {
  it.each<[object, RegExp]>([
    [{ webhook_url: 'https://example.org/hook' }, /^webhook_url: .*Poll/],
    [{ redact_pii: true, redact_pii_policies: ['person_name'] }, /^redact_pii: /],
    [{ sentiment_analysis: true }, /^sentiment_analysis: /],
    [{ auto_highlights: true }, /^auto_highlights: /],
    [{ audio_start_from: 1000 }, /^audio_start_from: /],
    [{ summarization: true, summary_type: 'gist' }, /^summary_type: /],
    [{ speech_model: 'nobody-has-it' }, /^speech_model: /],
    [{ language_code: 'fi' }, /^language_code: /],
    [{ audio_url: 'file:///etc/passwd' }, /^audio_url: /],
    [{ audio_url: undefined }, /^audio_url: /],
  ])('is refused: %j', async (body, error) => {
    const [status, answer] = await create(body);
    expect([status, answer.error]).toEqual([400, expect.stringMatching(error)]);
  });

  it('is no error when it is switched off', async () => {
    const [status, answer] = await create({ audio_url: done.audio_url, redact_pii: false, webhook_url: null, audio_start_from: 0, sentiment_analysis: false, boost_param: 'default' });
    // The answer has the current status of the job: a short recording may be completed already.
    expect([status, answer]).toMatchObject([200, { status: expect.stringMatching(/^(?:queued|processing|completed)$/) }]);
  });

  it('is refused for an upload of another account', async () => {
    const stranger = await (await product()).newAccount();
    const [status, answer] = await request('POST', '/transcript', { audio_url: done.audio_url }, stranger.apiKey);
    expect([status, answer.error]).toEqual([400, expect.stringMatching(/^audio_url: There is no such upload/)]);
  });
});
