import { beforeEach, describe, expect, it } from '@jest/globals';
import { AppError } from '@parlance/platform';
import { MissingEngines } from './missing-engines.js';

const unknown = new AppError({ kind: 'not_found', code: 'model_unknown', message: 'There is no such speech engine.' });

describe('an engine that is not configured any more', () => {
  let asked: string[];
  let answers: Record<string, 'present' | AppError | undefined>;
  let engines: MissingEngines;
  beforeEach(() => {
    asked = [];
    engines = new MissingEngines({ find: async (model) => (asked.push(model), answers[model]) });
  });

  it('is missing for certain once two rounds in a row have found that', async () => {
    answers = { gone: unknown };
    expect(await engines.round().missing('gone')).toEqual({ error: unknown, isConfirmed: false });
    answers = { gone: 'present' };
    expect(await engines.round().missing('gone')).toBeUndefined();
    answers = { gone: unknown };
    expect(await engines.round().missing('gone')).toEqual({ error: unknown, isConfirmed: false });
    expect(await engines.round().missing('gone')).toEqual({ error: unknown, isConfirmed: true });
  });

  it('is looked up once a round, however many jobs wait for it', async () => {
    answers = { gone: unknown, fast: 'present' };
    const round = engines.round();
    for (const model of ['gone', 'fast', 'gone', 'fast']) await round.missing(model);
    expect(asked).toEqual(['gone', 'fast']);
  });

  it('is not looked up while transcription does not answer, and then not missing', async () => {
    answers = { gone: unknown };
    await engines.round().missing('gone');
    answers = {};
    const round = engines.round();
    for (const model of ['fast', 'gone', 'fast', 'large']) expect(await round.missing(model)).toBeUndefined();
    expect(asked).toEqual(['gone', 'fast']);
    answers = { gone: unknown };
    expect(await engines.round().missing('gone')).toMatchObject({ isConfirmed: false });
  });
});
