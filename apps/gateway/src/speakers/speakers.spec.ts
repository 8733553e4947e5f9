import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { transcription } from '@parlance/contracts';
import { GatewayHarness } from '../../test/gateway-harness.js';
import { completed } from '../../test/job-messages.js';

describe('the speakers of a job', () => {
  let gateway: GatewayHarness;
  let path: string;
  beforeAll(async () => {
    gateway = await GatewayHarness.start();
    const jobId = await gateway.submit();
    const speakers = Array.from({ length: 25 }, (_, index) => ({ speakerId: `S${index + 1}`, name: `Speaker ${index + 1}`, talkTime: 1 }));
    gateway.services.transcripts.set(jobId, { header: transcription.TranscriptHeader.fromPartial({ language: 'en', speakers }), pages: [] });
    gateway.services.change(jobId, completed);
    path = `/transcriptions/${jobId}/speakers`;
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

  const list = async (query = '') => {
    const { status, body } = await gateway.call('GET', path + query);
    return { status, ...(body as { data: { speaker_id: string }[]; next_cursor: string | null; code?: string }) };
  };

  it('are on one page', async () => {
    const { data, next_cursor: cursor } = await list();
    expect([data.length, cursor]).toEqual([25, null]);
  });

  it('come in pages when that is asked for, as in any list', async () => {
    const first = await list('?limit=20');
    const second = await list(`?limit=20&cursor=${first.next_cursor}`);
    expect([...first.data, ...second.data]).toEqual((await list()).data);
    expect([first.data.length, second.next_cursor]).toEqual([20, null]);
  });

  it('have no page after a cursor that is none', async () => {
    expect(await list('?cursor=broken')).toMatchObject({ status: 422, code: 'invalid_cursor' });
  });

  it('are not renamed over the change of another caller, whose state If-Match does not name', async () => {
    const rename = (name: string, ifMatch?: string) => gateway.call('PATCH', `${path}/S2`, { json: { name }, headers: ifMatch === undefined ? {} : { 'if-match': ifMatch } });
    const { headers } = await gateway.call('GET', path);
    const read = headers.get('etag') ?? '';
    const first = await rename('Ada', read);
    expect([first.status, first.headers.get('etag') === read]).toEqual([200, false]);
    expect(await rename('Grace', read)).toMatchObject({ status: 412, body: { code: 'precondition_failed' } });
    expect((await rename('Grace', `"other", ${first.headers.get('etag')}`)).status).toBe(200);
    expect((await rename('Edith', '*')).status).toBe(200);
    expect((await rename('Alan')).status).toBe(200);
    expect(await rename('Edsger', 'nope')).toMatchObject({ status: 400, body: { code: 'malformed_request' } });
  });
});
