import { describe, expect, it } from '@jest/globals';
import { consolePage } from './console-page.js';
import { LIVE_PAGE, LIVE_SCRIPTS, livePolicy } from './live-page.js';

describe('the page of live sessions', () => {
  it('finds in its page every element that it speaks of, and each id once', () => {
    const ids = [...LIVE_PAGE.matchAll(/ id="([\w-]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const [, id] of (LIVE_SCRIPTS.get('live.js') ?? '').matchAll(/\bat\('([\w-]+)'/g)) expect(ids).toContain(id);
  });

  it('loads scripts that are served', () => {
    const loaded = [LIVE_PAGE, ...LIVE_SCRIPTS.values()].flatMap((text) => [...text.matchAll(/(?:\/console|from '\.)\/(live[\w-]*\.js)/g)].map(([, name]) => name));
    expect(new Set(loaded)).toEqual(new Set(LIVE_SCRIPTS.keys()));
  });

  it('may open sockets to its own host, and to no other', () => {
    expect(livePolicy('speech.example.org:8443')).toContain("connect-src 'self' ws://speech.example.org:8443 wss://speech.example.org:8443;");
    expect(livePolicy('x; script-src *')).toContain("connect-src 'self';");
  });

  it('writes nothing as HTML that comes from elsewhere', () => {
    for (const script of LIVE_SCRIPTS.values()) expect(script).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b/);
  });

  it('is linked from the start page', () => {
    expect(consolePage('http', 'localhost')).toContain('href="/live"');
  });
});
