import { describe, expect, it } from '@jest/globals';
import { fileNameOf } from './file-name.js';

describe('the name of an uploaded file', () => {
  it.each([
    ['meeting.wav', 'meeting.wav'],
    ['C:\\Users\\Anna\\meeting 1.wav', 'meeting 1.wav'],
    ['../../etc/passwd', 'passwd'],
    ['ישיבת צוות.mp3', 'ישיבת צוות.mp3'],
    ['cafe\u0301.mp3', 'café.mp3'],
    ['a\u0000b\u202egpj.mp3\r\n', 'abgpj.mp3'],
    ['two\n lines\t.mp3', 'two lines .mp3'],
    ['\ud800.mp3', '.mp3'],
    ['folder/', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('%j is %j', (stated, name) => {
    expect(fileNameOf(stated)).toBe(name);
  });

  it('keeps the end of one that is too long', () => {
    const name = fileNameOf(`${'\u{1f600}'.repeat(300)}.flac`);
    expect(name?.length).toBeLessThanOrEqual(255);
    expect(name).toMatch(/^\u{1f600}+….flac$/u);
  });
});
