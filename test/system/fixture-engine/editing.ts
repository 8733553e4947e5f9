import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, MediaServer, SAMPLES, saysNothing, verifyWebhook, WebhookReceiver, type JobAnswer, type Problem, type TestApi } from '@parlance/testing';
import { product } from './product.js';

interface Segment {
  segment_id: string;
  start: number;
  end: number;
  speaker_id?: string;
  text: string;
  words: { word_id: string; start: number; end: number; text: string; confidence?: number; estimated?: true }[];
}

interface Edit {
  revision: number;
  changed_segments: number;
  segments?: Segment[];
}

interface Revision {
  revision: number;
  key_id?: string;
  action: string;
  changed_segments: number;
  restored_revision?: number;
  changes?: { before: Segment[]; after: Segment[] }[];
}

interface TextPart {
  start: number;
  end: number;
  text: string;
  segment_ids: string[];
  first_word_id: string;
  last_word_id: string;
}

interface Occurrences {
  data: { phrase: string; start: number; text: string; segment_id: string; word_ids: string[] }[];
  next_cursor: string | null;
  counts: { phrase: string; count: number }[];
}

interface Answer<T> {
  status: number;
  etag: string;
  body: T;
}

describe('a transcript that is edited', () => {
  let api: TestApi;
  let receiver: WebhookReceiver;
  let job: JobAnswer;
  const opened = new AsyncDisposableStack();

  beforeAll(async () => {
    receiver = await WebhookReceiver.start();
    opened.defer(() => receiver.close());
    api = await (await product()).newAccount();
    job = await api.terminal(await api.upload(SAMPLES.meeting.path, { callback_url: receiver.url }));
  });
  afterAll(() => opened.disposeAsync());

  const call = async <T>(method: string, rest: string, body?: unknown, ifMatch?: string): Promise<Answer<T>> => {
    const headers = { 'content-type': 'application/json', ...(ifMatch !== undefined && { 'if-match': ifMatch }) };
    const response = await api.request(method, `/transcriptions/${job.job_id}${rest}`, body === undefined ? { headers } : { headers, body: JSON.stringify(body) });
    return { status: response.status, etag: response.headers.get('etag') ?? '', body: (await response.json()) as T };
  };
  const segments = async (options = ''): Promise<Segment[]> => (JSON.parse(await api.transcript(job.job_id, 'json', options)) as { segments: Segment[] }).segments;
  const edit = (...operations: object[]) => call<Edit>('PATCH', '/segments', { operations });
  const isFound = async (q: string) => (await api.json<{ data: { text: string }[] }>(`/search?${new URLSearchParams({ q, job_id: job.job_id, mode: 'lexical' })}`)).data.some(({ text }) => text.includes(q));
  const revisions = async () => (await call<{ data: Revision[] }>('GET', '/revisions')).body.data;

  it('has the new words in every document and in search, and equal words keep their ids and times', async () => {
    const [before] = await segments();
    const { segment_id: id = '', words = [] } = before ?? {};
    const text = [words[0]?.text, 'xylophone', ...words.slice(2).map((word) => word.text)].join(' ');
    const answer = await call<Segment>('PATCH', `/segments/${id}`, { text });
    expect(answer).toMatchObject({ status: 200, etag: 'W/"1"', body: { segment_id: id, text } });
    expect(answer.body.words[1]).toEqual({ ...words[1], text: 'xylophone', confidence: undefined, estimated: true });
    expect(answer.body.words.toSpliced(1, 1)).toEqual(words.toSpliced(1, 1));
    for (const format of ['txt', 'srt', 'vtt', 'json'] as const) expect(await api.transcript(job.job_id, format)).toContain('xylophone');
    expect((await api.job(job.job_id)).transcript).toMatchObject({ revision: 1, text: expect.stringContaining('xylophone') });
    await eventually('search to find the new word', () => isFound('xylophone'));
    expect((await call<Segment>('GET', `/segments/${id}`)).body).toEqual(answer.body);
  });

  it('is announced, without its text', async () => {
    const webhook = await eventually('the webhook', () => receiver.of(job.job_id).find(({ body }) => body.type === 'transcription.edited'));
    const { secret } = await api.json<{ secret: string }>('/webhook-secret');
    verifyWebhook(secret, webhook);
    expect(webhook.body.data).toMatchObject({ job_id: job.job_id, status: 'completed', revision: 1 });
    expect(webhook.raw).not.toContain('xylophone');
  });

  it('keeps the recognised text readable, and says that its summary is older', async () => {
    expect(await api.transcript(job.job_id, 'txt', '&revision=0')).not.toContain('xylophone');
    expect((await segments('&revision=0')).map(({ text }) => text)).toEqual(job.transcript?.segments.map(({ text }) => text));
    expect((await call<Problem>('GET', '/transcript?revision=7')).status).toBe(404);
    expect((await call('GET', '/summary')).body).toMatchObject({ status: 'completed', revision: 0, stale: true });
    expect((await call('GET', '/highlights')).body).toMatchObject({ revision: 0, stale: true });
  });

  it('is read in sentences, in paragraphs and by words, of any revision', async () => {
    const [first] = await segments();
    const letters = (texts: { text: string }[]) => texts.map(({ text }) => text).join('').replace(/\s/g, '');
    for (const unit of ['sentences', 'paragraphs']) {
      const parts: TextPart[] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const page: Answer<{ data: TextPart[]; next_cursor: string | null }> = await call('GET', `/${unit}?limit=1${cursor && `&cursor=${cursor}`}`);
        parts.push(...page.body.data);
        cursor = page.body.next_cursor;
      }
      expect(letters(parts)).toBe(letters(await segments()));
      expect(parts[0]).toMatchObject({ start: first?.start, segment_ids: expect.arrayContaining([first?.segment_id]), first_word_id: first?.words[0]?.word_id });
    }
    const found = (await call<Occurrences>('GET', '/words?q=X%C3%BDLOPHONE,nowhere')).body;
    expect(found).toMatchObject({ next_cursor: null, counts: [{ count: 1 }, { phrase: 'nowhere', count: 0 }] });
    expect(found.data).toMatchObject([{ start: first?.words[1]?.start, text: 'xylophone', segment_id: first?.segment_id, word_ids: [first?.words[1]?.word_id] }]);
    expect((await call<Occurrences>('GET', '/words?q=xylophone&revision=0')).body.counts).toMatchObject([{ count: 0 }]);
    const both = `/words?q=${first?.words[0]?.text},${first?.words[2]?.text}&limit=1`;
    const page = (await call<Occurrences>('GET', both)).body;
    const next = (await call<Occurrences>('GET', `${both}&cursor=${page.next_cursor}`)).body;
    expect(next.counts).toEqual(page.counts);
    expect(next.data[0]?.start).toBeGreaterThan(page.data[0]?.start ?? Infinity);
    expect((await call<Problem>('GET', '/words?q=%21')).body).toMatchObject({ status: 422, errors: [{ pointer: '?q[0]' }] });
    expect((await call<Problem>('GET', '/sentences?cursor=x')).body).toMatchObject({ status: 422, code: 'invalid_cursor' });
  });

  it('is not edited over the change of another editor whose revision If-Match does not name', async () => {
    const [first] = await segments();
    const path = `/segments/${first?.segment_id}`;
    const { etag } = await call('GET', path);
    const both = await Promise.all(['Ada', 'Grace'].map((name) => call<Segment>('PATCH', path, { text: `${name} xylophone speaks` }, etag)));
    expect(both.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 412]);
    const all = await Promise.all(Array.from({ length: 4 }, (_, index) => call('PATCH', `/segments/${job.transcript?.segments[index + 1]?.segment_id}`, { text: `concurrent ${index}` })));
    expect(all.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect((await segments()).slice(1, 5).map(({ text }) => text)).toEqual([0, 1, 2, 3].map((index) => `concurrent ${index}`));
    expect((await revisions())[0]?.revision).toBe(6);
  });

  it('changes by a batch as a whole, or not at all', async () => {
    const [one, two, three, four, five] = await segments();
    const word = two?.words[1]?.word_id;
    const done = await edit(
      { op: 'split', segment_id: two?.segment_id, word_id: word },
      { op: 'merge', segment_ids: [three?.segment_id, four?.segment_id] },
      { op: 'assign_speaker', segment_ids: [one?.segment_id], speaker_id: 'S2' },
      { op: 'delete', segment_id: five?.segment_id },
      { op: 'edit', segment_id: one?.segment_id, text: 'A new beginning.' },
    );
    expect(done).toMatchObject({ status: 200, etag: 'W/"7"', body: { revision: 7 } });
    const after = await segments();
    expect(after.slice(0, 4).map(({ text }) => text)).toEqual(['A new beginning.', 'concurrent', '0', 'concurrent 1 concurrent 2']);
    expect(after[0]?.speaker_id).toBe('S2');
    expect(after[2]).toMatchObject({ segment_id: `${two?.segment_id}-1`, words: [{ word_id: word }] });
    expect(after.some(({ segment_id: id }) => id === five?.segment_id)).toBe(false);

    const refused = await call<Problem>('PATCH', '/segments', { operations: [{ op: 'delete', segment_id: one?.segment_id }, { op: 'edit', segment_id: 'seg_999999', text: 'x' }] });
    expect(refused).toMatchObject({ status: 422, body: { code: 'invalid_request', errors: [{ pointer: '/operations/1/segment_id', code: 'not_found' }] } });
    expect(await segments()).toEqual(after);
  });

  it('refuses what cannot be done, with the field', async () => {
    const [one, , three] = await segments();
    const path = `/segments/${one?.segment_id}`;
    expect(await call('PATCH', path, { text: ' ' })).toMatchObject({ status: 422, body: { errors: [{ pointer: '/text', code: 'too_short' }] } });
    expect(await call('PATCH', path, { text: 'x'.repeat(5001) })).toMatchObject({ status: 422, body: { errors: [{ pointer: '/text', code: 'too_long' }] } });
    expect(await call('PATCH', path, {})).toMatchObject({ status: 422, body: { errors: [{ code: 'required' }] } });
    expect(await call('PATCH', path, { speaker_id: 'S9' })).toMatchObject({ status: 422, body: { errors: [{ pointer: '/speaker_id', code: 'not_found' }] } });
    expect(await call('PATCH', '/segments/seg_999999', { text: 'x' })).toMatchObject({ status: 404 });
    expect(await edit({ op: 'merge', segment_ids: [one?.segment_id, three?.segment_id] })).toMatchObject({ status: 422, body: { errors: [{ pointer: '/operations/0/segment_ids/1', code: 'invalid_value' }] } });
    expect(await edit({ op: 'split', segment_id: one?.segment_id, time: 0 })).toMatchObject({ status: 422, body: { errors: [{ pointer: '/operations/0/time', code: 'invalid_value' }] } });
    expect(await edit({ op: 'transpose' })).toMatchObject({ status: 422, body: { errors: [{ pointer: '/operations/0/op', code: 'invalid_value', detail: 'This must be one of: edit, split, merge, assign_speaker, delete.' }] } });
    expect(await edit({ segment_id: one?.segment_id })).toMatchObject({ status: 422, body: { errors: [{ pointer: '/operations/0/op', code: 'required' }] } });
    expect(await call('PATCH', `/segments/${one?.segment_id}`, { text: 'a\u0007b' })).toMatchObject({ status: 422, body: { errors: [{ pointer: '/text', code: 'invalid_text' }] } });
    expect(await call('POST', '/segments/replace', { find: 'a', replace: '\u202eb' })).toMatchObject({ status: 422, body: { errors: [{ pointer: '/replace', code: 'invalid_text' }] } });
    expect(await call('PATCH', '/segments', { operations: Array.from({ length: 1001 }, () => ({ op: 'delete', segment_id: 'seg_000001' })) })).toMatchObject({ status: 422 });
  });

  it('has a text replaced everywhere, after a preview', async () => {
    const body = { find: 'CONCURRENT', replace: 'parallel' };
    const preview = await call('POST', '/segments/replace', { ...body, dry_run: true });
    expect(preview).toMatchObject({ status: 200, body: { revision: 7, dry_run: true, matches: 3, changed_segments: 2 } });
    expect(await api.transcript(job.job_id, 'txt')).not.toContain('parallel');
    const replaced = await call('POST', '/segments/replace', body);
    expect(replaced).toMatchObject({ status: 200, body: { revision: 8, dry_run: false, matches: 3, changed_segments: 2 } });
    expect(replaced.body).toMatchObject({ changes: [{ before: [{ text: 'concurrent' }], after: [{ text: 'parallel' }] }, { after: [{ text: 'parallel 1 parallel 2' }] }] });
    expect(await call('POST', '/segments/replace', { ...body, match_case: true })).toMatchObject({ body: { revision: 8, matches: 0 } });
  });

  it('has a history with who changed what, of which each revision can be restored', async () => {
    const listed = await revisions();
    expect(listed.map(({ revision, action }) => [revision, action])).toEqual([[8, 'replaced'], ...[7, 6, 5, 4, 3, 2, 1].map((revision) => [revision, 'edited']), [0, 'recognized']]);
    expect(listed.slice(0, -1).every(({ key_id: key }) => key?.startsWith('key_'))).toBe(true);
    const { data: page, next_cursor: cursor } = (await call<{ data: Revision[]; next_cursor: string }>('GET', '/revisions?limit=7')).body;
    expect([page.length, (await call<{ data: Revision[] }>('GET', `/revisions?cursor=${cursor}`)).body.data.map(({ revision }) => revision)]).toEqual([7, [1, 0]]);
    expect((await call<Revision>('GET', '/revisions/1')).body).toMatchObject({ changed_segments: 1, changes: [{ before: [{ text: job.transcript?.segments[0]?.text }], after: [{ text: expect.stringContaining('xylophone') }] }] });

    const asOfOne = await segments('&revision=1');
    const restored = await call('POST', '/revisions/1/restore');
    expect(restored).toMatchObject({ status: 200, etag: 'W/"9"', body: { revision: 9 } });
    expect(await segments()).toEqual(asOfOne);
    expect(await segments('&revision=8')).toContainEqual(expect.objectContaining({ text: 'parallel 1 parallel 2' }));
    await eventually('search to find the restored word', () => isFound('xylophone'));
    expect((await call('POST', '/revisions/0/restore')).body).toMatchObject({ revision: 10 });
    expect(await segments()).toEqual(await segments('&revision=0'));
    expect((await api.job(job.job_id)).transcript?.speakers).toEqual(job.transcript?.speakers);
    expect(await call('POST', '/revisions/44/restore')).toMatchObject({ status: 404 });
  });

  it('is changed by 1,000 operations at once, and has a text with a hyphen replaced, by one that is not too long', async () => {
    const [first] = await segments();
    const { segment_id: id, speaker_id: speaker } = first ?? {};
    const done = await edit(...Array.from({ length: 1000 }, (_, index) => ({ op: 'edit', segment_id: id, text: `well-known eeeeee ${index}`, speaker_id: speaker })));
    expect(done).toMatchObject({ status: 200, body: { changed_segments: 1, segments: [{ segment_id: id, text: 'well-known eeeeee 999' }] } });
    const preview = (find: string, replace: string) => call('POST', '/segments/replace', { find, replace, dry_run: true });
    expect(await preview('well-known', 'known')).toMatchObject({ status: 200, body: { matches: 1, changed_segments: 1 } });
    expect(await preview('e', 'x'.repeat(1000))).toMatchObject({ status: 422, body: { errors: [{ pointer: '/replace', code: 'too_long' }] } });
  });

  it('is edited only once its job has ended, and only by keys that may write', async () => {
    const key = await (await api.post('/keys', { name: 'reader', scopes: ['transcriptions:read'] })).json() as { api_key: string };
    const response = await api.as(key.api_key).request('PATCH', `/transcriptions/${job.job_id}/segments/seg_000001`, { body: '{"text":"x"}', headers: { 'content-type': 'application/json' } });
    expect(response.status).toBe(403);
    await using media = await MediaServer.start();
    const jobId = await api.submit({ audio_url: media.at('/talk.mp3', saysNothing) });
    const early = await api.request('PATCH', `/transcriptions/${jobId}/segments/seg_000001`, { body: '{"text":"x"}', headers: { 'content-type': 'application/json' } });
    expect([early.status, (await early.json() as Problem).code]).toEqual([409, 'invalid_state']);
    expect((await api.cancel(jobId)).status).toBe(202);
  });

  it('leaves no revision behind when its job is deleted', async () => {
    const [first] = await segments();
    await call('PATCH', `/segments/${first?.segment_id}`, { text: 'zeppelin' });
    const erasureId = await api.delete(job.job_id);
    const receipt = await eventually('the erasure to be complete', async () => {
      const erasure = await api.erasure(erasureId);
      return erasure.status === 'completed' && erasure;
    });
    expect(receipt.items.find(({ where }) => where === 'transcription')?.count).toBeGreaterThan(10);
    expect((await call('GET', '/revisions')).status).toBe(404);
    await eventually('search to forget it', async () => !(await api.json<{ data: unknown[] }>('/search?q=zeppelin&mode=lexical')).data.length);
  });
});
