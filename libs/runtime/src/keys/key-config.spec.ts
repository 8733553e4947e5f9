import { describe, expect, it } from '@jest/globals';
import { keyConfigProblems, sealsMedia } from './key-config.js';

describe('the settings of encryption at rest', () => {
  it.each([undefined, 'none'])('do not seal media without keys (KEY_PROVIDER %s)', (KEY_PROVIDER) => {
    expect(keyConfigProblems({ KEY_PROVIDER, MEDIA_ENCRYPTION: 'on' })).toEqual([expect.stringContaining('MEDIA_ENCRYPTION: on needs KEY_PROVIDER')]);
    expect(keyConfigProblems({ KEY_PROVIDER, MEDIA_ENCRYPTION: 'off' })).toEqual([]);
    expect(keyConfigProblems({ KEY_PROVIDER })).toEqual([]);
    expect(sealsMedia({ KEY_PROVIDER })).toBe(false);
  });

  it('seal media with keys, unless that is switched off', () => {
    const KEY_PROVIDER = 'local:/keys';
    for (const MEDIA_ENCRYPTION of ['on', 'off', undefined] as const) expect(keyConfigProblems({ KEY_PROVIDER, MEDIA_ENCRYPTION })).toEqual([]);
    expect([sealsMedia({ KEY_PROVIDER }), sealsMedia({ KEY_PROVIDER, MEDIA_ENCRYPTION: 'on' }), sealsMedia({ KEY_PROVIDER, MEDIA_ENCRYPTION: 'off' })]).toEqual([true, true, false]);
  });
});
