import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  answers,
  content,
  liesAboutLength,
  MediaFiles,
  MediaServer,
  NO_ADD_ONS,
  startParlance,
  type Parlance,
  pictures,
  redirectsTo,
  SAMPLES,
  saysNothing,
  silence,
  stallsAfter,
  type JobAnswer,
  type MediaAnswer,
} from '@parlance/testing';
import { nothingLeft } from './nothing-left.js';

const MAX_BYTES = 2_000_000;
const MAX_SECONDS = 120;
const SETTINGS = {
  SPEECH_ENGINE_URL: 'fixture:',
  SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
  // The media servers run in Jest, which may not answer for seconds.
  MEDIA_SILENCE_SECONDS: '10',
  MEDIA_MAX_BYTES: String(MAX_BYTES),
  MEDIA_MAX_DURATION_SECONDS: String(MAX_SECONDS),
  FETCH_CONCURRENCY: '64',
  DECODE_CONCURRENCY: '32',
  JOBS_ACTIVE_PER_ACCOUNT: '100',
};

/** NO_ADD_ONS in JSON. */
const WITHOUT_ADD_ONS = { diarization: false, summary: false, highlights: false };

const PLAYLIST = '#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\nfile:///etc/passwd\n#EXT-X-ENDLIST\n';
const CONCAT = "ffconcat version 1.0\nfile '/etc/passwd'\nfile 'file:///etc/passwd'\n";
const DASH = '<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011"><Period><AdaptationSet mimeType="audio/mp4"><Representation><BaseURL>file:///etc/passwd</BaseURL></Representation></AdaptationSet></Period></MPD>';

/** Sends for as long as somebody reads. */
const endless: MediaAnswer = (_request, response) => {
  const more = () => {
    while (response.write(Buffer.alloc(65_536, 1)));
    response.once('drain', more);
  };
  response.writeHead(200);
  more();
};

/** [what it is, the job's error code, whether another try may go better] */
type Fault = readonly [name: string, code: string, retryable: boolean];

const SERVER_FAULTS: Record<string, { answer: (talk: Buffer, media: MediaServer) => MediaAnswer; code: string; retryable: boolean }> = {
  'that says nothing': { answer: () => saysNothing, code: 'media_unreachable', retryable: true },
  'that stalls in the middle': { answer: (talk) => stallsAfter(talk, 50_000), code: 'media_timeout', retryable: true },
  'that sends less than it says': { answer: (talk) => liesAboutLength(talk, talk.length * 2), code: 'media_unreachable', retryable: true },
  'that says less than it sends': { answer: (talk) => liesAboutLength(talk, 100), code: 'media_unsupported', retryable: false },
  'that redirects to the metadata address': { answer: () => redirectsTo('http://169.254.169.254/latest/meta-data/'), code: 'address_forbidden', retryable: false },
  'that redirects to a private address': { answer: () => redirectsTo('http://10.0.0.1/talk.mp3', 307), code: 'address_forbidden', retryable: false },
  'that redirects to a mapped address': { answer: () => redirectsTo('http://[::ffff:169.254.169.254]/talk.mp3', 308), code: 'address_forbidden', retryable: false },
  'that redirects to a file': { answer: () => redirectsTo('file:///etc/passwd'), code: 'media_unreachable', retryable: false },
  'that redirects to itself': { answer: (_talk, media) => redirectsTo(media.url('/that-redirects-to-itself')), code: 'media_unreachable', retryable: false },
  'that redirects twice, the second time to link-local': {
    answer: (_talk, media) => redirectsTo(media.at('/second-hop', redirectsTo('http://[fe80::1]/'))),
    code: 'address_forbidden',
    retryable: false,
  },
  'that does not know the address': { answer: () => answers(404, 'not here', 'text/plain'), code: 'media_unreachable', retryable: false },
  'that is out of order': { answer: () => answers(503, 'later', 'text/plain'), code: 'media_unreachable', retryable: true },
  'that answers HTML': { answer: () => answers(200, '<!doctype html><title>Log in</title><p>Please log in.', 'audio/mpeg'), code: 'media_unsupported', retryable: false },
  'that answers a JSON error': { answer: () => answers(200, '{"error": "quota exceeded"}', 'audio/mpeg'), code: 'media_unsupported', retryable: false },
  'that answers an empty file': { answer: () => answers(200, '', 'audio/mpeg'), code: 'media_empty', retryable: false },
  'that answers a playlist': { answer: () => answers(200, PLAYLIST, 'application/vnd.apple.mpegurl'), code: 'media_unsupported', retryable: false },
  'that answers a list of files to join': { answer: () => answers(200, CONCAT, 'audio/mpeg'), code: 'media_unsupported', retryable: false },
  'that answers a DASH manifest': { answer: () => answers(200, DASH, 'application/dash+xml'), code: 'media_unsupported', retryable: false },
  'that says its file is too large': { answer: () => (_request, response) => void response.writeHead(200, { 'content-length': 10 ** 12 }).flushHeaders(), code: 'media_too_large', retryable: false },
  'that never ends': { answer: () => endless, code: 'media_too_large', retryable: false },
};

