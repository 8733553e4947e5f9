import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, SAMPLES, serverSentEvents, type JobAnswer, type TestApi } from '@parlance/testing';
import { product } from './product.js';

interface Hit {
  job_id: string;
  segment_id: string;
  start: number;
  end: number;
  jump_to: number;
  speaker?: string;
  text: string;
  highlights: { text: string; marks: [number, number][] };
  score: number;
}

interface Page {
  data: Hit[];
  mode: string;
  next_cursor: string | null;
}

interface Answer {
  conversation_id: string;
  answer: string;
  citations: { job_id: string; segment_id: string; start: number; end: number; quote: string }[];
  grounded: boolean;
}

describe('search and chat', () => {
  let api: TestApi;
  let reading: JobAnswer;
  let report: JobAnswer;
  /** A key that is bound to the project of the report. */
  let bound: TestApi;
  let projectId: string;
  const search = (query: Record<string, string>, as = api) => as.json<Page>(`/search?${new URLSearchParams(query)}`);
  const ask = async (path: string, body: object) => (await api.post(path, body)).json() as Promise<Answer>;
  const segmentsOf = ({ transcript }: JobAnswer) => transcript?.segments ?? [];
  const wordsOf = ({ text }: { text: string }) => text.replace(/[^\p{L} ]/gu, '').split(' ');

  /** An index of several servers shows what it has taken a second later. */
  const isFound = async (job: JobAnswer) => {
    const q = wordsOf(segmentsOf(job)[0]!).slice(0, 2).join(' ');
    return (await search({ q, job_id: job.job_id })).data.length > 0;
  };

  beforeAll(async () => {
    api = await (await product()).newAccount();
    const created = async (path: string, body: object) => (await (await api.post(path, body)).json()) as Record<string, string>;
    projectId = String((await created('/projects', { name: 'Reports' }))['project_id']);
    bound = api.as(String((await created('/keys', { name: 'reports', project_id: projectId }))['api_key']));
    const upload = async (name: 'reading' | 'report', as: TestApi) => as.terminal(await as.upload(SAMPLES[name].path, { metadata: JSON.stringify({ name }) }));
    [reading, report] = await Promise.all([upload('reading', api), upload('report', bound)]);
    for (const job of [reading, report]) await eventually('the job to be found', () => isFound(job));
  });

  it('ends the stage of each job', () => {
    for (const job of [reading, report]) expect([job.status, job.stages['search']?.status]).toEqual(['completed', 'completed']);
  });

  it('finds a phrase where it was said, marked, with the time to listen from', async () => {
    const segment = segmentsOf(reading)[1] ?? segmentsOf(reading)[0]!;
    const phrase = wordsOf(segment).slice(0, 3).join(' ').toLowerCase();
    const { data, mode } = await search({ q: `"${phrase}"`, job_id: reading.job_id });
    expect(mode).toBe('hybrid');
    expect(data.length).toBeGreaterThan(0);
    for (const hit of data) {
      const { text, marks } = hit.highlights;
      expect(marks.map(([from, before]) => text.slice(from, before).toLowerCase().replace(/[^\p{L} ]/gu, ''))).toContain(phrase);
      expect(hit.jump_to).toBeGreaterThanOrEqual(hit.start);
      expect(hit.jump_to).toBeLessThanOrEqual(hit.end);
    }
    expect(data.map(({ jump_to: jumpTo }) => jumpTo)).toContain(segment.start);
  });

  it('forgives a typing error, and says how it searched', async () => {
    const word = wordsOf(segmentsOf(reading)[0]!).find(({ length }) => length >= 6)!;
    const typo = `${word.slice(0, 3)}${word.slice(4)}`;
    expect(await search({ q: typo, mode: 'lexical', job_id: reading.job_id })).toMatchObject({ mode: 'lexical', data: expect.arrayContaining([expect.objectContaining({ job_id: reading.job_id })]) });
    expect((await search({ q: word, mode: 'semantic' })).mode).toBe('semantic');
  });

  it('narrows by the job, its metadata and its date', async () => {
    const jobs = async (filters: Record<string, string>) => new Set((await search({ q: 'the market and the river', limit: '100', ...filters })).data.map(({ job_id: id }) => id));
    expect(await jobs({})).toEqual(new Set([reading.job_id, report.job_id]));
    expect(await jobs({ 'metadata[name]': 'report' })).toEqual(new Set([report.job_id]));
    expect(await jobs({ created_after: '2999-01-01T00:00:00Z' })).toEqual(new Set());
    expect(await jobs({ language: 'en' })).toEqual(new Set([reading.job_id, report.job_id]));
    expect(await jobs({ language: 'de' })).toEqual(new Set());
    expect(await jobs({ speaker: 'nobody' })).toEqual(new Set());
  });

  it('finds for a key of a project, and answers it, from the jobs of this project alone', async () => {
    const jobsOf = async (query: Record<string, string>, as = api) => [...new Set((await search({ q: 'the', limit: '100', ...query }, as)).data.map(({ job_id: id }) => id))].toSorted();
    expect(await jobsOf({})).toEqual([reading.job_id, report.job_id].toSorted());
    expect(await jobsOf({ project_id: projectId })).toEqual([report.job_id]);
    expect(await jobsOf({}, bound)).toEqual([report.job_id]);
    expect(await jobsOf({ job_id: reading.job_id }, bound)).toEqual([]);
    const message = wordsOf(segmentsOf(reading)[0]!).slice(0, 3).join(' ');
    const answer = (await (await bound.post('/chat', { message })).json()) as Answer;
    expect(answer.citations.filter(({ job_id: id }) => id !== report.job_id)).toEqual([]);
    const other = await ask('/chat', { message });
    expect((await bound.post('/chat', { message, conversation_id: other.conversation_id })).status).toBe(404);
    const statusOf = async (as: TestApi, { conversation_id: id }: Answer) => (await as.request('GET', `/conversations/${id}`)).status;
    expect([await statusOf(bound, other), await statusOf(bound, answer), await statusOf(api, answer)]).toEqual([404, 200, 200]);
    expect((await bound.json<{ data: Answer[] }>('/conversations')).data.map(({ conversation_id: id }) => id)).toEqual([answer.conversation_id]);
    const projectsWithUsage = async () => (await api.json<{ data: { group: string }[] }>('/usage?group_by=project')).data.map(({ group }) => group);
    await eventually('the ledger to have both', async () => (await projectsWithUsage()).join() === `none,${projectId}`);
  });

  it('gives each hit once, page by page', async () => {
    const query = { q: 'the market and the river' };
    const all = (await search({ ...query, limit: '100' })).data.map(({ job_id: job, segment_id: id }) => `${job} ${id}`);
    const paged: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: Page = await search({ ...query, limit: '1', ...(cursor !== '' && { cursor }) });
      paged.push(...page.data.map(({ job_id: job, segment_id: id }) => `${job} ${id}`));
      cursor = page.next_cursor;
    }
    expect(all.length).toBeGreaterThan(1);
    expect(paged).toEqual(all);
  });

  it('shows a speaker’s new name, and finds by it', async () => {
    const [speaker] = (await api.json<{ data: { speaker_id: string }[] }>(`/transcriptions/${report.job_id}/speakers`)).data;
    const renamed = await api.request('PATCH', `/transcriptions/${report.job_id}/speakers/${speaker?.speaker_id}`, { body: JSON.stringify({ name: 'Ada Lovelace' }), headers: { 'content-type': 'application/json' } });
    expect(renamed.status).toBe(200);
    await eventually('the name to be found', async () => (await search({ q: 'the market', speaker: 'ada lovelace' })).data.some((hit) => hit.speaker === 'Ada Lovelace'));
  });

  it('answers a search for anything', async () => {
    for (const q of ['"', '""', 'the and of', 'x'.repeat(4000), 'word '.repeat(2000), '予'.repeat(10_000), '%', '🎉', 'Ω']) expect(Array.isArray((await search({ q })).data)).toBe(true);
  });

  it('refuses what is no search', async () => {
    const wrong = ['', '?q=', `?q=${'x'.repeat(10_001)}`, '?q=%00', '?q=a&limit=0', '?q=a&limit=101', '?q=a&mode=magic', '?q=a&language=!!', '?q=a&cursor=nonsense', '?q=a&what=1', '?q=a&created_after=soon'];
    const statuses = await Promise.all(wrong.map(async (query) => (await api.request('GET', `/search${query}`)).status));
    expect(statuses).toEqual(wrong.map(() => 422));
  });

  it('answers a question by what was said', async () => {
    const segment = segmentsOf(reading)[0]!;
    const message = `Who said ${wordsOf(segment).slice(0, 4).join(' ')}?`;
    const response = await api.post(`/transcriptions/${reading.job_id}/chat`, { message });
    expect(response.status).toBe(200);
    const found = (await response.json()) as Answer;
    expect(found.grounded).toBe(true);
    for (const { job_id: job, segment_id: id, quote } of found.citations) {
      expect(job).toBe(reading.job_id);
      expect(segmentsOf(reading).find(({ segment_id: each }) => each === id)?.text).toContain(quote);
    }
    const kept = await api.json<{ messages: { message: string }[] }>(`/transcriptions/${reading.job_id}/conversations/${found.conversation_id}`);
    expect(kept.messages).toMatchObject([{ message, grounded: true }]);
    const listed = async () => (await api.json<{ data: object[] }>(`/conversations?job_id=${reading.job_id}`)).data;
    expect(await listed()).toContainEqual(expect.objectContaining({ conversation_id: found.conversation_id, first_message: kept.messages[0]?.message, message_count: 1 }));
    expect((await api.request('DELETE', `/conversations/${found.conversation_id}`)).status).toBe(204);
    expect(await listed()).not.toContainEqual(expect.objectContaining({ conversation_id: found.conversation_id }));
    expect((await api.request('GET', `/conversations/${found.conversation_id}`)).status).toBe(404);
  });

  it('says when it is not told, also across transcripts and in another language', async () => {
    for (const message of ['Which submarine did the president sell?', 'Сколько стоит билет в театр?']) expect(await ask('/chat', { message })).toMatchObject({ grounded: false, citations: [] });
    const refused = await Promise.all([{}, { message: '' }, { message: 'x'.repeat(4001) }, { message: 'a', what: 1 }, { message: 'a', conversation_id: 'job_1' }].map(async (body) => (await api.post('/chat', body)).status));
    expect(refused).toEqual([422, 422, 422, 422, 422]);
    expect((await api.post('/transcriptions/job_none/chat', { message: 'a' })).status).toBe(404);
  });

  it('streams an answer: what is written, what it rests on, then all of it', async () => {
    const message = `Who said ${wordsOf(segmentsOf(report)[0]!).slice(0, 4).join(' ')}?`;
    const response = await api.post('/chat', { message, job_id: report.job_id }, { accept: 'text/event-stream' });
    expect(response.status).toBe(200);
    const events: { event: string; data: unknown }[] = [];
    for await (const { event, data } of serverSentEvents(response)) events.push({ event: event ?? '', data });
    expect([...new Set(events.map(({ event }) => event))]).toEqual(['delta', 'citations', 'done']);
    const [cited, done] = events.slice(-2).map(({ data }) => data) as [Pick<Answer, 'citations'>, Answer];
    expect(done).toMatchObject({ grounded: true, citations: cited.citations });
    expect(events.filter(({ event }) => event === 'delta').map(({ data }) => (data as { text: string }).text).join('')).toBe(done.answer);
  });

  it('finds nothing of a deleted job, and nothing of its answers', async () => {
    const phrase = wordsOf(segmentsOf(reading)[0]!).slice(0, 3).join(' ');
    const { conversation_id: conversation } = await ask(`/transcriptions/${reading.job_id}/chat`, { message: phrase });
    const erasureId = await api.delete(reading.job_id);
    await eventually('every service to report', async () => (await api.erasure(erasureId)).status === 'completed');
    expect((await search({ q: phrase, limit: '100' })).data.filter(({ job_id: id }) => id === reading.job_id)).toEqual([]);
    expect((await api.request('GET', `/conversations/${conversation}`)).status).toBe(404);
    expect((await api.erasure(erasureId)).items.find(({ where }) => where === 'search')).toMatchObject({ what: 'index_entries' });
  });
});
