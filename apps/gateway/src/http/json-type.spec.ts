import { describe, expect, it } from '@jest/globals';
import { jsonTypeOf } from './json-type.js';

describe('the type of a JSON body', () => {
  it.each(['application/json', 'Application/JSON', 'application/merge-patch+json', 'application/json;', 'application/json ;; charset="UTF-8" ;', 'application/json; a="b;c\\"d"; charset=utf8'])('%s is JSON', (header) => {
    expect(jsonTypeOf(header)).toBe('json');
  });

  it.each(['application/json; charset=utf-16', 'application/json; charset="latin1"; a=b'])('%s has another charset', (header) => {
    expect(jsonTypeOf(header)).toBe('other_charset');
  });

  it.each([undefined, '', 'text/plain', 'application/json, text/plain', 'application/json; a', 'application/json; a="b', 'application/json; a=b c', 'application/json; charset=utf-8; "'])('%s is none', (header) => {
    expect(jsonTypeOf(header)).toBe('other');
  });
});
