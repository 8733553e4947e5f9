import { describe, expect, it } from '@jest/globals';
import { estimateTokens, TokenMetrics, type GenerationRequest, type LanguageModel } from '@parlance/engines';
import { createMetrics } from '@parlance/platform';
import type { ChatTurn, SourceLine } from './chat-engine.js';
import { ModelChat } from './model-chat.js';

const { signal } = new AbortController();
const metrics = createMetrics();
const [contextTokens, maxOutputTokens] = [2000, 500];

/** Keeps what it is asked, and answers by the first line. */
function modelAsked(): { model: LanguageModel; asked: GenerationRequest[] } {
  const asked: GenerationRequest[] = [];
  const model: LanguageModel = {
    info: { name: 'test', languages: [], contextTokens, maxOutputTokens },
    generate: async (request) => (asked.push(request), { text: 'When is it built?', finishReason: 'complete', usage: { inputTokens: 30, outputTokens: 5 } }),
    stream: async function* (request) {
      asked.push(request);
      yield { type: 'delta', text: 'In spring [1].' };
      yield { type: 'end', finishReason: 'complete', usage: { inputTokens: 400, outputTokens: 20 } };
    },
    countTokens: estimateTokens,
    close: async () => {},
  };
  return { model, asked };
}

const lines = Array.from({ length: 40 }, (_, index): SourceLine => ({ jobId: 'job_1', segmentId: `seg_${index}`, start: index, end: index + 1, text: `Line ${index} tells how the roof is built.`, language: 'en', passage: index }));
const turn = (number: number): ChatTurn => ({ message: `Question ${number}: ${'и что ещё? '.repeat(30)}`, answer: `Answer ${number}: ${'это так. '.repeat(30)}` });
const contents = ({ messages }: GenerationRequest) => messages.map(({ content }) => content);

describe('a chat by a language model', () => {
  it('keeps within the context, however long the conversation is: the oldest turns go first', async () => {
    const { model, asked } = modelAsked();
    const chat = new ModelChat(model, new TokenMetrics(metrics));
    for (const history of [[], [{ message: 'Who?', answer: 'Ann.' }], [...[1, 2, 3, 4, 5].map(turn), { message: 'Who?', answer: 'Ann.' }]]) {
      await chat.standalone('When?', history, signal);
      for await (const event of chat.answer({ message: 'When?', history, lines, signal })) expect(['delta', 'end']).toContain(event.type);
      if (history.length > 0) expect(contents(asked.at(-1)!).slice(-3)).toEqual(['Who?', 'Ann.', 'When?']);
    }
    for (const request of asked) expect(estimateTokens(contents(request).join('')) + (request.maxOutputTokens ?? 0)).toBeLessThanOrEqual(contextTokens);
    expect(contents(asked.at(-1)!)[1]).toContain('[1] Line 0');
    expect(contents(asked.at(-1)!).join('')).not.toContain('Question 1');
  });

  it('counts the tokens of questions and answers, beside what other services of the process count', async () => {
    const shared = createMetrics();
    new TokenMetrics(shared).used('summary', 'test', { inputTokens: 1, outputTokens: 1 });
    const chat = new ModelChat(modelAsked().model, new TokenMetrics(shared));
    await chat.standalone('When?', [{ message: 'Who?', answer: 'Ann.' }], signal);
    for await (const _ of chat.answer({ message: 'When?', history: [], lines, signal }));
    const text = await shared.metrics();
    expect(text).toContain('parlance_language_model_tokens_total{work="chat",engine="test",direction="input"} 430');
    expect(text).toContain('parlance_language_model_tokens_total{work="chat",engine="test",direction="output"} 25');
  });

  it('leaves less room for lines, the more was said before', async () => {
    const chat = new ModelChat(modelAsked().model, new TokenMetrics(metrics));
    const room = await chat.roomForLines('When?', []);
    expect(await chat.roomForLines('When?', [{ message: 'Who?', answer: 'Ann. '.repeat(100) }])).toBeLessThan(room);
  });

  it('reads its prompts again after they could not be read', async () => {
    const failing = ['EMFILE'];
    const chat = new ModelChat(modelAsked().model, new TokenMetrics(metrics), async () => {
      const failure = failing.pop();
      if (failure !== undefined) throw new Error(failure);
      return 'Answer.';
    });
    await expect(chat.roomForLines('When?', [])).rejects.toThrow('EMFILE');
    expect(await chat.roomForLines('When?', [])).toBeGreaterThan(0);
  });
});
