/** Keys of a job's objects in the media store. A prefix ends in '/'. */
export interface MediaKeys {
  /** The prefix of all objects of the job. */
  all: string;
  /** The recording as it was uploaded or downloaded. */
  source: string;
  /** The recording of a participant, where each has a file of their own; number 0 is the source. */
  track(index: number): string;
  /** The redacted recording. A job of several files has one for each; `track` is its index, from 0. */
  redacted(track: number): string;
  /** The chunk plan, as JSON. */
  plan: string;
  /** The peaks of the recording, for waveforms: of each window of {@link PEAKS_PER_SECOND} the lowest and the highest sample, as signed bytes. */
  peaks: string;
  /** The prefix of the speaker turns of all runs. */
  speakersPrefix: string;
  /** The speaker turns that a run of diarization found, as JSON. */
  speakerTurns(run: number): string;
  /** The prefix of a live session's objects. */
  livePrefix: string;
  /** A piece of a live session's audio: where it begins, in bytes of the session, and the generation of the connection that stored it. */
  livePiece(offset: number, generation: number): string;
  /** The list of the pieces that make up the recording of a live session, in order, as JSON; there from the end of the session until they are joined. */
  livePieces: string;
  /** The finals of a live session, as JSON: `LiveFinals`. */
  liveFinals: string;
  audioPrefix: string;
  /** The audio of a chunk, as 16-bit PCM. */
  audio(index: number): string;
  /** The same of a recording that its client encrypted: these objects are sealed whatever MEDIA_ENCRYPTION is. */
  alwaysSealed: DecodedKeys;
  /** The results of a sealed job as a compact JWE. It is not below `all`, and its key is that of the job's record: it outlives the content. */
  sealedResult: string;
  /** The export of an account, whose id stands in place of the job's. */
  archive: string;
  /** A part of it while it is made, from 1, and the list of the part's files as JSON. */
  archivePart(number: number): string;
  archiveIndex(number: number): string;
  archivePartPrefix: string;
  archiveIndexPrefix: string;
}

/** Keys of what is decoded from a recording. */
export type DecodedKeys = Pick<MediaKeys, 'plan' | 'peaks' | 'audioPrefix' | 'audio'>;

/** Describes the objects, in words for operators: docs/privacy/data-map.md. */
export const MEDIA_HELD = {
  source: { what: 'the recording', purpose: 'transcription, playing it', kept: 'with the job; media_retention_hours may end earlier' },
  track: { what: 'the recording of a participant', purpose: 'transcription, playing it', kept: 'as the recording' },
  redacted: { what: 'the redacted recording', purpose: 'playing it', kept: 'as the recording' },
  plan: { what: 'times of the chunks', purpose: 'transcription', kept: 'with the job' },
  peaks: { what: 'loudness over time', purpose: 'waveforms', kept: 'as the recording' },
  livePiece: { what: 'live audio as it arrives', purpose: 'to lose nothing of a live session', kept: 'until it is joined to the recording, or with the job' },
  livePieces: { what: 'times of live audio', purpose: 'to join it to the recording', kept: 'until it is joined' },
  liveFinals: { what: 'words of a live session', purpose: 'its transcript', kept: 'with the job' },
  audio: { what: 'decoded audio of a chunk', purpose: 'recognition, speakers', kept: 'until no stage needs it', recipients: 'the speech engine: `SPEECH_ENGINE_URL`, `SPEECH_ENGINES`' },
  speakerTurns: { what: 'which speaker speaks when', purpose: 'speakers of the transcript', kept: 'with the job' },
  sealedResult: { what: 'the results of a sealed job, for the holder of its private key', purpose: 'to be fetched by the caller', kept: 'with the job' },
  archive: { what: 'an export of the account', purpose: 'to give accounts their data', kept: '`ACCOUNT_EXPORT_HOURS`' },
} as const satisfies Partial<Record<keyof MediaKeys, { what: string; purpose: string; kept: string; recipients?: string }>>;

/** Windows of the stored peaks in a second. */
export const PEAKS_PER_SECOND = 50;

const SOURCE = 'source';

/** True for the key of a job's source, or of another of its tracks, also redacted. */
export const isSourceKey = (key: string): boolean => /\/(?:source|redacted)(?:-\d)?$/.test(key);

/** True for what counts as stored by the account: its recordings, and the audio of live sessions that is not joined to one yet. */
export const isCountedKey = (key: string): boolean => isSourceKey(key) || /\/live\/\d+-\d+$/.test(key);

/**
 * The holder of the key of what outlives the content of a sealed job: its record, its webhooks and its sealed result. The content
 * of every job has a key whose holder is the job's id.
 */
export const recordHolder = (jobId: string): string => `${jobId}-record`;

const numbered = (name: string, index: number): string => (index === 0 ? name : `${name}-${index}`);

const decodedKeys = (prefix: string): DecodedKeys => ({
  plan: `${prefix}plan.json`,
  peaks: `${prefix}peaks`,
  audioPrefix: `${prefix}audio/`,
  audio: (index) => `${prefix}audio/${String(index).padStart(6, '0')}.pcm`,
});

/** Returns where the services store and find the media of a job. */
export function mediaKeys(accountId: string, jobId: string): MediaKeys {
  const all = `${accountId}/${jobId}/`;
  return {
    all,
    source: `${all}${SOURCE}`,
    track: (index) => `${all}${numbered(SOURCE, index)}`,
    redacted: (index) => `${all}${numbered('redacted', index)}`,
    ...decodedKeys(all),
    alwaysSealed: decodedKeys(`${all}sealed/`),
    speakersPrefix: `${all}speakers/`,
    speakerTurns: (run) => `${all}speakers/${run}.json`,
    livePrefix: `${all}live/`,
    livePiece: (offset, generation) => `${all}live/${String(offset).padStart(14, '0')}-${generation}`,
    livePieces: `${all}live-pieces.json`,
    liveFinals: `${all}live-finals.json`,
    archive: `${all}archive.zip`,
    archivePart: (number) => `${all}parts/${String(number).padStart(6, '0')}`,
    archiveIndex: (number) => `${all}lists/${String(number).padStart(6, '0')}.json`,
    archivePartPrefix: `${all}parts/`,
    archiveIndexPrefix: `${all}lists/`,
    sealedResult: `${accountId}/${recordHolder(jobId)}/result.jwe`,
  };
}
