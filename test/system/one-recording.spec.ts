import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { wordErrorRate } from '@parlance/engines';
import { content, eventually, MediaFiles, MediaServer, NO_ADD_ONS, noise, startParlance, type Parlance, SAMPLES, silence, tone, type JobAnswer } from '@parlance/testing';
import { nothingLeft } from './nothing-left.js';

/** Four in a hundred above what samples/README.md measured. */
const MAX_WER = { meeting: 0.09, reading: 0.08, report: 0.04 } as const;
/** The recogniser runs below normal priority: beside other work it gets what that leaves. */
const PATIENCE_MS = 280_000;
const NAMES = ['meeting', 'reading', 'report'] as const;
type Name = (typeof NAMES)[number];
/** Eight seconds of a plucked tune over a chord: four notes a second, each with overtones, dying away. */
const NOTE = '220*pow(2\\,mod(floor(4*t)*5\\,12)/12)';
const MUSIC = `aevalsrc=exp(-6*mod(t\\,0.25))*(0.3*sin(2*PI*${NOTE}*t)+0.15*sin(4*PI*${NOTE}*t)+0.08*sin(6*PI*${NOTE}*t))+0.1*sin(2*PI*110*t)+0.07*sin(2*PI*165*t):d=8:s=16000`;
/** Without add-ons, and with words for a vocabulary that this recogniser does not take. */
const BARE = { ...NO_ADD_ONS, vocabulary: JSON.stringify(['amiable']) };
/** One recognition each. `media-faults` compares the transcript of an address with that of the same upload. */
const WORK = [
  ['upload', 'meeting'],
  ['upload', 'reading'],
  ['address', 'report'],
] as const;

interface Asked {
  title?: string;
  expires_at?: string;
  links: Record<string, string>;
}

const JSON_BODY = { 'content-type': 'application/json' };

