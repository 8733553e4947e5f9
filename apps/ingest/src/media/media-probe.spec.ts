import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it, test } from '@jest/globals';
import { silentLogger } from '@parlance/platform';
import { flacOfElevenHours, MediaFiles, pictures, silence, tone, wavFile } from '@parlance/testing';
import { BYTES_PER_SECOND, decodeAudio } from './audio-decoder.js';
import { createLocalMediaDecoder } from './local-media-decoder.js';
import type { MediaDecoder } from './media-decoder.js';
import { probeMedia } from './media-probe.js';
import { createMediaSandbox } from './sandbox.js';

let files: MediaFiles;
let decoder: MediaDecoder;
const limits = { maxDurationSeconds: 3600, signal: new AbortController().signal };

beforeAll(async () => {
  files = await MediaFiles.create();
  decoder = createLocalMediaDecoder(createMediaSandbox({ scratchFolder: files.folder, log: silentLogger() }));
});
afterAll(() => files[Symbol.asyncDispose]());

const probe = (file: string) => probeMedia(decoder, file, limits);

/** Seconds of sound, and its loudest sample. */
async function decode(file: string, media = probe(file)): Promise<{ seconds: number; peak: number }> {
  let bytes = 0;
  let peak = 0;
  for await (const piece of decodeAudio(decoder, file, await media, limits)) {
    bytes += piece.length;
    for (let at = 0; at + 1 < piece.length; at += 2) peak = Math.max(peak, Math.abs(Buffer.from(piece.buffer, piece.byteOffset).readInt16LE(at)));
  }
  return { seconds: bytes / BYTES_PER_SECOND, peak };
}

const withCode = (code: string) => expect.objectContaining({ code, retryable: false });

describe('media', () => {
  const SOUNDS: [extension: string, codec: string, options: string[]][] = [
    ['mp3', 'mp3', []],
    ['wav', 'pcm_s16le', []],
    ['flac', 'flac', []],
    ['opus', 'opus', ['-c:a', 'libopus']],
    ['ogg', 'vorbis', ['-c:a', 'libvorbis']],
    ['m4a', 'aac', []],
    ['aac', 'aac', []],
    ['aiff', 'pcm_s16be', []],
    ['w64', 'pcm_s16le', []],
    ['caf', 'pcm_s16be', []],
    ['wma', 'wmav2', []],
    ['mka', 'vorbis', ['-c:a', 'libvorbis']],
    ['au', 'pcm_s16be', []],
    ['ac3', 'ac3', []],
  ];
  const VIDEOS: [extension: string, codec: string, options: string[]][] = [
    ['mp4', 'aac', []],
    ['mov', 'aac', []],
    ['avi', 'mp3', ['-c:v', 'mpeg4', '-c:a', 'libmp3lame']],
    ['mkv', 'aac', ['-c:a', 'aac']],
    ['webm', 'opus', ['-c:v', 'libvpx', '-c:a', 'libopus']],
    ['flv', 'aac', ['-c:v', 'flv', '-c:a', 'aac']],
    ['ts', 'aac', ['-c:a', 'aac']],
    ['mpg', 'mp2', ['-r', '25']],
    ['wmv', 'wmav2', []],
  ];
  const outputs = (name: string, kinds: typeof SOUNDS) => kinds.map(([extension, , options]) => [`${name}.${extension}`, ...options] as const);

  beforeAll(async () => {
    await Promise.all([files.makeAll(tone(3), outputs('sound', SOUNDS)), files.makeAll([...pictures(3), ...tone(3)], outputs('video', VIDEOS))]);
  });

  test.each(SOUNDS)('as %s is read and decoded', async (extension, codec) => {
    const file = files.path(`sound.${extension}`);
    const media = probe(file);
    expect(await media).toMatchObject({ codec, channels: 1, hasVideo: false, audioIndex: 0 });
    const { seconds, peak } = await decode(file, media);
    expect(seconds).toBeCloseTo(3, 0);
    expect(peak).toBeGreaterThan(1000);
  });

  test.each(VIDEOS)('as %s with pictures is read and decoded', async (extension, codec) => {
    const file = files.path(`video.${extension}`);
    const media = probe(file);
    expect(await media).toMatchObject({ codec, hasVideo: true });
    expect((await decode(file, media)).seconds).toBeCloseTo(3, 0);
  });

  it('is what its bytes are, whatever its name says', async () => {
    const flac = await readFile(await files.make('named.flac', ...tone(1)));
    expect(await probe(await files.write('named.txt', flac))).toMatchObject({ format: 'flac' });
    expect(await probe(await files.write('named.m3u8', flac))).toMatchObject({ format: 'flac' });
    expect(await probe(await files.write("-i 'odd %03d*:name", flac))).toMatchObject({ format: 'flac' });
  });

  it('with a cover picture is no video', async () => {
    const cover = await files.make('cover.png', ...pictures(1), '-frames:v', '1');
    const file = await files.make('album.mp3', ...tone(1), '-i', cover, '-map', '0', '-map', '1', '-disposition:v', 'attached_pic');
    expect(await probe(file)).toMatchObject({ codec: 'mp3', hasVideo: false });
  });

  it('with several sound tracks gives the default one', async () => {
    const file = await files.make('tracks.mkv', ...silence(2), ...tone(2), '-map', '0', '-map', '1', '-disposition:a:0', '0', '-disposition:a:1', 'default');
    const media = probe(file);
    expect(await media).toMatchObject({ audioIndex: 1 });
    expect((await decode(file, media)).peak).toBeGreaterThan(1000);
  });

  it('whose sound begins late keeps its time line', async () => {
    const file = await files.make('late.mkv', ...pictures(4), '-itsoffset', '2', ...tone(2));
    expect((await decode(file)).seconds).toBeCloseTo(4, 0);
  });

  it('with a gap in its time stamps keeps its time line', async () => {
    const file = await files.make('gap.mkv', ...tone(4), '-af', "asetpts='PTS+if(gte(T,2),3/TB,0)'");
    expect((await decode(file)).seconds).toBeCloseTo(7, 0);
  });

  test.each(['ogg', 'ts', 'mp3'])('as two %s recordings one after the other is heard to the end', async (extension) => {
    const part = await readFile(await files.make(`part.${extension}`, ...tone(3)));
    expect((await decode(await files.write('joined', Buffer.concat([part, part])))).seconds).toBeCloseTo(6, 0);
  });

  it('without a stated duration is measured by decoding', async () => {
    const file = await files.make('live.webm', ...tone(3), '-c:a', 'libopus', '-f', 'webm', '-live', '1');
    const media = probe(file);
    expect((await media).statedDuration).toBeUndefined();
    expect((await decode(file, media)).seconds).toBeCloseTo(3, 0);
  });

  it('that is cut off gives what there is', async () => {
    const whole = await files.make('whole.wav', ...tone(10));
    expect((await decode(await files.cutOff(whole, 'cut.wav', 0.5))).seconds).toBeCloseTo(5, 0);
  });
});