const FILE_FAULTS: readonly Fault[] = [
  ['text named .mp3', 'media_unsupported', false],
  ['random bytes named .wav', 'media_unsupported', false],
  ['an archive named .mp4', 'media_unsupported', false],
  ['a cut off MP4', 'media_corrupt', false],
  ['a video without sound', 'media_no_audio', false],
  ['a small file of long silence', 'media_too_long', false],
  ['a small file of long silence that does not say so', 'media_too_long', false],
];

async function faultyFiles(files: MediaFiles): Promise<Record<string, string>> {
  const video = await files.make('video.mp4', ...pictures(3), '-i', SAMPLES.reading.path, '-shortest', '-c:a', 'aac');
  const bomb = await files.make('bomb.flac', ...silence(MAX_SECONDS * 20));
  const silent = await readFile(bomb);
  // The count of samples in STREAMINFO (RFC 9639, section 8.2): 0 says that it is not known.
  silent.writeUInt8(silent.readUInt8(21) & 0xf0, 21);
  silent.fill(0, 22, 26);
  return {
    'text named .mp3': await files.write('text.mp3', 'This is only a text, whatever its name says.\n'.repeat(200)),
    'random bytes named .wav': await files.write('random.wav', Buffer.from(Array.from({ length: 40_000 }, (_, index) => (index * 7919 + ((index * index) >> 3)) & 0xff))),
    'an archive named .mp4': await files.write('archive.mp4', Buffer.concat([Buffer.from('504b0304140000000800', 'hex'), Buffer.alloc(4000, 0x61)])),
    'a cut off MP4': await files.cutOff(video, 'cut.mp4', 0.7),
    'a video without sound': await files.make('mute.mp4', ...pictures(3)),
    'a small file of long silence': bomb,
    'a small file of long silence that does not say so': await files.write('silent.flac', silent),
  };
}

let parlance: Parlance;
let media: MediaServer;
const opened = new AsyncDisposableStack();

beforeAll(async () => {
  media = opened.use(await MediaServer.start());
  parlance = opened.use(await startParlance({ env: SETTINGS }));
});
afterAll(() => opened.disposeAsync());

