import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseFormats } from '../src/transcribe/formats.js';
import { parseSpeakers } from '../src/transcribe/job-settings.js';
import { inputOf } from '../src/transcribe/inputs.js';
import { outputStems, safeName } from '../src/transcribe/output-names.js';
import { barLine } from '../src/transcribe/progress-view.js';

describe('the names of transcripts', () => {
  it.each([
    [['talk.mp3'], ['talk']],
    [['talk.mp3', 'talk.wav'], ['talk.mp3', 'talk.wav']],
    [['talk.mp3', 'TALK.mp3'], ['talk.mp3', 'TALK.mp3-2']],
    [['.hidden', 'no-extension'], ['hidden', 'no-extension']],
    [['../../etc/passwd.mp3'], ['_.._etc_passwd']],
  ])('of %j are %j', (names, stems) => {
    expect(outputStems(names)).toEqual(stems);
  });

  it('differ on every file system, and stay in their folder', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme', maxLength: 300 }), { maxLength: 8 }), (names) => {
        const stems = outputStems(names);
        expect(new Set(stems.map((stem) => stem.toLowerCase())).size).toBe(names.length);
        for (const stem of stems) {
          expect(stem).toMatch(/^[^./\\][^/\\]*$/u);
          expect(Buffer.byteLength(safeName(stem))).toBeLessThanOrEqual(200);
        }
      }),
    );
  });

  it.each([
    ['https://example.org/a/My%20talk.mp4?x=1', 'My talk.mp4'],
    ['https://example.org/', 'example.org'],
    ['recordings/talk.mp3', 'talk.mp3'],
    ['-', 'stdin'],
  ])('of the input %s come from %s', async (argument, fileName) => {
    expect(inputOf(argument, (async function* () {})()).fileName).toBe(fileName);
  });
});

describe('arguments', () => {
  it('name formats in any case, once each', () => {
    expect(parseFormats('TXT, srt,.docx,txt')).toEqual(['txt', 'srt', 'docx']);
    expect(() => parseFormats('txt,none')).toThrow('There is no format "none". Formats: txt,');
  });

  it('name a number of speakers or a range', () => {
    expect(parseSpeakers('2')).toEqual({ min_speakers: 2, max_speakers: 2 });
    expect(parseSpeakers('auto')).toBe(true);
    expect(parseSpeakers('2-4')).toEqual({ min_speakers: 2, max_speakers: 4 });
    for (const wrong of ['0', '4-2', 'two', '']) expect(() => parseSpeakers(wrong)).toThrow('Give a number of speakers');
  });
});

describe('the bar of a recording', () => {
  it.each([40, 80, 200])('has fewer than %s columns', (columns) => {
    const line = barLine({ name: 'a very long name of a recording 会議の録音.mp3', stage: 'transcription', percent: 42 }, columns);
    expect(line).toMatch(/█+░+ {2}42%/);
    expect(Array.from(line).length).toBeLessThan(columns);
  });
});
