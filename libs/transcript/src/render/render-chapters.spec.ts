import { describe, expect, it } from '@jest/globals';
import { renderChapters } from './render-chapters.js';

describe('chapters as WebVTT', () => {
  it('are numbered cues of one line, in which signs of markup stand for themselves', () => {
    const chapters = [
      { start: 0, end: 61.5, headline: 'Costs & <b>roof</b> --> \n\nlibrary' },
      { start: 61.5, end: 36_000.25, headline: 'The end' },
    ];
    expect(renderChapters(chapters, 'en')).toBe(
      'WEBVTT\n\n1\n00:00:00.000 --> 00:01:01.500\nCosts &amp; &lt;b&gt;roof&lt;/b&gt; --&gt; library\n\n2\n00:01:01.500 --> 10:00:00.250\nThe end\n',
    );
  });

  it('are set from the right in a script that is written so, and none are a header alone', () => {
    expect(renderChapters([{ start: 0, end: 1, headline: 'שלום' }], 'he')).toContain('\n\u200fשלום\u200f\n');
    expect(renderChapters([], 'en')).toBe('WEBVTT\n');
  });
});
