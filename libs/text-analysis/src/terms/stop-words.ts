import { primaryLanguage } from '@parlance/languages';

/** ISO 639-1 to the names of the package `stopword`, which are ISO 639-3. */
const LISTS: Readonly<Record<string, string>> = {
  af: 'afr', ar: 'ara', bg: 'bul', bn: 'ben', ca: 'cat', cs: 'ces', da: 'dan', de: 'deu', el: 'ell', en: 'eng', eo: 'epo', es: 'spa',
  et: 'est', eu: 'eus', fa: 'fas', fi: 'fin', fr: 'fra', ga: 'gle', gl: 'glg', gu: 'guj', ha: 'hau', he: 'heb', hi: 'hin', hr: 'hrv',
  hu: 'hun', hy: 'hye', id: 'ind', it: 'ita', ja: 'jpn', ko: 'kor', ku: 'kur', la: 'lat', lt: 'lit', lv: 'lav', mr: 'mar', ms: 'msa',
  my: 'mya', nb: 'nob', nl: 'nld', no: 'nob', pa: 'panGu', pl: 'pol', pt: 'por', ro: 'ron', ru: 'rus', sk: 'slk', sl: 'slv', so: 'som',
  st: 'sot', sv: 'swe', sw: 'swa', th: 'tha', tl: 'tgl', tr: 'tur', uk: 'ukr', ur: 'urd', vi: 'vie', yo: 'yor', zh: 'zho', zu: 'zul',
};

/** What is said in English without being meant, and what recognisers write for it. */
const SPOKEN_ENGLISH =
  'um uh uhm er erm hmm mm mhm yeah yes no ok okay well so just really actually basically like right sure oh ah gonna wanna gotta kind sort thing things ' +
  'stuff lot bit got get going go know think mean say said see look want let let’s dont don’t im i’m ill i’ll ive i’ve its it’s thats that’s theres there’s ' +
  'were we’re we’ll we’ve you’re they’re isn’t wasn’t can’t won’t didn’t doesn’t one two also still back maybe quite very much many thank thanks please hello hi bye ' +
  'good morning something anything everything nothing someone people';

/** Words of the language that say nothing of the matter; empty where no list is known. @param language BCP 47 */
export async function stopWordsOf(language: string): Promise<ReadonlySet<string>> {
  const primary = primaryLanguage(language);
  const name = LISTS[primary];
  if (name === undefined) return new Set();
  // Loaded by the first transcript and not by every process that could use it.
  const lists: Readonly<Record<string, unknown>> = await import('stopword');
  const words = (lists[name] as readonly string[] | undefined) ?? [];
  const spoken = primary === 'en' ? SPOKEN_ENGLISH.split(' ') : [];
  return new Set([...words, ...spoken].map((word) => word.toLowerCase().replaceAll('’', "'")).flatMap((word) => [word, word.replaceAll("'", '')]));
}
