import { describe, expect, it } from '@jest/globals';
import { nameWords, searchWords } from './name-words.js';

describe('the words that a job is found by', () => {
  const upload = (fileName?: string) => ({ source: { kind: 'upload' as const, mediaKey: 'm', sizeBytes: 1, sha256: 's', ...(fileName !== undefined && { fileName }) } });
  const url = (address: string) => ({ source: { kind: 'url' as const, url: address, fetched: false } });

  it('are those of its file, in lower case, without accents, each once', () => {
    expect(nameWords(upload('Übersicht_Café 2026-11 (Café).mp3'))).toEqual(['ubersicht', 'cafe', '2026', '11', 'mp3']);
    expect(nameWords(upload('会議 第３回.wav'))).toEqual(['会議', '第3回', 'wav']);
    expect(nameWords(upload())).toEqual([]);
  });

  it('are those of its title, too', () => {
    expect(nameWords({ ...upload('a.mp3'), title: 'Weekly planning' })).toEqual(['weekly', 'planning', 'a', 'mp3']);
  });

  it('are of an address its last part alone: no query, no host', () => {
    expect(nameWords(url('https://user:secret@example.org/folder/Board%20Meeting.mp3?token=abc'))).toEqual(['board', 'meeting', 'mp3']);
    expect(nameWords(url('https://example.org/%E0%A4%A'))).toEqual(['e0', 'a4', 'a']);
    expect(nameWords(url('https://example.org'))).toEqual([]);
  });

  it('are bounded', () => {
    const words = searchWords(Array.from({ length: 100 }, (_, index) => `${'x'.repeat(60)} w${index}`).join(' '));
    expect([words.length, Math.max(...words.map((word) => word.length))]).toEqual([32, 40]);
  });
});
