import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { common, events, transcription } from '@parlance/contracts';
import { openMediaStore } from '@parlance/storage';
import type { SpeakerTurn } from '@parlance/transcript';
import { ACCOUNT, TranscriptionHarness } from './transcription-harness.js';

const { TRANSCRIPT_FORMAT_TXT, TRANSCRIPT_FORMAT_VTT } = transcription.TranscriptFormat;
/** The recording has 20 seconds. */
const TURNS: SpeakerTurn[] = [
  { start: 0, end: 8, speakerId: 'S1' },
  { start: 8, end: 14, speakerId: 'S2' },
  { start: 14, end: 20, speakerId: 'S3' },
];

describe('speakers in transcripts', () => {
  let harness: TranscriptionHarness;
  beforeAll(async () => {
    harness = await TranscriptionHarness.start();
  });
  afterAll(() => harness[Symbol.asyncDispose]());

  const turnsReady = async (jobId: string, { run = 1, content = JSON.stringify({ jobId, turns: TURNS }) } = {}) => {
    const turnsKey = `${ACCOUNT}/${jobId}/speakers/1.json`;
    const store = await openMediaStore(`file:${join(harness.service.dataFolder, 'media')}`);
    await store.put(turnsKey, one(new TextEncoder().encode(content)));
    const data = events.DiarizationCompleted.fromPartial({ jobId, accountId: ACCOUNT, run, turnsKey, speakerCount: 3, turnCount: 3, engine: 'fixture' });
    await harness.service.publish({ type: 'diarization.completed', data });
  };
  const stageEnds = (jobId: string) => harness.heard('stage.finished', jobId).filter(({ stage }) => stage === common.Stage.STAGE_DIARIZATION);
  const spokenText = async (jobId: string) =>
    (await harness.transcript(jobId)).segments.map(({ speakerId, segmentId, text }) => ({ speakerId, text, base: segmentId.slice(0, 10) }));
  const transcribe = async (jobId: string) => {
    const plan = await harness.storeMedia(jobId);
    await harness.mediaReady(plan);
    await harness.requestAll(plan);
    await harness.awaitEvent('transcript.completed', jobId);
  };

  it('are the same whether the words come first or the turns', async () => {
    await transcribe('job_words');
    const before = await harness.transcript('job_words');
    expect(before.header).toMatchObject({ speakers: [], version: 1 });
    await turnsReady('job_words');
    const changed = await harness.awaitEvent('transcript.speakers_changed', 'job_words');
    expect(changed).toMatchObject({ version: 2, change: 'SPEAKERS_CHANGE_FOUND', speakerIds: ['S1', 'S2', 'S3'] });

    await turnsReady('job_turns');
    const plan = await harness.storeMedia('job_turns');
    await harness.mediaReady(plan);
    await harness.requestAll(plan);
    await harness.awaitEvent('stage.finished', 'job_turns');

    const [late, early] = [await spokenText('job_words'), await spokenText('job_turns')];
    expect(late).toEqual(early);
    expect(new Set(late.map(({ speakerId }) => speakerId))).toEqual(new Set(['S1', 'S2', 'S3']));
    for (const jobId of ['job_words', 'job_turns']) {
      await harness.awaitEvent('stage.finished', jobId);
      expect(stageEnds(jobId)).toMatchObject([{ run: 1, status: 'STAGE_STATUS_COMPLETED', engine: 'fixture' }]);
      expect((await harness.transcript(jobId)).header?.speakers).toMatchObject([{ speakerId: 'S1', name: 'Speaker 1', talkTime: 8 }, { speakerId: 'S2' }, { speakerId: 'S3' }]);
    }
    expect(harness.heard('transcript.speakers_changed', 'job_turns')).toEqual([]);
  });

  it('have the end of their stage reported again when diarization asks again, as it may be lost', async () => {
    await turnsReady('job_turns');
    await harness.awaitEvent('stage.finished', 'job_turns', 2);
    expect(stageEnds('job_turns')).toMatchObject([{ run: 1, status: 'STAGE_STATUS_COMPLETED' }, { run: 1, status: 'STAGE_STATUS_COMPLETED', engine: 'fixture' }]);
    expect((await harness.transcript('job_turns')).header?.version).toBe(1);
  });

  it('are told to a later run that asks again, and found only once', async () => {
    await turnsReady('job_words', { run: 2 });
    await harness.awaitEvent('stage.finished', 'job_words', 2);
    expect(stageEnds('job_words').at(-1)).toMatchObject({ run: 2, status: 'STAGE_STATUS_COMPLETED' });
    expect((await harness.transcript('job_words')).header?.version).toBe(2);
  });

  it('are named and merged everywhere at once', async () => {
    const { client } = harness;
    const ref = { accountId: ACCOUNT, jobId: 'job_turns', ifMatch: [] };
    const named = await client.renameSpeaker({ ...ref, speakerId: 'S2', name: 'Ada <Lovelace>' });
    expect(named.speaker).toMatchObject({ speakerId: 'S2', name: 'Ada <Lovelace>' });
    expect(await harness.render('job_turns', TRANSCRIPT_FORMAT_TXT)).toMatch(/^Speaker 1: .*\n\nAda <Lovelace>: .*\n\nSpeaker 3: /);
    expect(await harness.render('job_turns', TRANSCRIPT_FORMAT_VTT)).toContain('<v Ada &lt;Lovelace&gt;>');

    const { speakers } = await client.mergeSpeakers({ ...ref, from: 'S3', into: 'S2' });
    expect(speakers).toEqual([
      { speakerId: 'S1', name: 'Speaker 1', talkTime: 8 },
      { speakerId: 'S2', name: 'Ada <Lovelace>', talkTime: 12 },
    ]);
    const { segments, header } = await harness.transcript('job_turns');
    expect(new Set(segments.flatMap(({ words }) => words.map(({ speakerId }) => speakerId)))).toEqual(new Set(['S1', 'S2']));
    expect(header).toMatchObject({ version: 3, speakers });
    expect(await harness.render('job_turns', TRANSCRIPT_FORMAT_TXT)).not.toContain('Speaker 3');

    await harness.awaitEvent('transcript.speakers_changed', 'job_turns', 2);
    expect(harness.heard('transcript.speakers_changed', 'job_turns')).toMatchObject([
      { version: 2, change: 'SPEAKERS_CHANGE_RENAMED', speakerIds: ['S1', 'S2', 'S3'] },
      { version: 3, change: 'SPEAKERS_CHANGE_MERGED', speakerIds: ['S1', 'S2'], mergedFrom: 'S3', mergedInto: 'S2' },
    ]);
  });

  it('change nothing when asked for what is, and are nobody else’s', async () => {
    const { client } = harness;
    const ref = { accountId: ACCOUNT, jobId: 'job_turns', ifMatch: [] };
    await client.renameSpeaker({ ...ref, speakerId: 'S2', name: 'Ada <Lovelace>' });
    await client.mergeSpeakers({ ...ref, from: 'S3', into: 'S2' });
    expect((await harness.transcript('job_turns')).header?.version).toBe(3);
    const wrong = [
      client.renameSpeaker({ ...ref, speakerId: 'S3', name: 'gone' }),
      client.renameSpeaker({ ...ref, accountId: 'acc_2', speakerId: 'S1', name: 'mine' }),
      client.mergeSpeakers({ ...ref, from: 'S9', into: 'S1' }),
      client.listSpeakers({ ...ref, accountId: 'acc_2' }),
    ];
    for (const call of wrong) await expect(call).rejects.toMatchObject({ kind: 'not_found' });
    const unknown = [{ from: 'S9', into: 'S1' }, { from: 'S1', into: 'S9' }];
    for (const pair of unknown) await expect(client.mergeSpeakers({ ...ref, ...pair })).rejects.toMatchObject({ message: 'The speaker S9 was not found.' });
    await expect(client.mergeSpeakers({ ...ref, from: 'S1', into: 'S1' })).rejects.toMatchObject({ kind: 'invalid' });
    await expect(client.renameSpeaker({ ...ref, speakerId: 'S1', name: ' ' })).rejects.toMatchObject({ kind: 'invalid' });
    await expect(client.renameSpeaker({ ...ref, speakerId: 'S1', name: 'Grace', ifMatch: ['1', '2'] })).rejects.toMatchObject({ code: 'precondition_failed' });
  });

  it('never cost the transcript: turns that cannot be read end in a failed stage, once', async () => {
    await turnsReady('job_broken', { content: '{"jobId":' });
    await transcribe('job_broken');
    expect((await harness.transcript('job_broken')).segments.length).toBeGreaterThan(0);
    await harness.awaitEvent('stage.finished', 'job_broken');
    expect(stageEnds('job_broken')).toMatchObject([{ status: 'STAGE_STATUS_FAILED', error: { code: 'internal', retryable: true } }]);
    expect((await harness.transcript('job_broken')).header?.speakers).toEqual([]);
    await turnsReady('job_broken', { content: '{"jobId":' });
    await harness.awaitEvent('stage.finished', 'job_broken', 2);
    expect(stageEnds('job_broken')[1]).toEqual(stageEnds('job_broken')[0]);
  });

  it('go with their job', async () => {
    await harness.tell('job.deleted', 'job_turns');
    await harness.awaitEvent('erasure.reported', 'job_turns');
    await turnsReady('job_turns', { run: 3 });
    await harness.settled();
    expect(harness.storedText()).not.toContain('Lovelace');
  });
});

async function* one(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
