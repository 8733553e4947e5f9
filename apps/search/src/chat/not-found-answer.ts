import { stopWordsOf } from '@parlance/text-analysis';

/** The answer when the transcripts contain none, by ISO 639-1. */
const ANSWERS: Readonly<Record<string, string>> = {
  en: 'I did not find an answer in the transcripts.',
  ar: 'لم أجد إجابة في النصوص.',
  cs: 'V přepisech jsem odpověď nenašel.',
  da: 'Jeg fandt ikke et svar i transskriptionerne.',
  de: 'In den Transkripten habe ich keine Antwort gefunden.',
  el: 'Δεν βρήκα απάντηση στις μεταγραφές.',
  es: 'No he encontrado una respuesta en las transcripciones.',
  fi: 'En löytänyt vastausta litteroinneista.',
  fr: 'Je n’ai pas trouvé de réponse dans les transcriptions.',
  he: 'לא מצאתי תשובה בתמלולים.',
  hi: 'मुझे प्रतिलेखों में उत्तर नहीं मिला।',
  it: 'Non ho trovato una risposta nelle trascrizioni.',
  ja: '文字起こしの中に答えは見つかりませんでした。',
  ko: '녹취록에서 답을 찾지 못했습니다.',
  nb: 'Jeg fant ikke noe svar i transkripsjonene.',
  nl: 'Ik heb in de transcripties geen antwoord gevonden.',
  pl: 'Nie znalazłem odpowiedzi w transkrypcjach.',
  pt: 'Não encontrei uma resposta nas transcrições.',
  ru: 'В расшифровках нет ответа на этот вопрос.',
  sv: 'Jag hittade inget svar i transkriptionerna.',
  tr: 'Dökümlerde bir yanıt bulamadım.',
  uk: 'У розшифровках немає відповіді на це запитання.',
  zh: '在转写文本中没有找到答案。',
};

/** Scripts that one of these languages is written in, the more special first. */
const SCRIPTS: readonly (readonly [script: RegExp, language: string])[] = [
  [/[\p{Script=Hiragana}\p{Script=Katakana}]/u, 'ja'],
  [/\p{Script=Hangul}/u, 'ko'],
  [/\p{Script=Han}/u, 'zh'],
  [/[іїєґ]/i, 'uk'],
  [/\p{Script=Cyrillic}/u, 'ru'],
  [/\p{Script=Greek}/u, 'el'],
  [/\p{Script=Hebrew}/u, 'he'],
  [/\p{Script=Arabic}/u, 'ar'],
  [/\p{Script=Devanagari}/u, 'hi'],
];
/** Letters and words that one language alone has. Each counts as a word of it. */
const OWN: Readonly<Record<string, RegExp>> = { cs: /[ěřů]/g, de: /ß/g, es: /[ñ¿¡]/g, pl: /[łąężść]/g, pt: /[ãõ]|(?<!\p{L})é(?!\p{L})/gu, tr: /[ğış]/g };
const LATIN = ['en', 'cs', 'da', 'de', 'es', 'fi', 'fr', 'it', 'nb', 'nl', 'pl', 'pt', 'sv', 'tr'];

/** Says in the language of the question that the transcripts do not contain an answer; in English where the language is not among those above. */
export async function notFoundAnswer(question: string): Promise<string> {
  return ANSWERS[await languageOf(question)] ?? (ANSWERS['en'] as string);
}

async function languageOf(text: string): Promise<string> {
  const [, language] = SCRIPTS.find(([script]) => script.test(text)) ?? [];
  return language ?? latinLanguageOf(text);
}

/**
 * The language with the most words of the text among its most frequent ones; a word of several languages counts less for each. A tie is of
 * the first: a question of one name is answered in English.
 */
async function latinLanguageOf(text: string): Promise<string> {
  const lower = text.toLowerCase();
  const words: readonly string[] = lower.match(/\p{L}+/gu) ?? [];
  const lists = await Promise.all(LATIN.map(stopWordsOf));
  const weightOf = (word: string) => 1 / lists.filter((frequent) => frequent.has(word)).length;
  const ownOf = (language: string) => lower.match(OWN[language] ?? /$^/g)?.length ?? 0;
  const weights = lists.map((frequent, index) => words.filter((word) => frequent.has(word)).reduce((sum, word) => sum + weightOf(word), ownOf(LATIN[index] ?? '')));
  return LATIN[weights.indexOf(Math.max(...weights))] ?? 'en';
}
