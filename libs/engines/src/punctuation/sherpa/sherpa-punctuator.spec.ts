import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { writeModel } from '../../../test/tiny-models/model-folder.js';
import { tinyCnnBilstm, tinyCtTransformer, type Marks } from '../../../test/tiny-models/tiny-punctuation.js';
import type { Punctuator } from '../punctuator.js';
import { punctuatorFromUrl } from '../punctuator-from-url.js';

const never = new AbortController().signal;
const MARKS: Marks = { hello: { mark: ',', case: 'capital' }, there: { mark: '.' }, you: { mark: '?' }, nato: { case: 'upper' }, 好: { mark: ',' }, again: { mark: 'oh' } };

const wordsOf = (texts: readonly string[]) => texts.map((text, index) => ({ text, start: index, end: index + 0.5 }));
const punctuate = (punctuator: Punctuator, text: string, language = 'en', signal = never) => punctuator.punctuate({ words: wordsOf(text.split(' ')), language, signal });

describe('SherpaPunctuator', () => {
  let folder: string;
  const opened: Punctuator[] = [];
  const open = (url: string): Punctuator => {
    const punctuator = punctuatorFromUrl(url, { modelsFolder: folder });
    opened.push(punctuator);
    return punctuator;
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parlance-punctuation-'));
    await writeModel(folder, 'english', tinyCnnBilstm(MARKS));
    await writeModel(folder, 'punct-ct-transformer-zh-en', tinyCtTransformer(MARKS));
  });
  afterAll(async () => {
    await Promise.all(opened.map((each) => each.close()));
    await rm(folder, { recursive: true });
  });

  it('writes marks and capitals by a CNN-BiLSTM', async () => {
    const english = open(`sherpa:${folder}/english`);
    await english.check();
    expect(await punctuate(english, 'hello there how are you nato')).toEqual({ texts: ['Hello,', 'there.', 'how', 'are', 'you?', 'NATO'], hasCapitals: true });
    expect(await punctuate(english, 'hallo', 'de')).toBeUndefined();
  });

  it('writes the marks of a CT-Transformer in the script of each word, and leaves capitals to others', async () => {
    const both = open('sherpa:punct-ct-transformer-zh-en');
    expect(both.info.name).toBe('sherpa:punct-ct-transformer-zh-en');
    expect(await punctuate(both, 'hello there how are you Hello', 'en-GB')).toEqual({ texts: ['hello,', 'there.', 'how', 'are', 'you?', 'Hello.'], hasCapitals: false });
    expect(await punctuate(both, '你 好 你', 'zh')).toEqual({ texts: ['你', '好，', '你。'], hasCapitals: false });
  });

  it('writes long texts in pieces, each word once', async () => {
    const texts = Array.from({ length: 950 }, (_, index) => (index % 5 === 0 ? 'there' : 'word'));
    const { texts: written } = (await punctuate(open(`sherpa:${folder}/english`), texts.join(' '))) ?? { texts: [] };
    expect(written).toEqual(texts.map((text) => (text === 'there' ? 'there.' : text)));
  });

  it('refuses a text to which the model adds a word', async () => {
    await expect(punctuate(open('sherpa:punct-ct-transformer-zh-en'), 'hello again there')).rejects.toMatchObject({ code: 'engine_failed', message: 'The punctuation model changed words.' });
  });

  it('says that a model is missing or damaged, and takes it up once it is there', async () => {
    const late = open(`sherpa:${folder}/late`);
    await expect(late.check()).rejects.toMatchObject({ code: 'engine_failed', message: 'The folder of the model late does not contain a punctuation model.' });
    await expect(punctuate(late, 'hello')).rejects.toMatchObject({ code: 'engine_failed' });
    await writeModel(folder, 'late', tinyCnnBilstm(MARKS));
    expect(await punctuate(late, 'hello')).toMatchObject({ texts: ['Hello,'] });
    await writeModel(folder, 'broken', { 'model.onnx': 'no model', 'bpe.vocab': '<unk>\t0\n' });
    await expect(punctuate(open(`sherpa:${folder}/broken`), 'hello')).rejects.toMatchObject({ code: 'engine_failed', retryable: false });
  });

  it('gives up when it is canceled', async () => {
    await expect(punctuate(open(`sherpa:${folder}/english`), 'hello', 'en', AbortSignal.abort())).rejects.toMatchObject({ code: 'canceled' });
  });
});

describe('punctuatorFromUrl', () => {
  it('leaves all to the rules by default', async () => {
    const rules = punctuatorFromUrl('rules:');
    expect(rules.info.name).toBe('rules');
    expect(await punctuate(rules, 'hello')).toBeUndefined();
  });

  it.each([
    ['nothing', 'is not a URL'],
    ['openai:', 'unknown scheme'],
    ['sherpa:whisper-tiny', "unknown punctuation model 'whisper-tiny'"],
    ['rules:?threads=1', 'threads'],
  ])('refuses %s', (url, message) => {
    expect(() => punctuatorFromUrl(url)).toThrow(message);
  });
});
