import { primaryLanguage } from '@parlance/languages';

/** `always`: no phrase with it names anything; `alone`: only beside another word, as in "New York". */
export type Vagueness = 'always' | 'alone';

const AUXILIARY =
  "will would shall should can could may might must ought cannot can't won't wouldn't shouldn't couldn't mustn't needn't haven't hasn't hadn't don't aren't " +
  "i'd you'd he'd she'd we'd they'd it'd you'll he'll she'll it'll they'll that'll there'll there'd who's what's here's where's he's she's";

/** What the stop list, which is a short one, leaves. */
const FUNCTION_WORDS =
  'she hers when whenever why whose whom yours ours mine theirs myself yourself itself themselves ourselves during against among across toward towards above below behind ' +
  'beside besides beyond whether either neither both none once twice down off such being am does doing having isnt wasnt weren arent';

const COURTESY = 'hey welcome goodbye cheers sorry excuse pardon everybody everyone somebody anybody anyone nobody guys folks alright yep yup nope huh wow course glad happy';

const ADVERBS =
  'again already even ever never always often sometimes usually soon later early now then perhaps probably possibly certainly definitely absolutely exactly obviously honestly ' +
  'literally totally completely pretty rather enough almost anyway anyways though although however else instead together somehow somewhere anywhere everywhere especially ' +
  'particularly simply clearly quickly finally currently recently away around along ago yet far forward not nor without within while until till unless upon per via';

const LIGHT_VERBS =
  'come comes came coming ask asks asked asking tell tells told telling give gives gave given giving take takes took taken taking make makes made making put puts putting ' +
  'need needs needed needing try tries tried trying keep keeps kept keeping happen happens happened happening seem seems seemed become becomes became hear heard hearing ' +
  'feel feels felt feeling bring brings brought bringing believe guess suppose hope hoping wish wanted wants wanting knew known knows thought thinking thinks saying says ' +
  'talk talks talked talking looking looks looked seen seeing sees goes went gone doing done did leave leaves left leaving find found finding show shows showed lets ' +
  'used using uses having start started starting starts end ended';

const ADJECTIVES =
  'new newer old older next last first second third other another same different great nice bad better best worse big bigger small smaller large little long longer short high ' +
  'low full whole main important real true able ready available certain possible interesting fine several every each few more most less least half';

const TIMES =
  'day days today tomorrow yesterday tonight week weeks weekend month months year years time times hour hours minute minutes second seconds moment morning afternoon evening night ' +
  'monday tuesday wednesday thursday friday saturday sunday january february march april june july august september october november december';

const PLACEHOLDERS = 'way ways part parts place point points case cases number numbers example couple rest side end beginning person man woman';

const wordsOf = (...lists: readonly string[]): string[] => lists.flatMap((list) => list.replaceAll('’', "'").split(' ')).flatMap((word) => [word, word.replaceAll("'", '')]);

// What is in both lists is in the second: "second" may be part of a name.
const ENGLISH: ReadonlyMap<string, Vagueness> = new Map([
  ...wordsOf(AUXILIARY, FUNCTION_WORDS, COURTESY, ADVERBS, LIGHT_VERBS).map((word) => [word, 'always'] as const),
  ...wordsOf(ADJECTIVES, TIMES, PLACEHOLDERS).map((word) => [word, 'alone'] as const),
]);

/**
 * What English speech is full of whatever it is about, apart from its stop words: "will" names no topic. It is a list of its own,
 * as a question that is looked up in a transcript may well be about the next week. Of other languages nothing is known.
 * @param language BCP 47
 */
export function vaguenessOf(language: string): (word: string) => Vagueness | undefined {
  const isEnglish = primaryLanguage(language) === 'en';
  return (word) => (isEnglish ? ENGLISH.get(word) : undefined);
}
