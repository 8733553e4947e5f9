import { common } from '@parlance/contracts';
import { z } from 'zod';
import { languageTag, openEnum, present } from '../http/schema.js';
import { CHANNEL_MODE, namesByMessage, namesOf } from './job-names.js';
import { redactionAudio, redactionPolicy, redactionStyle } from './redaction-names.js';
import { fillerFilter, profanityFilter } from './word-filters.js';

const channelMode = openEnum(z.enum(namesOf(CHANNEL_MODE)).meta({ id: 'AskedChannels', description: 'How the channels were to be transcribed.' }));
const bound = (which: string) => z.int().min(1).max(64).optional().meta({ description: `The ${which} number of speakers.` });
const hours = z.int().min(0).max(87_600).optional();

const diarization = z.object({ enabled: z.boolean().meta({ description: 'Whether speakers are detected.' }), min_speakers: bound('minimum'), max_speakers: bound('maximum') }).meta({ id: 'AskedDiarization', description: 'Whether and how speakers are detected.' });

const summary = z
  .object({
    enabled: z.boolean().meta({ description: 'Whether a summary is written.' }),
    format: z.string().optional().meta({ description: 'Its format.', example: 'brief' }),
    template: z.string().optional().meta({ description: 'Its template.' }),
    language: languageTag.optional(),
  })
  .meta({ id: 'AskedSummary', description: 'Whether and which summary is written.' });

const replacement = z.object({ from: z.string().meta({ description: 'The words that are replaced.' }), to: z.string().meta({ description: 'The words that take their place.' }) }).meta({ id: 'AskedReplacement', description: 'A spelling that takes the place of another one.' });

const filters = z
  .object({
    profanity: openEnum(profanityFilter).meta({ description: 'How profanity is written.' }),
    fillers: openEnum(fillerFilter).meta({ description: 'Whether sounds of hesitation are left out.' }),
    profanity_words: z.array(z.string()).meta({ description: 'Words that count as profanity beside the English list.' }),
    filler_words: z.array(z.string()).meta({ description: 'Words that count as fillers beside the English list.' }),
  })
  .meta({ id: 'AskedFilters', description: 'Words that are masked or left out.' });

const redaction = z
  .object({
    policies: z.array(openEnum(redactionPolicy)).meta({ description: 'What is removed.' }),
    style: openEnum(redactionStyle).meta({ description: 'What stands for it.' }),
    audio: openEnum(redactionAudio).optional().meta({ description: 'What stands for it in the recording.' }),
    keep_original: z.boolean().optional().meta({ description: 'Whether the original recording is kept.' }),
  })
  .meta({ id: 'AskedRedaction', description: 'Personal data that is removed from the text and the recording.' });

/** The options of a job as they hold for it; `language` of the job has those of its language. */
export const jobOptionsSchema = z
  .object({
    model: z.string().optional().meta({ description: 'The speech engine, when one was named.' }),
    language: languageTag.optional(),
    channels: channelMode.meta({ description: 'How the channels are transcribed.' }),
    channel_names: z.array(z.string()).optional().meta({ description: 'Names of the speakers by channel.' }),
    diarization,
    summary,
    highlights: z.boolean().meta({ description: 'Whether highlights are extracted.' }),
    chapters: z.boolean().meta({ description: 'Whether the recording is divided into chapters.' }),
    entities: z.boolean().meta({ description: 'Whether entities are found.' }),
    vocabulary: z.array(z.string()).meta({ description: 'Terms that the recognizer prefers.' }),
    vocabulary_id: z.string().optional().meta({ description: 'The saved vocabulary whose terms are in `vocabulary` too.' }),
    formatting: z.string().meta({ description: 'Whether punctuation and capitals are written for engines without them: `auto` or `none`.' }),
    numerals: z.boolean().meta({ description: 'Whether English numbers are written in figures.' }),
    filters: filters.optional(),
    redaction: redaction.optional(),
    replace: z.array(replacement).meta({ description: 'Spellings that take the place of those of the engine.' }),
    retention_hours: hours.meta({ description: 'Hours after which everything of the job is erased, by the request or the account.' }),
    media_retention_hours: hours.meta({ description: 'Hours from the end of the job until its media is erased, by the request or the account.' }),
  })
  .meta({ id: 'TranscriptionOptions', description: 'What the job does: as the request asked, with the defaults of API and account.' });

const channelModeName = namesByMessage(CHANNEL_MODE);

/** The options of a job as the public API shows them. */
export function optionsJson(options = common.JobOptions.fromPartial({})): z.output<typeof jobOptionsSchema> {
  const { model, language, channels, highlights, vocabulary, spelling, retentionHours, mediaRetentionHours } = options;
  const { enabled = false, minSpeakers, maxSpeakers } = options.diarization ?? {};
  const { enabled: isSummarized = false, format, template, language: summaryLanguage } = options.summary ?? {};
  const names = channels?.names ?? [];
  return present({
    model,
    language,
    channels: channelModeName(channels?.mode ?? CHANNEL_MODE.mix) ?? 'mix',
    channel_names: names.length > 0 ? names : undefined,
    diarization: present({ enabled, min_speakers: minSpeakers, max_speakers: maxSpeakers }),
    summary: present({ enabled: isSummarized, format, template, language: summaryLanguage }),
    highlights,
    chapters: options.chapters ?? false,
    entities: options.entities ?? false,
    vocabulary,
    vocabulary_id: options.vocabularyId,
    formatting: spelling?.format ? 'auto' : 'none',
    numerals: spelling?.numerals ?? false,
    filters: spelling?.filters && filtersJson(spelling.filters),
    redaction: options.redaction && redactionJson(options.redaction),
    replace: (spelling?.replace ?? []).map(({ from, to }) => ({ from, to })),
    retention_hours: retentionHours,
    media_retention_hours: mediaRetentionHours,
  });
}

const filtersJson = ({ maskProfanity, removeProfanity, removeFillers, profanityWords, fillerWords }: common.WordFilters): z.output<typeof filters> => ({
  profanity: removeProfanity ? 'remove' : maskProfanity ? 'mask' : 'off',
  fillers: removeFillers ? 'remove' : 'off',
  profanity_words: profanityWords,
  filler_words: fillerWords,
});

const redactionJson = ({ policies, style, audio, keepOriginal }: common.Redaction) => present({ policies, style, audio, keep_original: keepOriginal });
