import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { newSecretsKey, SecretBox, secretsConfig } from './secret-box.js';

const boxOf = (SECRETS_KEY: string) => SecretBox.of({ SECRETS_KEY }) as SecretBox;

describe('a sealed secret', () => {
  const box = boxOf(newSecretsKey());

  it('is opened with its key for its context, and shows nothing otherwise', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 8 }), (text) => {
        const sealed = box.seal(text, 'acc/job');
        expect(box.open(sealed, 'acc/job')).toBe(text);
        expect(box.open(sealed, 'acc/other')).toBeUndefined();
        expect(boxOf(newSecretsKey()).open(sealed, 'acc/job')).toBeUndefined();
        expect(box.seal(text, 'acc/job')).not.toBe(sealed);
        expect(Buffer.from(sealed.slice(3), 'base64').includes(text)).toBe(false);
      }),
    );
  });

  it.each(['', 'v1.', 'v1.AAAA', 'v2.AAAA', 'secret'])('cannot be %j', (sealed) => {
    expect(box.open(sealed, 'acc/job')).toBeUndefined();
  });

  it('cannot be changed', () => {
    const bytes = Buffer.from(box.seal('secret', 'acc/job').slice(3), 'base64');
    for (let at = 0; at < bytes.length; at += 1) {
      const changed = Buffer.from(bytes);
      changed.writeUInt8((changed.readUInt8(at) + 1) % 256, at);
      expect(box.open(`v1.${changed.toString('base64')}`, 'acc/job')).toBeUndefined();
    }
  });

  it('needs a key of 32 bytes in base64', () => {
    expect(secretsConfig.SECRETS_KEY.safeParse(newSecretsKey()).success).toBe(true);
    for (const wrong of ['', 'short', Buffer.alloc(31).toString('base64')]) expect(secretsConfig.SECRETS_KEY.safeParse(wrong).success).toBe(false);
    expect(SecretBox.of({})).toBeUndefined();
  });
});
