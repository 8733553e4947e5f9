import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { statedDigest } from './digest-field.js';

const digest = createHash('sha256').update('hello').digest();
const field = `sha-256=:${digest.toString('base64')}:`;

describe('the digest that a request states', () => {
  it.each([
    [{}, undefined],
    [{ 'content-digest': field }, digest.toString('hex')],
    [{ 'repr-digest': field }, digest.toString('hex')],
    [{ 'content-digest': field, 'repr-digest': field }, digest.toString('hex')],
    [{ 'content-digest': `sha-512=:AAAA:, ${field}` }, digest.toString('hex')],
    [{ 'content-digest': 'sha-512=:AAAA:' }, undefined],
  ])('%j is %s', (headers, expected) => {
    expect(statedDigest(headers)).toBe(expected);
  });

  it.each([['sha-256=abc'], ['sha-256=:abc:'], [`sha-256="${digest.toString('hex')}"`], [`${field};a`]])('is refused when it is malformed: %s', (value) => {
    expect(() => statedDigest({ 'content-digest': value })).toThrow(expect.objectContaining({ code: 'malformed_request' }));
  });

  it('is refused when two fields contradict each other', () => {
    const other = `sha-256=:${Buffer.alloc(32).toString('base64')}:`;
    expect(() => statedDigest({ 'content-digest': field, 'repr-digest': other })).toThrow(expect.objectContaining({ code: 'malformed_request' }));
  });
});
