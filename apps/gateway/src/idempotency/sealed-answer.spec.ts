import { describe, expect, it } from '@jest/globals';
import { seal, unseal } from './sealed-answer.js';

describe('an answer with a secret', () => {
  it('is read again with the API key of its request', () => {
    expect(unseal(seal('{"api_key":"pl_é"}', 'pl_caller', 'record'), 'pl_caller', 'record')).toBe('{"api_key":"pl_é"}');
  });

  it('does not show the secret, and is another text each time', () => {
    const [one, other] = [seal('pl_new', 'pl_caller', 'record'), seal('pl_new', 'pl_caller', 'record')];
    expect(Buffer.from(one, 'base64').includes('pl_new')).toBe(false);
    expect(one).not.toBe(other);
  });

  it.each([['another API key', 'pl_other', 'record'], ['another record', 'pl_caller', 'other']])('is not opened with %s', (_what, apiKey, name) => {
    const opened = () => unseal(seal('pl_new', 'pl_caller', 'record'), apiKey, name);
    expect(opened).toThrow(expect.objectContaining({ code: 'invalid_state', reason: 'secret_shown_once' }));
  });

  it('is not opened once it was changed', () => {
    const bytes = Buffer.from(seal('pl_new', 'pl_caller', 'record'), 'base64');
    bytes[14] = (bytes[14] ?? 0) ^ 1;
    expect(() => unseal(bytes.toString('base64'), 'pl_caller', 'record')).toThrow(expect.objectContaining({ reason: 'secret_shown_once' }));
  });
});
