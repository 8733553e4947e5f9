import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { languageModelFromUrl } from '@parlance/engines';
import { LanguageModelServer, type AskedModel } from '@parlance/testing';
import { ModelTranslator } from './model-translator.js';

const never = new AbortController().signal;
const lines = (count: number) => Array.from({ length: count }, (_, index) => ({ segmentId: `seg_${index}`, start: index, end: index + 1, speakerId: 'S1', text: `Point ${index} is about the harbour.` }));

/** The answer of a model that translates each segment of the request. */
const translated = ({ system }: AskedModel) => {
  const [, first, last] = /segments (\d+) to (\d+)/u.exec(system) ?? [];
  return { segments: Array.from({ length: Number(last) - Number(first) + 1 }, (_, index) => ({ number: Number(first) + index, text: `Punkt ${Number(first) + index}` })) };
};

describe('translation by a language model', () => {
  let server: LanguageModelServer;
  beforeAll(async () => {
    server = await LanguageModelServer.start();
  });
  afterEach(() => {
    server.asked.length = 0;
  });
  afterAll(() => server[Symbol.asyncDispose]());
  const translator = (query = '') => new ModelTranslator(languageModelFromUrl(server.url(query), { fetch })!);

  it('is asked for in batches that have each segment once, with its neighbours for the context', async () => {
    const batches = translator().batches(lines(100));
    expect(batches.map(({ first, lines: own, before, after }) => [first, own.length, before.length, after.length])).toEqual([[0, 40, 0, 2], [40, 40, 3, 2], [80, 20, 3, 0]]);
    const small = translator('contextTokens=4000').batches(lines(100));
    expect(small.flatMap(({ lines: own }) => own.map(({ segmentId }) => segmentId))).toEqual(lines(100).map(({ segmentId }) => segmentId));
  });

  it('has a text for each segment of the batch; what is said is material, and what is asked for names the language', async () => {
    server.answer = translated;
    const [, batch] = translator().batches(lines(60));
    expect(await translator().translate(batch!, 'de', never)).toEqual({ texts: Array.from({ length: 20 }, (_, index) => `Punkt ${index + 40}`), usage: { inputTokens: 100, outputTokens: 20 } });
    const { system, user } = server.asked[0] as AskedModel;
    expect(system).toContain('into German (de)');
    expect(system).not.toContain('harbour');
    expect(user).toContain('[37] S1: Point 37');
  });

  it.each([
    ['too few', { segments: [{ number: 0, text: 'eins' }] }],
    ['others', { segments: [{ number: 1, text: 'eins' }, { number: 0, text: 'null' }] }],
    ['blank ones', { segments: [{ number: 0, text: ' ' }, { number: 1, text: 'eins' }] }],
  ])('is asked for again when the segments are %s, and fails when they are again', async (_what, wrong) => {
    const [batch] = translator().batches(lines(2));
    server.answer = (asked) => (server.asked.length === 1 ? wrong : translated(asked));
    expect((await translator().translate(batch!, 'de', never)).texts).toEqual(['Punkt 0', 'Punkt 1']);
    server.answer = () => wrong;
    await expect(translator().translate(batch!, 'de', never)).rejects.toMatchObject({ code: 'engine_failed' });
  });
});
