import { describe, expect, it } from '@jest/globals';
import { keyProviderOf } from './master-keys.js';

describe('the key provider of npm start', () => {
  it('is the key file in the data folder, unless another one is named', () => {
    expect(keyProviderOf({}, '/data')).toEqual({ KEY_PROVIDER: 'local:/data/master-keys' });
    expect(keyProviderOf({ KEY_PROVIDER: '' }, '/data')).toEqual({ KEY_PROVIDER: 'local:/data/master-keys' });
    for (const env of [{ KEY_PROVIDER: 'none' }, { KEY_PROVIDER: 'local:/other' }, { KEY_PROVIDER_FILE: '/run/provider' }]) expect(keyProviderOf(env, '/data')).toEqual({});
  });
});
