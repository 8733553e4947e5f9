import { describe, expect, it } from '@jest/globals';
import { AppError, notFound } from '@parlance/platform';
import { whileKept } from './while-kept.js';

const bytes = (value: number) => Uint8Array.of(value);

async function* pieces(): AsyncGenerator<Uint8Array> {
  for (let value = 1; value <= 3; value += 1) yield bytes(value);
}

async function read(requireKept: () => Promise<void>, checkEveryMs = 0): Promise<{ values: number[]; error?: unknown }> {
  const values: number[] = [];
  try {
    for await (const piece of whileKept(pieces(), requireKept, checkEveryMs)) values.push(...piece);
  } catch (error) {
    return { values, error };
  }
  return { values };
}

describe('whileKept', () => {
  it('passes on nothing more once the job is erased', async () => {
    let checks = 0;
    const { values, error } = await read(async () => {
      checks += 1;
      if (checks === 2) throw notFound('The transcription');
    });
    expect(values).toEqual([1]);
    expect(error).toMatchObject({ code: 'media_gone' });
  });

  it('passes on everything while the owner of the job does not answer', async () => {
    const away = async () => {
      throw new AppError({ kind: 'unavailable', code: 'service_unavailable', message: 'Away.' });
    };
    expect(await read(away)).toEqual({ values: [1, 2, 3] });
  });

  it('does not check before it is time', async () => {
    const never = async () => {
      throw notFound('The transcription');
    };
    expect(await read(never, 60_000)).toEqual({ values: [1, 2, 3] });
  });
});
