import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { childOf, formatTraceparent, parseTraceparent } from './trace-context.js';

const hex = (digits: number) =>
  fc.array(fc.constantFrom(...'0123456789abcdef'), { minLength: digits, maxLength: digits }).map((all) => all.join('')).filter((text) => /[^0]/.test(text));
const contexts = fc.record({ traceId: hex(32), spanId: hex(16), flags: fc.integer({ min: 0, max: 255 }) });

describe('a trace context', () => {
  it('is read as it was written', () => {
    fc.assert(fc.property(contexts, (context) => expect(parseTraceparent(formatTraceparent(context))).toEqual(context)));
  });

  it.each([
    undefined,
    '',
    'x',
    '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331',
    '00-00000000000000000000000000000000-b7ad6b7169203331-01',
    '00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01',
    '00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01',
    '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more',
    'ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  ])('is none in %p', (text) => {
    expect(parseTraceparent(text)).toBeUndefined();
  });

  it('may be of a later version with more fields', () => {
    expect(parseTraceparent('cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-what-comes')).toMatchObject({ spanId: 'b7ad6b7169203331', flags: 1 });
  });

  it('goes on with its trace in a span of its own', () => {
    fc.assert(
      fc.property(contexts, (parent) => {
        const child = childOf(parent);
        expect(child).toEqual({ ...parent, spanId: expect.stringMatching(/^[0-9a-f]{16}$/) });
        expect(child.spanId).not.toBe(parent.spanId);
      }),
    );
    expect(parseTraceparent(formatTraceparent(childOf(undefined)))).toMatchObject({ flags: 0 });
  });
});
