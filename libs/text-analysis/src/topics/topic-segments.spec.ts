import { describe, expect, it } from '@jest/globals';
import { TimeSlices } from '@parlance/platform';
import { keyphrases, lineCounts } from '../keyphrases/keyphrases.js';
import { TermReader } from '../terms/term-reader.js';
import { weighLines } from '../terms/weighted-line.js';
import { lines } from '../testing/lines.js';
import { topicSegments } from './topic-segments.js';

const ROOF = ['the roof of the library leaks', 'a new roof costs a million', 'the carpenter builds the roof in spring', 'rain comes through the roof tiles', 'roof tiles are expensive'];
const BOOKS = ['children read many books', 'the books for children are old', 'we buy new books for children', 'children like picture books', 'picture books are cheap'];

const weighed = async (texts: readonly string[]) => weighLines(lines(texts), await TermReader.of('en'), new TimeSlices());

describe('topicSegments', () => {
  it('finds where the talk turns to something else, and what each stretch is about', async () => {
    const all = await weighed([...ROOF, ...ROOF, ...ROOF, ...BOOKS, ...BOOKS, ...BOOKS]);
    const segments = await topicSegments(all, new TimeSlices());
    expect(segments).toHaveLength(2);
    expect(Math.abs((segments[0]?.length ?? 0) - 15)).toBeLessThanOrEqual(2);
    const names = segments.map((segment) => keyphrases(segment, 3, lineCounts(all), all.length).join(' '));
    expect(names[0]).toMatch(/roof/);
    expect(names[1]).toMatch(/books|children/);
  });

  it('leaves short talk in one piece, and loses no line of a long one', async () => {
    expect(await topicSegments(await weighed(ROOF), new TimeSlices())).toHaveLength(1);
    expect(await topicSegments([], new TimeSlices())).toEqual([]);
    const long = await weighed(Array.from({ length: 900 }, (_, index) => (Math.floor(index / 90) % 2 === 0 ? ROOF : BOOKS)[index % 5] ?? ''));
    const segments = await topicSegments(long, new TimeSlices());
    expect(segments.length).toBeGreaterThan(3);
    expect(segments.length).toBeLessThanOrEqual(12);
    expect(segments.flat()).toEqual(long);
  });
});
