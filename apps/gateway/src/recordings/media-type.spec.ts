import { describe, expect, it } from '@jest/globals';
import { common } from '@parlance/contracts';
import { extensionOf } from './media-type.js';

const of = (format: string, sent?: string) => extensionOf(common.Media.fromPartial({ format }), sent);

describe('the extension of a recording', () => {
  it('is that of its sender where files of its format have it', () => {
    expect([of('mov,mp4,m4a,3gp,3g2,mj2', 'm4a'), of('matroska,webm', 'mkv'), of('ogg', 'opus'), of('wav', 'wav')]).toEqual(['m4a', 'mkv', 'opus', 'wav']);
  });

  it.each(['html', 'hta', 'exe', 'svg', 'js', 'mp3', undefined])('is never another one that the sender gave it: %s', (sent) => {
    expect([of('wav', sent), of('mov,mp4,m4a,3gp,3g2,mj2', sent), of('matroska,webm', sent)]).toEqual(['wav', 'mp4', 'webm']);
    expect(extensionOf(common.Media.fromPartial({ sealed: true, format: 'wav' }), sent)).toBe('age');
  });

  it('is that of some recording where the format is not known', () => {
    expect([extensionOf(undefined, 'mp3'), extensionOf(undefined, 'html'), of('new', 'hta'), of('', undefined)]).toEqual(['mp3', 'bin', 'bin', 'bin']);
  });
});
