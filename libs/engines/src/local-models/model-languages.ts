import { WHISPER_LANGUAGES as ALL } from '@parlance/languages';

export { whisperCode as modelLanguage, whisperLanguageTag as languageTag } from '@parlance/languages';

/** Since large-v3 Cantonese has a code of its own; older models end their process when asked for it. */
export const WHISPER_V3_LANGUAGES: readonly string[] = ALL;
export const WHISPER_LANGUAGES: readonly string[] = ALL.filter((tag) => tag !== 'yue');

/** NVIDIA's model card. */
export const PARAKEET_V3_LANGUAGES: readonly string[] = 'bg hr cs da nl en et fi fr de el hu it lv lt mt pl pt ro sk sl es sv ru uk'.split(' ');

export const SENSE_VOICE_LANGUAGES: readonly string[] = ['zh', 'yue', 'en', 'ja', 'ko'];
