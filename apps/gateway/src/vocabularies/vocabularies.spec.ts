import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { GatewayHarness } from '../../test/gateway-harness.js';

describe('saved vocabularies', () => {
  let gateway: GatewayHarness;
  beforeAll(async () => {
    gateway = await GatewayHarness.start();
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

  const PHRASES = [{ phrase: 'Parlance', sounds_like: ['par lance', 'parlors'] }, { phrase: 'Ada' }];
  type Saved = { vocabulary_id: string };
  const save = async (name: string) => (await gateway.call('POST', '/vocabularies', { json: { name, phrases: PHRASES } })).body as Saved;

  it('are saved, read, listed, changed and deleted', async () => {
    const created = await gateway.call('POST', '/vocabularies', { json: { name: 'Products', phrases: PHRASES } });
    const { vocabulary_id: id } = created.body as Saved;
    const path = `/vocabularies/${id}`;
    expect(created).toMatchObject({ status: 201, body: { name: 'Products', phrases: [PHRASES[0], { phrase: 'Ada', sounds_like: [] }] } });
    expect(created.headers.get('location')).toBe(`/api/v1${path}`);
    const read = await gateway.call('GET', path);
    expect(read).toMatchObject({ status: 200, body: created.body as object });
    expect((await gateway.call('GET', '/vocabularies')).body).toMatchObject({ data: [{ vocabulary_id: id, phrase_count: 2 }] });

    const renamed = await gateway.call('PATCH', path, { json: { name: 'Names' }, headers: { 'if-match': read.headers.get('etag') ?? '' } });
    expect(renamed).toMatchObject({ status: 200, body: { name: 'Names', phrases: [PHRASES[0], { phrase: 'Ada' }] } });
    expect(await gateway.call('PATCH', path, { json: { name: 'Late' }, headers: { 'if-match': read.headers.get('etag') ?? '' } })).toMatchObject({ status: 412 });

    expect(await gateway.call('DELETE', path)).toMatchObject({ status: 204 });
    for (const method of ['GET', 'DELETE'] as const) expect(await gateway.call(method, path)).toMatchObject({ status: 404 });
  });

  it('give a job a copy of their terms, which it keeps', async () => {
    const { vocabulary_id: id } = await save('Products');
    const jobId = await gateway.submit({ vocabulary_id: id, vocabulary: ['Grace', 'Ada'], replace: [{ from: 'parlors', to: 'salons' }] });
    expect(await gateway.call('GET', `/transcriptions/${jobId}`)).toMatchObject({ body: { options: { vocabulary_id: id } } });
    await gateway.call('DELETE', `/vocabularies/${id}`);
    const { options } = gateway.services.created.at(-1) ?? {};
    expect(options?.vocabulary).toEqual(['Grace', 'Ada', 'Parlance']);
    expect(options?.spelling?.replace).toEqual([{ from: 'parlors', to: 'salons' }, { from: 'par lance', to: 'Parlance' }, { from: 'parlors', to: 'Parlance' }]);
  });

  it('may have 500 phrases with 300 spellings in all', async () => {
    const spelled = Array.from({ length: 30 }, (_, index) => ({ phrase: `name ${index}`, sounds_like: Array.from({ length: 10 }, (_each, nth) => `n ${nth}`) }));
    const phrases = [...spelled, ...Array.from({ length: 470 }, (_, index) => ({ phrase: `term ${index}`, sounds_like: [] }))];
    const created = await gateway.call('POST', '/vocabularies', { json: { name: 'Many', phrases } });
    expect(created.status).toBe(201);
    const { vocabulary_id: id } = created.body as Saved;
    expect(await gateway.call('PATCH', `/vocabularies/${id}`, { json: { phrases } })).toMatchObject({ status: 200 });
    await gateway.call('DELETE', `/vocabularies/${id}`);
  });

  it('that do not exist are refused where a job names them', async () => {
    const answer = await gateway.call('POST', '/transcriptions', { json: { audio_url: 'https://example.org/a.mp3', vocabulary_id: 'voc_none' } });
    expect(answer).toMatchObject({ status: 422, body: { errors: [{ pointer: '/vocabulary_id', code: 'invalid_value', detail: 'There is no such vocabulary.' }] } });
  });

  it.each([
    ['no phrase', { name: 'a', phrases: [] }, '/phrases'],
    ['a phrase without a letter', { name: 'a', phrases: [{ phrase: '—' }] }, '/phrases/0/phrase'],
    ['too many spellings', { name: 'a', phrases: Array.from({ length: 31 }, () => ({ phrase: 'a', sounds_like: Array(10).fill('b') })) }, '/phrases'],
  ])('are refused with %s', async (_case, json, pointer) => {
    expect(await gateway.call('POST', '/vocabularies', { json })).toMatchObject({ status: 422, body: { errors: [{ pointer }] } });
  });
});