describe('a recording with the built-in recogniser', () => {
  let parlance: Parlance;
  let media: MediaServer;
  const jobs = new Map<Name, Promise<JobAnswer>>();
  const opened = new AsyncDisposableStack();
  const job = async (name: Name) => (await jobs.get(name)) as JobAnswer;

  beforeAll(async () => {
    media = opened.use(await MediaServer.start());
    parlance = opened.use(await startParlance());
    const { api } = parlance;
    const submit = {
      upload: (path: string) => api.upload(path, path === SAMPLES.reading.path ? BARE : {}),
      address: async (path: string) => {
        const url = media.at(`/${basename(path)}`, content(await readFile(path), { type: 'text/html' }));
        return api.submit({ audio_url: `${url}?token=secret` });
      },
    };
    for (const [way, name] of WORK) jobs.set(name, api.terminal(await submit[way](SAMPLES[name].path), PATIENCE_MS));
    await Promise.all(jobs.values());
  }, PATIENCE_MS + 10_000);
  afterAll(() => opened.disposeAsync());

  it.each(WORK)('by %s: %s comes back with its words', async (_way, name) => {
    const { status, transcript, stages } = await job(name);
    expect(status).toBe('completed');
    expect(stages.ingest?.status).toBe('completed');
    expect(stages.transcription?.status).toBe('completed');
    expect(wordErrorRate(SAMPLES[name].reference, transcript?.text ?? '').rate).toBeLessThanOrEqual(MAX_WER[name]);
  });

  it('has the bytes of the file by address, whatever type its server states', async () => {
    const { media: described } = await job('report');
    expect(described).toMatchObject({ sha256: createHash('sha256').update(await readFile(SAMPLES.report.path)).digest('hex') });
  });

  it.each(NAMES)('%s has segments one after the other, inside its duration', async (name) => {
    const { transcript, media: described } = await job(name);
    const { duration = 0, segments = [] } = transcript ?? {};
    expect(Math.abs(duration - SAMPLES[name].duration)).toBeLessThanOrEqual(1);
    expect(described).toMatchObject({ duration, has_video: name === 'report', sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
    const times = segments.flatMap(({ start, end }) => [start, end]);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(times.at(-1)).toBeLessThanOrEqual(duration);
    expect(segments.map(({ text }) => text).join(' ')).toBe(transcript?.text.replaceAll(/\s+/g, ' '));
  });

  it('has a summary and highlights, each item with words that were said', async () => {
    const { job_id: jobId, stages, transcript } = await job('meeting');
    for (const stage of ['summary', 'highlights']) expect(stages[stage]).toMatchObject({ status: 'completed', engine: 'extractive' });
    type Item = { evidence: { segment_id: string; start: number; end: number; quote: string }[] };
    const summary = await parlance.api.json<{ text: string; action_items: Item[] }>(`/transcriptions/${jobId}/summary`);
    const highlights = await parlance.api.json<{ key_moments: Item[]; quotes: Item[]; sentiment: { overall: { label: string } } }>(`/transcriptions/${jobId}/highlights`);
    expect(summary.text).toMatch(/\w+/);
    expect(highlights.sentiment.overall.label).toMatch(/positive|neutral|negative/);
    const evidence = [...summary.action_items, ...highlights.key_moments, ...highlights.quotes].flatMap((item) => item.evidence);
    expect(evidence.length).toBeGreaterThan(0);
    const segments = new Map(transcript?.segments.map((segment) => [segment.segment_id, segment]));
    for (const { segment_id: id, start, quote } of evidence) {
      expect(segments.get(id)).toMatchObject({ start });
      expect(transcript?.text).toContain(quote);
    }
  });

  it('has every add-on, without a warning', async () => {
    const { stages, warnings } = await job('meeting');
    for (const stage of ['diarization', 'summary', 'highlights', 'search']) expect(stages[stage]).toMatchObject({ status: 'completed' });
    expect(warnings).toEqual([]);
  });

  it('without add-ons warns of nothing but the vocabulary, which was not used', async () => {
    const { stages, warnings } = await job('reading');
    for (const stage of ['diarization', 'summary', 'highlights']) expect(stages[stage]).toMatchObject({ status: 'skipped' });
    expect(warnings.filter(({ message }) => !message.includes('search'))).toEqual([{ code: 'vocabulary_unsupported', message: expect.any(String) }]);
  });

  it('keeps no secret of the address', async () => {
    const { audio_url: url } = await job('report');
    expect(url).toBe(media.url('/report.mp4'));
    expect(await parlance.log()).not.toContain('token=secret');
  });

  it('gives words with times only when asked, and no transcript when asked', async () => {
    const { job_id: jobId, transcript: plain } = await job('report');
    expect(plain?.segments.some((segment) => 'words' in segment)).toBe(false);
    const { transcript } = await parlance.api.job(jobId, '?include=words');
    for (const { start, end, text, words = [] } of transcript?.segments ?? []) {
      const times = [start, ...words.flatMap((word) => [word.start, word.end]), end];
      expect(times).toEqual(times.toSorted((a, b) => a - b));
      expect(words.map((word) => word.text).join(' ')).toBe(text);
    }
    expect(await parlance.api.job(jobId, '?include=none')).not.toHaveProperty('transcript');
  });

  it('is given as text, captions and JSON', async () => {
    const { job_id: jobId, transcript } = await job('report');
    const words = (text: string) => text.split(/\s+/).filter((word) => word !== '');
    const [txt, srt, vtt, json] = await Promise.all((['txt', 'srt', 'vtt', 'json'] as const).map((format) => parlance.api.transcript(jobId, format, format === 'vtt' ? '&speakers=false' : '')));
    expect(words(txt ?? '')).toEqual(words(transcript?.text ?? ''));
    expect(srt).toMatch(/^1\r?\n00:00:0\d,\d{3} --> 00:00:\d\d,\d{3}\r?\n\S/);
    expect(vtt).toMatch(/^WEBVTT\n\n/);
    const captionWords = (captions = '') => words(captions.split(/\r?\n/).filter((line) => !/^(\d+|WEBVTT.*|.*-->.*)$/.test(line)).join(' '));
    expect(captionWords(srt)).toEqual(words(transcript?.text ?? ''));
    expect(captionWords(vtt)).toEqual(words(transcript?.text ?? ''));
    expect(JSON.parse(json ?? '')).toMatchObject({ duration: transcript?.duration, segments: expect.any(Array) });
  });

  it('is given by Accept as well, as a file to save', async () => {
    const { job_id: jobId } = await job('report');
    const response = await parlance.api.request('GET', `/transcriptions/${jobId}/transcript`, { headers: { accept: 'text/vtt' } });
    expect(response.headers.get('content-type')).toMatch(/^text\/vtt/);
    expect(response.headers.get('content-disposition')).toMatch(/filename=.*\.vtt/);
    expect(await response.text()).toMatch(/^WEBVTT/);
  });

  it.each([
    ['docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'PK'],
    ['pdf', 'application/pdf', '%PDF-'],
    ['ttml', 'application/ttml+xml; charset=utf-8', '<\\?xml[^]*<p begin="00:00:0'],
    ['ass', 'text/x-ssa; charset=utf-8', '\\[Script Info\\][^]*\nDialogue: 0,0:00:0'],
    ['md', 'text/markdown; charset=utf-8', '# [^]*\\n\\n\\(00:00:0'],
    ['stl', 'application/x-ebu-stl', '850STL25\\.01000'],
  ])('is given as a file of its type: %s', async (format, type, beginning) => {
    const { job_id: jobId } = await job('report');
    const response = await parlance.api.request('GET', `/transcriptions/${jobId}/transcript?format=${format}`);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, type]);
    expect(response.headers.get('content-disposition')).toContain(`${jobId}.${format}`);
    expect(await response.text()).toMatch(new RegExp(`^${beginning}`));
  });

  it('is written by a template, and says where a template is wrong', async () => {
    const { job_id: jobId, transcript } = await job('report');
    const written = (template: string, format = 'md') => parlance.api.request('GET', `/transcriptions/${jobId}/export/${format}?template=${encodeURIComponent(template)}`);
    const text = await (await written('{% for p in paragraphs %}{{ p.start | clock }} {{ p.text }}\n{% endfor %}')).text();
    expect(text.replaceAll(/^\d\d:\d\d:\d\d /gm, '').split(/\s+/).filter(Boolean)).toEqual(transcript?.text.split(/\s+/));
    for (const [template, format, detail] of [
      ['# {{ title }}\n{% if %}', 'md', 'Line 2, column 6'],
      ['{% for a in (1..99999999) %}x{% endfor %}', 'md', 'Line 1, column '],
      ['{{ title }}', 'pdf', 'Only the format md'],
    ] as const) {
      const refused = await written(template, format);
      expect([refused.status, await refused.json()]).toEqual([422, expect.objectContaining({ errors: [expect.objectContaining({ pointer: '?template', detail: expect.stringContaining(detail) })] })]);
    }
  });

  const SOUNDS: [name: string, input: string[], options: Record<string, string>][] = [
    ['silence', silence(8), {}],
    ['white noise', noise(8), NO_ADD_ONS],
    ['a tone', tone(8), NO_ADD_ONS],
    ['music', ['-f', 'lavfi', '-i', MUSIC], NO_ADD_ONS],
    ['a sweep of tones', ['-f', 'lavfi', '-i', 'aevalsrc=0.5*sin(2*PI*(200+100*t)*t):d=8:s=16000'], NO_ADD_ONS],
  ];

  it.each(SOUNDS)('in which nobody speaks completes with an empty transcript: %s', async (_name, input, options) => {
    await using files = await MediaFiles.create();
    const { api } = parlance;
    const jobId = await api.upload(await files.make('sound.wav', ...input), options);
    const quiet = await api.terminal(jobId);
    expect(quiet).toMatchObject({ status: 'completed', transcript: { text: '', segments: [] }, media: { duration: 8 } });
    expect(await api.transcript(jobId, 'txt')).toBe('');
    expect(await api.transcript(jobId, 'vtt')).toMatch(/^WEBVTT\s*$/);
  });

  it('says what was asked for and takes a title, metadata and a retention later; search knows the new metadata', async () => {
    const { job_id: jobId } = await job('reading');
    const read = await parlance.api.json<Asked>(`/transcriptions/${jobId}?include=none`);
    expect(read).toMatchObject({ options: { summary: { enabled: false }, vocabulary: ['amiable'] }, links: { media: `/api/v1/transcriptions/${jobId}/media` } });
    const changes = { title: 'Évening reading', metadata: { shelf: 'poems' }, recorded_at: '2026-03-01', retention_hours: 1000 };
    const answer = await parlance.api.request('PATCH', `/transcriptions/${jobId}`, { body: JSON.stringify(changes), headers: JSON_BODY });
    const changed = (await answer.json()) as Asked;
    expect(changed).toMatchObject({ title: 'Évening reading', metadata: { shelf: 'poems' }, recorded_at: '2026-03-01T00:00:00.000Z', expires_at: expect.any(String) });
    expect((await parlance.api.json<{ data: { job_id: string }[] }>('/transcriptions?q=even')).data.map((found) => found.job_id)).toEqual([jobId]);
    await eventually('search to find it by its metadata', async () => (await parlance.api.json<{ data: { job_id: string }[] }>('/search?q=the&metadata=shelf:poems')).data.some((hit) => hit.job_id === jobId));
    expect((await parlance.api.request('PATCH', `/transcriptions/${jobId}`, { body: '{"title":null}', headers: { ...JSON_BODY, 'if-match': 'W/"1"' } })).status).toBe(412);
  });

  it('gives the recording back, whole or by range, and its waveform', async () => {
    const { job_id: jobId } = await job('meeting');
    const path = `/transcriptions/${jobId}/media`;
    const file = await readFile(SAMPLES.meeting.path);
    const whole = await parlance.api.request('GET', path);
    expect([whole.status, Buffer.from(await whole.arrayBuffer()).equals(file)]).toEqual([200, true]);
    expect(whole.headers.get('content-type')).toMatch(/^audio\//);
    expect(whole.headers.get('content-disposition')).toContain(`filename*=UTF-8''`);
    const head = await parlance.api.request('HEAD', path);
    expect([head.status, head.headers.get('content-length'), head.headers.get('etag')]).toEqual([200, String(file.length), whole.headers.get('etag')]);
    const part = await parlance.api.request('GET', path, { headers: { range: 'bytes=100-299' } });
    expect([part.status, part.headers.get('content-range'), Buffer.from(await part.arrayBuffer()).equals(file.subarray(100, 300))]).toEqual([206, `bytes 100-299/${file.length}`, true]);
    const outside = await parlance.api.request('GET', path, { headers: { range: `bytes=${file.length}-` } });
    expect([outside.status, outside.headers.get('content-range')]).toEqual([416, `bytes */${file.length}`]);
    const waveform = await parlance.api.json<{ points: number; min: number[]; max: number[] }>(`/transcriptions/${jobId}/waveform?points=200`);
    expect([waveform.points, waveform.min.length, waveform.max.length]).toEqual([200, 200, 200]);
    expect(Math.max(...waveform.max)).toBeGreaterThan(0.05);
    expect(Math.min(...waveform.min)).toBeLessThan(-0.05);
  });

  it('gives a stretch of the recording, and the whole by a link without a key', async () => {
    const { job_id: jobId } = await job('meeting');
    const { media: about } = await parlance.api.json<{ media: { duration: number } }>(`/transcriptions/${jobId}?include=none`);
    const behind = Math.ceil(about.duration) + 1;
    const clip = await parlance.api.request('GET', `/transcriptions/${jobId}/media/clip?start=1&end=3.5&format=ogg`);
    const bytes = Buffer.from(await clip.arrayBuffer());
    expect([clip.status, clip.headers.get('content-type'), bytes.subarray(0, 4).toString()]).toEqual([200, 'audio/ogg', 'OggS']);
    for (const [query, pointer] of [['start=2&end=1', '?end'], ['start=0&end=601', '?end'], [`start=${behind}&end=${behind + 1}`, '?start']]) {
      const refused = await parlance.api.request('GET', `/transcriptions/${jobId}/media/clip?${query}`);
      expect([query, refused.status, ((await refused.json()) as { errors?: { pointer: string }[] }).errors?.[0]?.pointer]).toEqual([query, 422, pointer]);
    }
    const link = (await (await parlance.api.post(`/transcriptions/${jobId}/links`, { what: 'media' })).json()) as { url: string };
    const opened = await fetch(link.url, { headers: { range: 'bytes=100-299' } });
    expect([opened.status, Buffer.from(await opened.arrayBuffer()).equals((await readFile(SAMPLES.meeting.path)).subarray(100, 300))]).toEqual([206, true]);
  });

  it('makes add-ons that are ordered after its end, and announces them', async () => {
    const { job_id: jobId } = await job('reading');
    await eventually('the job to be at rest', async () => Object.values((await parlance.api.job(jobId)).stages).every(({ status }) => status !== 'pending' && status !== 'running'));
    const ordered = await parlance.api.post(`/transcriptions/${jobId}/add-ons`, { summary: { format: 'bullets' } });
    expect([ordered.status, await ordered.json()]).toEqual([202, expect.objectContaining({ status: 'completed' })]);
    await eventually('the summary', async () => (await parlance.api.request('GET', `/transcriptions/${jobId}/summary`)).status === 200);
    const announced = await eventually('the event', async () => {
      const { data } = await parlance.api.json<{ data: { type: string; data: { job_id: string; stage?: string } }[] }>('/events?limit=100');
      return data.find(({ type, data: about }) => type === 'transcription.add_on_completed' && about.job_id === jobId);
    });
    expect(announced?.data.stage).toBe('summary');
  });


  it('leaves no program and no temporary file behind', () => nothingLeft(parlance));
});
