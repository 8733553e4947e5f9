import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { common, summary, transcription, transcripts } from '@parlance/contracts';
import { WHISPER_LANGUAGES } from '@parlance/languages';
import { captionDefaults } from '@parlance/transcript';
import type { z } from 'zod';
import { GatewayHarness } from '../../test/gateway-harness.js';
import { completed } from '../../test/job-messages.js';
import { formatByAccept } from './transcript-format.js';
import { getTranscript } from './transcript-operations.js';

const DOCUMENT_TYPES = {
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  pdf: 'application/pdf',
};

const planned = summary.Summary.fromPartial({
  status: summary.WorkStatus.WORK_STATUS_COMPLETED,
  text: 'We plan a **report**.\n\n- soon',
  actionItems: [{ text: 'Write it', owner: 'Anna', due: '2026-11-27', evidence: [{ segmentId: 'seg_000001', start: 12.5, end: 14, quote: 'one' }] }],
});

describe('the defaults of captions, as they are described', () => {
  const { max_line_chars: lineChars, max_cps: cps } = getTranscript.query.shape;
  const described = (parameter: z.ZodType, language: string) => {
    const { description = '' } = parameter.meta() ?? {};
    const [, own] = new RegExp(`(\\d+) in (?:\`\\w+\`(?:, | and ))*\`${language}\``).exec(description) ?? [];
    return Number(own ?? /Default (\d+)/.exec(description)?.[1]);
  };

  it('are those of the language', () => {
    for (const language of WHISPER_LANGUAGES) {
      const { maxLineChars, maxCps } = captionDefaults(language);
      expect([language, described(lineChars, language), described(cps, language)]).toEqual([language, maxLineChars, maxCps]);
    }
  });
});

