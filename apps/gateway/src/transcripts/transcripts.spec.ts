import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { common, transcription, transcripts } from '@parlance/contracts';
import { GatewayHarness } from '../../test/gateway-harness.js';
import { completed } from '../../test/job-messages.js';
import { formatByAccept } from './transcript-format.js';

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

  it('comes in the format asked for, as a file of a name', async () => {
    const types = { json: 'application/json', txt: 'text/plain', srt: 'application/x-subrip', vtt: 'text/vtt' };
    for (const [format, type] of Object.entries(types)) {
      const response = await get(`?format=${format}`, { accept: 'text/html' });
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toBe(`${type}; charset=utf-8`);
      expect(response.headers.get('content-disposition')).toBe(`attachment; filename="${jobId}.${format}"`);
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
  });

  it('says plainly that it cannot be DOCX or PDF yet', async () => {
    for (const response of [await get('?format=docx'), await get('?format=pdf'), await get('', { accept: 'application/pdf' })]) {
      expect(await response.json()).toMatchObject({ status: 406, code: 'format_not_available' });
    }
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