describe('media that cannot be transcribed', () => {
  const jobs: Record<string, JobAnswer> = {};

  beforeAll(async () => {
    await using files = await MediaFiles.create();
    const { api } = parlance;
    const talk = await readFile(SAMPLES.reading.path);
    const submitted = new Map<string, string>();
    for (const [name, { answer }] of Object.entries(SERVER_FAULTS)) {
      submitted.set(name, await api.submit({ audio_url: media.at(`/${name.replaceAll(' ', '-')}`, answer(talk, media)), ...WITHOUT_ADD_ONS }));
    }
    for (const [name, path] of Object.entries(await faultyFiles(files))) submitted.set(name, await api.upload(path));
    await Promise.all([...submitted].map(async ([name, jobId]) => void (jobs[name] = await api.terminal(jobId))));
  });

  const failed = (code: string, retryable: boolean) => ({
    status: 'failed',
    error: { code, retryable, message: expect.stringMatching(/^[A-Z][^\n]+\.$/) },
    stages: { ingest: { status: 'failed', error: { code } }, transcription: { status: 'canceled' } },
  });

  it.each(Object.entries(SERVER_FAULTS))('a media server %s fails the job by name', (name, { code, retryable }) => {
    expect(jobs[name]).toMatchObject(failed(code, retryable));
  });

  it.each(FILE_FAULTS)('%s fails the job with %s', (name, code, retryable) => {
    expect(jobs[name]).toMatchObject(failed(code, retryable));
  });

  it('is never named in an error, nor what it led to', () => {
    for (const { error } of Object.values(jobs)) {
      expect(error?.message).not.toMatch(/127\.0\.0\.1|169\.254|passwd|root:|\/tmp\/|\/home\/|scratch|ffmpeg|ffprobe/);
    }
  });

  it('has a code with a page that explains it', async () => {
    const pages = await Promise.all(Object.values(jobs).map(async ({ error }) => (await fetch(`${parlance.api.url}/problems/${error?.code}`)).text()));
    for (const page of pages) expect(page).toContain('Codes of failed jobs and stages');
  });

  it('leaves no audio, no temporary file and no program behind', async () => {
    await nothingLeft(parlance);
    for (const { job_id: jobId } of Object.values(jobs)) {
      expect((await parlance.media(jobId)).filter((object) => object !== 'source')).toEqual([]);
    }
    for (const name of Object.keys(SERVER_FAULTS).filter((server) => /says nothing|stalls|less than it says|too large|never ends|redirects/.test(server))) {
      expect(await parlance.media(jobs[name]?.job_id ?? '')).toEqual([]);
    }
  });

  it('fails again in a retry while nothing has changed, and completes once it has', async () => {
    const { api } = parlance;
    const name = 'that is out of order';
    const jobId = jobs[name]?.job_id ?? '';
    media.at(`/${name.replaceAll(' ', '-')}`, content(await readFile(SAMPLES.reading.path)));
    expect((await api.retry(jobId)).status).toBe(202);
    const { status, error, transcript } = await api.terminal(jobId);
    expect({ status, error }).toEqual({ status: 'completed', error: undefined });
    expect(transcript?.text).toMatch(/\w/);
  });
});

describe('media whose server wants a header', () => {
  const SECRET = 'Bearer spoken-for-nobody-else';
  const guarded = (talk: Buffer): MediaAnswer => (...exchange) => (exchange[0].headers.authorization === SECRET ? content(talk) : answers(401, 'who are you?', 'text/plain'))(...exchange);
  const addOns = { diarization: false, summary: false, highlights: false };

  it('is fetched with it, and the header is shown nowhere', async () => {
    const { api } = parlance;
    const url = media.at('/guarded', guarded(await readFile(SAMPLES.reading.path)));
    const jobId = await api.submit({ audio_url: url, audio_headers: { Authorization: SECRET }, ...addOns });
    const job = await api.terminal(jobId);
    expect(job.status).toBe('completed');
    expect(JSON.stringify([job, await api.json('/events'), await parlance.log()])).not.toContain('spoken-for-nobody-else');
  });

  it('fails the job with media_unauthorized when the header is wrong', async () => {
    const { api } = parlance;
    const url = media.at('/guarded', guarded(await readFile(SAMPLES.reading.path)));
    const wrong = await api.terminal(await api.submit({ audio_url: url, audio_headers: { Authorization: 'Bearer wrong' }, ...addOns }));
    expect(wrong).toMatchObject({ status: 'failed', error: { code: 'media_unauthorized', retryable: false } });
    const without = await api.terminal(await api.submit({ audio_url: url, ...addOns }));
    expect(without).toMatchObject({ status: 'failed', error: { code: 'media_unreachable', retryable: false } });
  });
});

