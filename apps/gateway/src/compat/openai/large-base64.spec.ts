import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { cutBase64, decodeBase64 } from './large-base64.js';

/** Bytes of a file whose Base64 is decoded in several slices. */
const SEVERAL_SLICES = 300_000;

/** How clients write a character of Base64 in JSON. */
const WRITINGS: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => text.replaceAll('/', '\\/'),
  (text) => text.replaceAll(/[=+/]/g, (character) => `\\u00${character.charCodeAt(0).toString(16)}`),
  (text) => text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', ''),
  (text) => text.replaceAll(/.{76}/g, '$&\\r\\n'),
  (text) => `${text}\\n`,
];

/** As it may arrive. */
function inPieces(text: string): Buffer[] {
  const bytes = Buffer.from(text);
  const size = 1 + Math.floor(bytes.byteLength / 7);
  return Array.from({ length: Math.ceil(bytes.byteLength / size) }, (_, index) => bytes.subarray(index * size, (index + 1) * size));
}

const decoded = async (text: string) => {
  const pieces = await decodeBase64(inPieces(text));
  return pieces && Buffer.concat(pieces);
};

describe('a long string of Base64 in JSON', () => {
  it('is decoded however clients write it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 200 }), fc.constantFrom(...WRITINGS), fc.boolean(), async (more, write, isLong) => {
        const bytes = randomBytes((isLong ? SEVERAL_SLICES : 0) + more);
        expect((await decoded(write(bytes.toString('base64'))))?.equals(bytes)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  it.each(['***', 'ab=c', 'AAAAA', 'AAA\\u0022', 'AAA\\', `${'A'.repeat(SEVERAL_SLICES)}==${'A'.repeat(SEVERAL_SLICES)}`])('is refused when it is none: %.20s', async (text) => {
    expect(await decoded(text)).toBeUndefined();
  });

  it('is taken out of the text, and not out of another string', () => {
    const long = 'QUJD'.repeat(10);
    const text = JSON.stringify({ prompt: '"data":"no"', data: 'other', input_audio: { format: 'wav', data: long }, more: 1 });
    for (const pieces of [inPieces(text), [Buffer.from(text)], Array.from(text, (character) => Buffer.from(character))]) {
      const cut = cutBase64(pieces, 'data', '"input_audio"');
      expect([Buffer.concat(cut?.base64 ?? []).toString(), JSON.parse(Buffer.concat(cut?.rest ?? []).toString())]).toEqual([long, { prompt: '"data":"no"', data: 'other', input_audio: { format: 'wav', data: '' }, more: 1 }]);
    }
    expect([cutBase64([Buffer.from('{"data": 5}')], 'data'), cutBase64([Buffer.from('{"data": "5')], 'data'), cutBase64([], 'data')]).toEqual([undefined, undefined, undefined]);
  });
});