describe('what is no media', () => {
  it('is media_empty without a byte, or without a sample', async () => {
    await expect(probe(await files.write('empty', ''))).rejects.toEqual(withCode('media_empty'));
    const header = (await readFile(await files.make('short.wav', ...tone(1), '-fflags', '+bitexact'))).subarray(0, 44);
    header.writeUInt32LE(36, 4);
    header.writeUInt32LE(0, 40);
    await expect(decode(await files.write('header.wav', header))).rejects.toEqual(withCode('media_empty'));
  });

  test.each([
    ['a web page', '<!doctype html><html><body>Sign in</body></html>'],
    ['JSON', '{"error":"expired"}'],
    ['text', 'hello, this is plain text\n'.repeat(100)],
    ['an HLS playlist', '#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\nfile:///etc/passwd\n#EXT-X-ENDLIST\n'],
    ['an HLS playlist of an address', '#EXTM3U\n#EXT-X-MEDIA-SEQUENCE:0\n#EXTINF:10,\nhttp://169.254.169.254/\n#EXT-X-ENDLIST\n'],
    ['a concat script', "ffconcat version 1.0\nfile '/etc/passwd'\n"],
    ['a DASH manifest', '<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011" profiles="urn:mpeg:dash:profile:isoff-live:2011"></MPD>'],
    ['a session description', 'v=0\r\no=- 0 0 IN IP4 127.0.0.1\r\ns=x\r\nc=IN IP4 10.0.0.1\r\nt=0 0\r\nm=audio 5004 RTP/AVP 0\r\n'],
    ['a Shoutcast playlist', '[playlist]\nFile1=http://10.0.0.1/\nNumberOfEntries=1\n'],
    ['subtitles', '1\n00:00:01,000 --> 00:00:02,000\nHello\n'],
    ['an SVG picture', '<svg xmlns="http://www.w3.org/2000/svg"><image href="file:///etc/passwd"/></svg>'],
  ])('is media_unsupported: %s', async (_name, content) => {
    await expect(probe(await files.write('source', content))).rejects.toEqual(withCode('media_unsupported'));
  });

  it('is media_unsupported: pictures, archives, noise', async () => {
    const png = await files.make('picture.png', ...pictures(1), '-frames:v', '1');
    const sound = await files.make('stored.mp3', ...tone(5));
    const zip = files.path('stored.zip');
    execFileSync('python3', ['-c', 'import sys, zipfile; zipfile.ZipFile(sys.argv[1], "w").write(sys.argv[2])', zip, sound]);
    const noise = await files.write('noise', Buffer.from(Array.from({ length: 50_000 }, (_, n) => (Math.imul(n + 1, 2654435761) >>> 13) & 255)));
    for (const file of [png, zip, noise]) await expect(probe(file)).rejects.toEqual(withCode('media_unsupported'));
  });

  it('is media_corrupt when an MP4 lost its end, and with it its index', async () => {
    const whole = await files.make('index.mp4', ...pictures(5), ...tone(5));
    await expect(probe(await files.cutOff(whole, 'cut.mp4', 0.5))).rejects.toEqual(withCode('media_corrupt'));
  });

  it('is media_corrupt when only the description of the sound is left', async () => {
    const whole = await files.make('fast.mp4', ...tone(20), '-movflags', '+faststart');
    const content = await readFile(whole);
    const data = content.indexOf('mdat') + 4;
    await expect(decode(await files.write('hollow.mp4', content.subarray(0, data)))).rejects.toEqual(withCode('media_corrupt'));
  });

  it('is media_no_audio when there are only pictures', async () => {
    await expect(probe(await files.make('mute.mp4', ...pictures(2)))).rejects.toEqual(withCode('media_no_audio'));
  });
});