describe('media whose server breaks off', () => {
  it('comes in whole, each range where the one before ended', async () => {
    const talk = await readFile(SAMPLES.reading.path);
    const url = media.at('/talk', content(talk, { breakAfter: 50_000 }));
    const { api } = parlance;
    const broken = await api.terminal(await api.submit({ audio_url: url, ...WITHOUT_ADD_ONS }));
    const whole = await api.terminal(await api.upload(SAMPLES.reading.path, NO_ADD_ONS));
    expect(broken).toMatchObject({ status: 'completed', media: whole.media, transcript: { text: whole.transcript?.text } });
    const ranges = media.ranges('/talk').map((range) => Number(/^bytes=(\d+)-$/.exec(range ?? 'bytes=0-')?.[1]));
    expect(ranges.length).toBeGreaterThanOrEqual(3);
    expect(ranges).toEqual(ranges.toSorted((a, b) => a - b));
  });

  it('is transcribed as far as it goes when the file itself is cut off, or the server says it ends sooner, with a warning', async () => {
    await using files = await MediaFiles.create();
    const streamable = await files.make('talk.mp4', '-i', SAMPLES.meeting.path, '-c:a', 'aac', '-movflags', '+faststart');
    const jobId = await parlance.api.upload(await files.cutOff(streamable, 'part.mp4', 0.5), NO_ADD_ONS);
    const job = await parlance.api.terminal(jobId);
    expect(job.status).toBe('completed');
    expect(job.warnings).toContainEqual({ code: 'media_truncated', message: expect.any(String) });
    expect(job.transcript?.duration).toBeLessThan(SAMPLES.meeting.duration * 0.7);

    const shortened = media.at('/shortened', liesAboutLength(await readFile(SAMPLES.reading.path), 60_000));
    const short = await parlance.api.terminal(await parlance.api.submit({ audio_url: shortened, ...WITHOUT_ADD_ONS }));
    expect(short).toMatchObject({ status: 'completed', warnings: expect.arrayContaining([{ code: 'media_truncated', message: expect.any(String) }]) });
    expect(short.media).toMatchObject({ size_bytes: 60_000 });
  });
});

describe('a recording in any container', () => {
  const CONTAINERS = [
    ['mp3', ['-b:a', '64k'], 'mp3'],
    ['wav', [], 'wav'],
    ['mp4', ['-c:a', 'aac'], 'mp4'],
    ['mov', ['-c:a', 'pcm_s16le'], 'mov'],
    ['avi', ['-c:a', 'pcm_s16le'], 'avi'],
    ['flac', [], 'flac'],
    ['ogg', ['-c:a', 'libopus'], 'ogg'],
    ['m4a', ['-c:a', 'aac'], 'm4a'],
    ['webm', ['-c:a', 'libopus'], 'webm'],
    ['mkv', ['-c:a', 'flac'], 'matroska'],
  ] as const;

  it('comes back, whatever its name says', async () => {
    await using files = await MediaFiles.create();
    await files.makeAll(['-i', SAMPLES.reading.path], CONTAINERS.map(([name, options]) => [`talk.${name}`, ...options]));
    const jobs = await Promise.all(
      CONTAINERS.map(async ([name]) => {
        const misnamed = await files.write(`${name}.txt`, await readFile(files.path(`talk.${name}`)));
        return parlance.api.terminal(await parlance.api.upload(misnamed, NO_ADD_ONS));
      }),
    );
    for (const [index, job] of jobs.entries()) {
      const format = CONTAINERS[index]?.[2] ?? '';
      expect(job).toMatchObject({ status: 'completed', media: { format: expect.stringContaining(format), has_video: false } });
      expect(job.transcript?.text).toMatch(/\w/);
      expect(Math.abs((job.transcript?.duration ?? 0) - SAMPLES.reading.duration)).toBeLessThanOrEqual(0.5);
    }
    const lossless = jobs.filter((_, index) => ['wav', 'mov', 'avi', 'flac', 'mkv'].includes(CONTAINERS[index]?.[0] ?? ''));
    expect(new Set(lossless.map(({ transcript }) => transcript?.text)).size).toBe(1);
  });
});
