import { describe, expect, it } from '@jest/globals';
import { compatRoots } from './compat-roots.js';

describe('the roots of other vendors’ APIs', () => {
  const all = compatRoots(['deepgram', 'assemblyai', 'asr']);

  it.each([
    ['/v1/listen?model=nova-3', '/compat/deepgram/v1/listen?model=nova-3'],
    ['/v2/upload', '/compat/assemblyai/v2/upload'],
    ['/v2/transcript/123/srt', '/compat/assemblyai/v2/transcript/123/srt'],
    ['/asr?output=srt', '/compat/asr/asr?output=srt'],
    ['/detect-language', '/compat/asr/detect-language'],
  ])('serve %s', (url, served) => {
    expect(all(url)).toBe(served);
  });

  it.each(['/v1/listening', '/v1/models', '/v20/upload', '/asrx', '/api/v1/transcriptions', '/compat/asr/asr'])('leave %s as it is', (url) => {
    expect(all(url)).toBe(url);
  });

  it('are served only when they are configured', () => {
    expect(compatRoots(['asr'])('/v1/listen')).toBe('/v1/listen');
  });
});
