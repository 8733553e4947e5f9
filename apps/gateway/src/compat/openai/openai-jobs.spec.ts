import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { toAppError } from '@parlance/platform';
import type { FastifyRequest } from 'fastify';
import { OpenAiJobs } from './openai-jobs.js';

const callerOf = (accountId: string) => ({ accountId, keyId: 'key_1', scopes: new Set<never>() });

function request(): FastifyRequest {
  const headers = { 'content-type': 'application/json' };
  const body = Buffer.from(JSON.stringify({ input_audio: { data: 'YWJj', format: 'wav' } }));
  return { headers, raw: Object.assign(Readable.from([body], { objectMode: false }), { headers }) } as unknown as FastifyRequest;
}

describe('files in JSON', () => {
  it('are held in memory two at a time for an account, until they are stored', async () => {
    const stored: (() => void)[] = [];
    const receiveBytes = () => new Promise<never>((_resolve, reject) => stored.push(() => reject(new Error('Stored.'))));
    const jobs = new OpenAiJobs({ receiveBytes, receiveForm: () => Promise.reject(new Error('This is no form.')) }, {} as never, {} as never, {} as never, {} as never);
    const failure = (accountId: string) => jobs.create(callerOf(accountId), request()).catch(toAppError);
    const held = [failure('acc_1'), failure('acc_1')];
    expect(await failure('acc_1')).toMatchObject({ kind: 'rate_limited', retryable: true });
    const others = failure('acc_2');
    while (stored.length < 3) await new Promise((resolve) => setImmediate(resolve));
    for (const each of stored.splice(0)) each();
    expect(await Promise.all([...held, others])).toMatchObject([{ kind: 'internal' }, { kind: 'internal' }, { kind: 'internal' }]);
    const later = failure('acc_1');
    while (stored.length < 1) await new Promise((resolve) => setImmediate(resolve));
    for (const each of stored) each();
    expect(await later).toMatchObject({ kind: 'internal' });
  });
});
