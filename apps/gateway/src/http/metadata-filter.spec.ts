import { describe, expect, it } from '@jest/globals';
import { metadataErrors, metadataFilter } from './metadata-filter.js';

describe('a filter by metadata', () => {
  it('is the same as pairs of one parameter and as parameters with a key', () => {
    const filter = { project: 'apollo', step: 'a:b' };
    expect(metadataFilter({ metadata: ['project:apollo', 'step:a:b'] })).toEqual(filter);
    expect(metadataFilter({ 'metadata[project]': 'apollo', 'metadata[step]': 'a:b', limit: '5' })).toEqual(filter);
    expect(metadataFilter({ metadata: 'project:apollo', 'metadata[step]': 'a:b' })).toEqual(filter);
    expect(metadataFilter({ limit: '5' })).toBeUndefined();
  });

  it('takes an empty value, and no empty key', () => {
    expect([metadataFilter({ metadata: 'project:' }), metadataErrors({ metadata: 'project:' })]).toEqual([{ project: '' }, []]);
    expect(metadataErrors({ metadata: ':apollo' })).toMatchObject([{ pointer: '?metadata', code: 'invalid_format' }]);
  });

  it('has a key once, however it is written', () => {
    for (const given of [{ metadata: ['a:1', 'a:2'] }, { metadata: 'a:1', 'metadata[a]': '1' }]) expect(metadataErrors(given)).toMatchObject([{ pointer: '?metadata', code: 'invalid_value' }]);
    expect(metadataErrors({ metadata: ['a:1', 'b:1'] })).toEqual([]);
  });
});
