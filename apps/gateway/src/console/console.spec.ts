import { describe, expect, it } from '@jest/globals';
import { ROUTE_TABLE } from '../docs/route-table.js';
import { CONSOLE_POLICY, CONSOLE_SCRIPT, consolePage } from './console-page.js';

describe('the console', () => {
  it('calls operations that there are', () => {
    const called = [...CONSOLE_SCRIPT.matchAll(/(?:json|call|post)\((?:'(\/[^'?]*)|`(\/[^`?]*))/g)].map(([, plain = '', filled = '']) => `/api/v1${plain}${filled.replaceAll(/\$\{\w+\}/g, '{job_id}')}`);
    expect(new Set(called)).toEqual(
      new Set(['/transcriptions', '/transcriptions/{job_id}', ...['events', 'summary', 'transcript', 'chat'].map((what) => `/transcriptions/{job_id}/${what}`), '/search', '/chat'].map((path) => `/api/v1${path}`)),
    );
    const paths = ROUTE_TABLE.map(({ path }) => path);
    for (const path of called) expect(paths).toContain(path);
  });

  it('finds in its page every element that it speaks of, and each id once', () => {
    const ids = [...consolePage('http', 'localhost').matchAll(/ id="([\w-]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const [, id] of CONSOLE_SCRIPT.matchAll(/\b(?:at|on)\('([\w-]+)'/g)) expect(ids).toContain(id);
  });

  it('may load nothing from elsewhere: whoever gave a recording an address does not learn who opens its job', () => {
    const sources = CONSOLE_POLICY.split(';').flatMap((directive) => directive.trim().split(' ').slice(1));
    expect(new Set(sources)).toEqual(new Set(["'none'", "'self'", 'blob:', 'data:']));
  });

  it('writes nothing as HTML that comes from elsewhere', () => {
    expect(CONSOLE_SCRIPT).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b/);
  });
});