describe('a transcript as a document', () => {
  let gateway: GatewayHarness;
  let jobId: string;
  beforeAll(async () => {
    gateway = await GatewayHarness.start();
    jobId = await gateway.submit();
    const segments = ['one', 'two'].map((text) => transcripts.Segment.fromPartial({ segmentId: text, text }));
    gateway.services.transcripts.set(jobId, { header: transcription.TranscriptHeader.fromPartial({ language: 'en' }), pages: [segments] });
    gateway.services.change(jobId, completed);
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

  const get = (query: string, headers: Record<string, string> = {}) => gateway.fetch(`/api/v1/transcriptions/${jobId}/transcript${query}`, { headers });

  it('is exported as bytes with a name, whatever its format', async () => {
    for (const format of ['pdf', 'docx', 'txt', 'srt', 'vtt', 'json']) {
      const exported = await gateway.fetch(`/api/v1/transcriptions/${jobId}/export/${format}`);
      const disposition = exported.headers.get('content-disposition');
      expect([exported.status, exported.headers.get('content-type'), disposition]).toEqual([200, 'application/octet-stream', expect.stringContaining(`filename="${jobId}.${format}"`)]);
      const sameDocument = Buffer.from(await (await get(`?format=${format}`)).arrayBuffer());
      expect(Buffer.from(await exported.arrayBuffer())).toEqual(sameDocument);
    }
  });

  it('is exported with the options of a document', async () => {
    const plain = await gateway.fetch(`/api/v1/transcriptions/${jobId}/export/txt?timestamps=true`);
    expect(await plain.text()).toBe(await (await get('?format=txt&timestamps=true')).text());
    const statuses = ['export/exe', 'export/srt?format=pdf', 'export/srt?min_duration=9'].map(async (path) => (await gateway.fetch(`/api/v1/transcriptions/${jobId}/${path}`)).status);
    expect(await Promise.all(statuses)).toEqual([404, 422, 422]);
    const unknown = await gateway.fetch(`/api/v1/transcriptions/${jobId}/export/exe`);
    expect(await unknown.json()).toMatchObject({ code: 'not_found', detail: expect.stringMatching(/^format: This must be one of: json, txt, .*pdf/) });
  });

  it('is not sent again to a client that has it, until something of it changes', async () => {
    const tags = await Promise.all(['?format=txt', '?format=srt', '?format=txt&timestamps=true'].map(async (query) => (await get(query)).headers.get('etag') ?? ''));
    expect(new Set(tags).size).toBe(3);
    const [etag = ''] = tags;
    const again = await get('?format=txt', { 'if-none-match': etag });
    expect([again.status, again.headers.get('etag'), again.headers.get('vary'), await again.text()]).toEqual([304, etag, expect.stringMatching(/accept/i), '']);
    const { header } = gateway.services.transcripts.get(jobId) ?? {};
    if (header) header.version++;
    expect((await get('?format=txt', { 'if-none-match': etag })).status).toBe(200);
  });

  it('comes in the format asked for, as a file of a name', async () => {
    const types = { json: 'application/json', txt: 'text/plain', srt: 'application/x-subrip', vtt: 'text/vtt' };
    for (const [format, type] of Object.entries(types)) {
      const response = await get(`?format=${format}`, { accept: 'text/html' });
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toBe(`${type}; charset=utf-8`);
      expect(response.headers.get('content-disposition')).toBe(`attachment; filename="${jobId}.${format}"; filename*=UTF-8''a.${format}`);
      expect(await response.text()).toBe('one\ntwo\n');
      expect(gateway.services.rendered.at(-1)?.format).toBe(`TRANSCRIPT_FORMAT_${format.toUpperCase()}`);
    }
  });

  it('or in the one that Accept prefers', async () => {
    const response = await get('', { accept: 'text/vtt;q=0.5, text/plain;q=0.9' });
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect((await get('', { accept: 'image/png' })).status).toBe(406);
  });

  it('takes all options', async () => {
    await get('?format=srt&speakers=false&timestamps=true&max_line_chars=30&max_lines=1&min_duration=1&max_duration=5.5&max_cps=17');
    expect(gateway.services.rendered.at(-1)).toMatchObject({ speakers: false, timestamps: true, maxLineChars: 30, maxLines: 1, minDuration: 1, maxDuration: 5.5, maxCps: 17 });
  });

  it('refuses options that are none', async () => {
    const response = await get('?format=xml&speakers=maybe&max_lines=0&max_cps=fast&min_duration=5&max_duration=2');
    const { errors } = (await response.json()) as { errors: { pointer: string }[] };
    expect(errors.map(({ pointer }) => pointer).toSorted()).toEqual(['?format', '?max_cps', '?max_lines', '?speakers']);
    expect(await (await get('?min_duration=5&max_duration=2')).json()).toMatchObject({ errors: [{ pointer: '?max_duration' }] });
    expect(await (await get('?min_duration=10')).json()).toMatchObject({ errors: [{ pointer: '?min_duration', detail: expect.stringContaining('max_duration') }] });
  });

  it('is a document with a title and its summary, as DOCX or PDF', async () => {
    gateway.services.change(jobId, (job) => ({ ...job, options: { ...job.options!, metadata: { title: 'Planning' } } }));
    gateway.services.summaries.set(jobId, planned);
    for (const [format, type] of Object.entries(DOCUMENT_TYPES)) {
      const response = await get('', { accept: type });
      expect(response.headers.get('content-type')).toBe(type);
      expect(response.headers.get('content-disposition')).toBe(`attachment; filename="${jobId}.${format}"; filename*=UTF-8''Planning.${format}`);
      expect(gateway.services.rendered.at(-1)).toMatchObject({
        format: `TRANSCRIPT_FORMAT_${format.toUpperCase()}`,
        title: 'Planning',
        sections: [
          { heading: 'Summary', paragraphs: ['We plan a report.'], items: [{ text: 'soon' }] },
          { heading: 'Action items', paragraphs: [], items: [{ text: 'Write it (Anna, 2026-11-27)', start: 12.5 }] },
        ],
      });
    }
  });

  it('is a document without a summary as long as that is not there, named after its file', async () => {
    const bare = await gateway.submit();
    gateway.services.transcripts.set(bare, { header: transcription.TranscriptHeader.fromPartial({ language: 'en' }), pages: [] });
    gateway.services.change(bare, (job) => ({ ...completed(job), audioUrl: 'https://example.org/talks/caf%C3%A9.mp3' }));
    expect((await gateway.fetch(`/api/v1/transcriptions/${bare}/transcript?format=pdf`)).status).toBe(200);
    expect(gateway.services.rendered.at(-1)).toMatchObject({ title: 'café.mp3', sections: [] });
  });

  it('of a deleted job is gone at once, before whoever has it has heard of it', async () => {
    const deleted = await gateway.submit();
    gateway.services.transcripts.set(deleted, { header: transcription.TranscriptHeader.fromPartial({ language: 'en' }), pages: [] });
    gateway.services.change(deleted, completed);
    await gateway.call('DELETE', `/transcriptions/${deleted}`);
    expect(await gateway.call('GET', `/transcriptions/${deleted}/transcript`)).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });

  it('is 409 while there is none, retryable as long as one may come', async () => {
    const waiting = await gateway.submit();
    expect(await gateway.call('GET', `/transcriptions/${waiting}/transcript`)).toMatchObject({ status: 409, body: { code: 'invalid_state', retryable: true } });
    gateway.services.change(waiting, (job) => ({ ...job, status: common.JobStatus.JOB_STATUS_FAILED }));
    expect(await gateway.call('GET', `/transcriptions/${waiting}/transcript`)).toMatchObject({ status: 409, body: { code: 'invalid_state', retryable: false } });
  });
});

describe('the format by Accept', () => {
  it.each([
    [undefined, 'json'],
    ['*/*', 'json'],
    ['text/*', 'txt'],
    ['text/*;q=0.2, text/vtt', 'vtt'],
    ['application/json;q=0, */*', 'txt'],
    ['application/x-subrip', 'srt'],
    ['image/*', undefined],
  ])('%s is %s', (accept, format) => {
    expect(formatByAccept(accept)).toBe(format);
  });
});
