import { FAILURE_TEXTS } from '@parlance/platform';
import { z } from 'zod';

/** The warnings of a completed job: `warnings[].code`. */
export const WARNINGS = {
  media_truncated: 'The file ends before its stated length. The transcript covers the part that exists.',
  channels_mixed: 'The two channels of the recording differ, as in a call with one party on each, and were mixed as requested or by default. `channels: split` transcribes each apart.',
  audio_gap: 'The client of a live session left out audio. The missing stretches, which the message names, are silence in the recording.',
  vocabulary_unsupported: 'The engine does not support a vocabulary.',
  vocabulary_truncated: 'More terms were given than the engine accepts; the last ones were not used.',
  language_uncertain: 'In some parts of the recording, none of the expected languages was detected with enough confidence. They are transcribed in `language.fallback`, or else in the first expected language.',
  language_confidence_unknown: 'The engine gives no confidence of the language, so `language.min_confidence` had no effect.',
  word_times_estimated: 'The engine returned no word times. Times are interpolated over longer segments.',
  punctuation_failed: 'In parts of the recording, the punctuation model failed or changed words. There, rules wrote the punctuation of English; words of other languages are bare.',
  speakers_below_minimum: 'Fewer speakers were detected than `min_speakers`.',
  speakers_above_maximum: 'More speakers were detected than `max_speakers`.',
  engine_language_limited: 'The built-in engine supports English; its results in other languages are limited.',
  summary_language_unsupported: 'The built-in engine does not translate: the summary is in the language of the recording.',
  instructions_limited: 'The built-in engine does not follow instructions; it gives more weight to sentences that contain words of them.',
  transcript_empty: 'The recording contains no speech, so a stage had nothing to do.',
  diarization_failed: 'Speakers were not detected; the stage gives the reason.',
  summary_failed: 'There is no summary; the stage gives the reason.',
  highlights_failed: 'There are no highlights; the stage gives the reason.',
  chapters_failed: 'There are no chapters; the stage gives the reason.',
  chapters_built_in: 'The language model returned no usable chapters; the built-in engine made them.',
  entities_failed: 'There are no entities; the stage gives the reason.',
  entities_truncated: 'The transcript has more entities than are kept: the first 10,000 are.',
  search_failed: 'The transcript can be found by its words only, or not at all; the stage gives the reason.',
} as const;

/** The first sentence of each meaning; the page of the code has all of it. */
const listed = (codes: Readonly<Record<string, string>>): string => Object.entries(codes).map(([code, meaning]) => `- \`${code}\`: ${/^.*?\.(?= |$)/.exec(meaning)?.[0] ?? meaning}`).join('\n');

/** Within version 1 codes are only added. */
export const failureCode = z.enum(keysOf(FAILURE_TEXTS)).meta({ id: 'FailureCode', description: `Why a job or a stage failed. Each code has a page at \`/problems/<code>\`.\n\n${listed(FAILURE_TEXTS)}` });
export const warningCode = z.enum(keysOf(WARNINGS)).meta({ id: 'WarningCode', description: `What a job did differently than requested, or could not do. Each code has a page at \`/problems/<code>\`.\n\n${listed(WARNINGS)}` });

function keysOf<Codes extends object>(codes: Codes): (keyof Codes & string)[] {
  return Object.keys(codes) as (keyof Codes & string)[];
}