describe('media that cannot be what it says', () => {
  const hours = { ...limits, maxDurationSeconds: 12 * 3600 };

  it('is refused before it is decoded: a rate of 1 Hz, too many channels, a length that its bytes cannot hold', async () => {
    const forged = [wavFile({ rate: 1, bytes: 43_100 }), wavFile({ rate: 8000, channels: 255, bytes: 25_500 }), await flacOfElevenHours(files)];
    for (const content of forged) await expect(probeMedia(decoder, await files.write('forged', content), hours)).rejects.toEqual(withCode('media_implausible'));
  });

  it('is refused when gaps in its time stamps state hours', async () => {
    const file = await files.make('gap.mkv', ...tone(1), '-af', "asetpts='PTS+if(gte(T,0.5),36000/TB,0)'", '-c:a', 'libvorbis');
    await expect(probeMedia(decoder, file, hours)).rejects.toEqual(withCode('media_implausible'));
  });

  test.each([
    ['flac', 8000, []],
    ['opus', 16_000, ['-c:a', 'libopus', '-b:a', '6k', '-dtx', '1', '-frame_duration', '60', '-compression_level', '0']],
    ['ogg', 8000, ['-c:a', 'libvorbis']],
    ['m4a', 8000, ['-b:a', '8k']],
    ['aac', 8000, ['-b:a', '8k']],
    ['wv', 8000, []],
  ])('is not five minutes of honest silence (%s at %i Hz)', async (extension, rate, options) => {
    const file = await files.make(`silent-${rate}.${extension}`, ...silence(300), '-ar', String(rate), ...options);
    expect((await probeMedia(decoder, file, hours)).expectedDuration).toBeGreaterThan(240);
  });
});

describe('media that is too long', () => {
  it('is refused by what it states', async () => {
    const file = await files.make('long.flac', ...silence(120));
    await expect(probeMedia(decoder, file, { ...limits, maxDurationSeconds: 60 })).rejects.toEqual(withCode('media_too_long'));
  });

  it('is refused while it unpacks when it states nothing: a bomb of silence', async () => {
    const file = await files.make('bomb.aac', ...silence(600), '-b:a', '8k');
    expect((await readFile(file)).length).toBeLessThan(500_000);
    let bytes = 0;
    const decoding = (async () => {
      for await (const piece of decodeAudio(decoder, file, await probe(file), { ...limits, maxDurationSeconds: 60 })) bytes += piece.length;
    })();
    await expect(decoding).rejects.toEqual(withCode('media_too_long'));
    expect(bytes).toBeLessThanOrEqual(60 * BYTES_PER_SECOND);
  });
});
