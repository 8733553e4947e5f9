import { FAILURE_TEXTS } from '@parlance/platform';
import { z } from 'zod';
import { isProblemCode } from '../http/problem-catalogue.js';

/** The warnings of a completed job: `warnings[].code`. */
export const WARNINGS = {
  media_truncated: 'The file ends before its stated length. The transcript covers the part that exists.',
  channels_mixed: 'The two channels of the recording differ and were mixed. They do so in a call with one party on each; mixing is the default. `channels: split` transcribes each apart.',
  audio_gap: 'The client of a live session left out audio. The missing stretches, which the message names, are silence in the recording.',
  live_retranscribed: 'The recording of a live session was transcribed as a file. Its finals could not be completed, so the transcript may differ from those that were sent.',
  vocabulary_unsupported: 'The engine does not support a vocabulary.',
  vocabulary_truncated: 'More terms were given than the engine accepts. The last ones were not used.',
  language_uncertain: 'In some parts, no expected language was detected with enough confidence. They are transcribed in `language.fallback`, or else in the first expected language.',
  language_confidence_unknown: 'The engine gives no confidence of the language. So `language.min_confidence` had no effect.',
  word_times_estimated: 'The engine returned no word times. Times are interpolated over longer segments.',
  punctuation_failed: 'The punctuation model failed or changed words in parts. There, rules wrote the punctuation of English; words of other languages are bare.',
  redaction_model_failed: 'The model that finds names to redact failed in parts. There, rules found names.',
  speakers_below_minimum: 'Fewer speakers were detected than `min_speakers`.',
  speakers_above_maximum: 'More speakers were detected than `max_speakers`.',
  engine_language_limited: 'The built-in engine supports English; its results in other languages are limited.',
  summary_language_unsupported: 'The built-in engine does not translate. The summary is in the language of the recording.',
  instructions_limited: 'The built-in engine does not follow instructions. It gives more weight to sentences that contain words of them.',
  transcript_empty: 'The recording contains no speech, so a stage had nothing to do.',
  diarization_failed: 'Speakers were not detected. The stage gives the reason.',
  summary_failed: 'There is no summary. The stage gives the reason.',
  highlights_failed: 'There are no highlights. The stage gives the reason.',
  chapters_failed: 'There are no chapters. The stage gives the reason.',
  chapters_built_in: 'The language model returned no usable chapters. The built-in engine made them.',
  entities_failed: 'There are no entities. The stage gives the reason.',
  entities_truncated: 'Only the first 10,000 entities are kept.',
  search_failed: 'The transcript can be found by its words only, or not at all. The stage gives the reason.',
} as const;

/** The first sentence of each meaning; the page of the code has all of it. */
const listed = (codes: Readonly<Record<string, string>>): string => Object.entries(codes).map(([code, meaning]) => `- \`${code}\`: ${/^.*?\.(?= |$)/.exec(meaning)?.[0] ?? meaning}`).join('\n');

const ofFailuresAlone = Object.fromEntries(Object.entries(FAILURE_TEXTS).filter(([code]) => !isProblemCode(code)));

/** Within version 1 codes are only added. */
export const failureCode = z.enum(keysOf(FAILURE_TEXTS)).meta({ id: 'FailureCode', description: `Why a job or a stage failed. Each code has a page at \`/problems/<code>\`; those that \`ProblemCode\` has as well are explained there.\n\n${listed(ofFailuresAlone)}` });
export const warningCode = z.enum(keysOf(WARNINGS)).meta({ id: 'WarningCode', description: `What a job did differently than requested, or could not do; the stage gives the reason of \`…_failed\`. Each code has a page at \`/problems/<code>\`.\n\n${listed(WARNINGS)}` });

function keysOf<Codes extends object>(codes: Codes): (keyof Codes & string)[] {
  return Object.keys(codes) as (keyof Codes & string)[];
}
