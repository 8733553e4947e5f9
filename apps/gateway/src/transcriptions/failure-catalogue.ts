/** Why a job or one of its stages can have failed: `error.code`, with what it means and what to do. */
export const FAILURES = {
  media_unreachable: 'The media server cannot be found, refuses, breaks off again and again, or redirects to nowhere. Try the address yourself, without being logged in.',
  media_timeout: 'The media server was silent for too long, or the media took longer to fetch or to decode than is allowed.',
  media_too_large: 'The file is larger than this server takes.',
  media_too_long: 'The recording is longer than this server takes, by what it states or while it is unpacked. Send it in parts.',
  media_empty: 'There is not a byte in the file, or not a sample of sound.',
  media_unsupported: 'The file is no audio or video that can be read: a web page, a playlist, an archive, text, or more work to decode than is allowed.',
  media_corrupt: 'The file is audio or video, damaged or cut off so that nothing of it can be decoded.',
  media_no_audio: 'The file has pictures and no sound.',
  address_forbidden: 'The address, or one that it redirects or resolves to, is not public.',
  quota_exhausted: 'The recording is longer than the minutes that the account has left.',
  language_unsupported: 'The engine does not take the language of the job.',
  engine_failed: 'The engine failed in every try. The message says where in the recording.',
  engine_timeout: 'The engine took too long in every try.',
  engine_rate_limited: 'The server of the engine has too much to do, or limits how much it is asked.',
  engine_refused: 'The model, or a filter before it, does not answer this.',
  stage_timeout: 'A stage beside the transcript reported nothing for too long.',
  transcript_empty: 'Nothing is said in the recording, so that there is nothing to do for the stage.',
  storage_full: 'The server has no room left. Its operator has to make some.',
  canceled: 'The job was canceled.',
  internal: 'The fault is the server’s. Its operator finds the reason in the log by the id of the job.',
} as const;

/** What a completed job may have to say beside its transcript: `warnings[].code`. */
export const WARNINGS = {
  media_truncated: 'The file ends before what it states, so the transcript is of what is there.',
  vocabulary_unsupported: 'The engine does not use the vocabulary.',
  vocabulary_truncated: 'More terms were given than the engine takes; the last ones were not used.',
  word_times_estimated: 'The engine gave no times of words: they are shared out over longer stretches.',
  speakers_below_minimum: 'Fewer speakers could be told apart than `min_speakers`.',
  speakers_above_maximum: 'More speakers were told apart than `max_speakers`.',
  engine_language_limited: 'The built-in engine reads English: what it made of another language is less.',
  summary_language_unsupported: 'The built-in engine does not translate: the summary is in the language of the recording.',
  instructions_limited: 'The built-in engine does not read instructions: sentences with words of theirs count more.',
  transcript_empty: 'Nothing is said in the recording, so that a stage had nothing to do.',
  diarization_failed: 'Speakers were not told apart; the stage says why.',
  summary_failed: 'There is no summary; the stage says why.',
  highlights_failed: 'There are no highlights; the stage says why.',
  search_failed: 'The transcript is found by its words at most, or not at all; the stage says why.',
} as const;

const listed = (codes: Readonly<Record<string, string>>): string => Object.entries(codes).map(([code, meaning]) => `- \`${code}\`: ${meaning}`).join('\n');

/** For the API description. Within version 1 codes are only added. */
export const FAILURE_CODES = `Switch on this; there may be more later.\n\n${listed(FAILURES)}`;
export const WARNING_CODES = `There may be more later.\n\n${listed(WARNINGS)}`;
