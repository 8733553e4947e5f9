import { vaguenessOf } from '../terms/naming-words.js';

const wordSet = (...lists: readonly string[]): ReadonlySet<string> => new Set(lists.flatMap((list) => list.split(' ')));

/** Verbs and nouns directly before an address. */
export const MAIL_CUES = wordSet('email e-mail mail emailing e-mailing mailing emailed e-mailed mailed contact contacting contacted write writes ask asks asked asking ping cc bcc via');
/** Nouns that `e-mail` is part of: `the e-mail provider at`. */
export const BEHIND_MAIL = wordSet('account accounts address addresses server servers service services provider newsletter newsletters form forms link links');
/** Verbs before `to` and an address. */
export const SENDING = wordSet('write writes writing wrote written send sends sending sent forward forwards forwarding forwarded reply replies replying replied mail mails email emails message over back');
/** Verbs before `me at` and an address. */
export const REACHING = wordSet('reach reached reachable contact contacted mail email e-mail write');
/** Nouns that `is` and an address follow, or that stand behind the address. */
export const ADDRESS_NOUNS = wordSet('address email e-mail mail mailbox inbox username login');
export const IS = wordSet("is was be being it's it’s");

/** Mailboxes that an article may precede: RFC 2142, and others as common. */
export const ROLES = wordSet('info sales support help hello contact admin billing marketing accounting press abuse webmaster postmaster noreply privacy');
export const SUBJECTS = wordSet('i he she we they who');
/** Words between a subject and its verb. */
export const BEFORE_VERBS = wordSet(
  'can could should would will must might may do did does dont don’t don\'t didnt didn’t didn\'t cant can’t can\'t wont won’t won\'t always usually often never still also just mostly sometimes currently now even really already only mainly',
);
/** Words before `to` and a verb. */
export const BEFORE_INFINITIVES = wordSet('want wants wanted like likes liked love loves need needs needed have has had used try tries tried prefer prefers how able hope hopes supposed nice fun easy easier cheaper better');
/** People and words of naming, which a name follows: `my friend Tom`. */
export const BEFORE_NAMES = wordSet(
  'friend manager boss brother sister wife husband mother father mom mum dad son daughter aunt uncle cousin colleague neighbor neighbour doctor nurse lawyer guy lady man woman person teacher coach assistant secretary accountant agent landlord partner name names word letters handle alias user',
);
/** Words that always have a noun behind them. */
export const ARTICLES = wordSet('the a an my our your their its every');
export const DETERMINERS = wordSet('the a an this these those my our your his her its their every each some any no another');

/** Words that are no mailbox except behind `my address is`. */
const PRONOUNS = wordSet('it me us him her them you i he she we they myself himself herself themselves');
const NO_MAILBOX = wordSet(
  'is are was were be been am has have had do does did the a an this that these those my our your his its their some any no every each all both and or but if so than as of in on to for from with by at',
  'there here where when why how what which who everyone everybody someone anyone everything something anything nothing one people folks guys',
  'up out down off over back in around into through under about online offline available free only just also still now today tonight again always often usually never sometimes mostly',
  'email e-mail mail address addresses mailbox inbox',
);
/** Names and mailboxes among the words that say little. */
const NAMES = wordSet('will may hope april june august welcome');

/** Verbs that a place on the web follows; those that are names (`mark`, `chase`) are left out. */
const VERBS = wordSet(
  'look looks say think know shop shops buy buys order browse browses visit visits read reads pay pays check checks search searches watch watches listen listens see click download learn learns vote play plays work works',
  'live lives log sign start stop stay meet subscribe register apply join donate compare enroll study studies stream streams sell sells earn spend spends publish publishes arrive eat',
  'bought sold paid met left made got found saw seen won lost spent held kept built sent wrote written ran run began chosen shown known grown born caught taught stood sat read put hit cut set let took taken gave given went gone done drawn',
);
/** Things that are on the web at an address. */
const PLACES = wordSet(
  'shop shops store stores site sites website websites page pages webpage blog form forms link links account accounts profile portal catalog catalogue documentation document documents article articles',
  'price prices deal deals offer offers sale stock ticket tickets job jobs position vacancy vacancies customer customers user users review reviews video videos course courses department manager director engineer engineers developer developers staff',
  'service services server servers provider newsletter detail details information delivery checkout forum app platform dashboard archive gallery database dollars euros pounds bucks cents percent',
);
const NAMES_LIKE_PARTICIPLES = wordSet(
  'ahmed alfred wilfred manfred winifred mildred mohamed mohammed muhammed jared rasheed waleed saeed javed hamed naveed majed creed snead sneed irving sterling fleming harding keating manning dowling pickering golding browning',
  'billing marketing accounting booking bookings shipping purchasing engineering training recruiting hiring accounting catering',
);

const NAMES_LIKE_ADVERBS = wordSet('kelly emily emely billy sally molly holly lily polly dolly willy beverly kimberly carly charly reilly riley oreilly connolly donnelly family supply reply assembly italy');
/** Verbs before a plural that is bought, sold or read at an address: `compare rates`. */
export const TRADING = wordSet('sell sells sold selling buy buys bought buying compare compares compared comparing order orders ordered ordering browse browses browsed browsing search searches searched searching read reads watch watches watched download downloads downloaded publish publishes published offer offers offered');
export const NAMES_LIKE_PLURALS = wordSet('james thomas chris lucas lukas agnes iris ross jess tess louis luis nicholas andreas carlos marcus markus dennis doris frances francis alexis angus hans jonas elias tobias matthias mathias klaus niklas silas charles');
/** Words before a price or a time: `it costs 20 at`, `at 9 at`. */
export const BEFORE_AMOUNTS = wordSet('cost costs paid pay for only at from under over about');
const INTENSIFIERS = wordSet('much very really so too quite more most pretty');

const vagueness = vaguenessOf('en');

export const isPronoun = (word: string): boolean => PRONOUNS.has(word);
/** True for a word between an article and its noun. */
export const isBeforeNoun = (word: string): boolean => !DETERMINERS.has(word) && (INTENSIFIERS.has(word) || vagueness(word) === 'alone' || isComparative(word) || isAdverb(word));
const isComparative = (word: string): boolean => /^(?:.{2,}[^aeiou]ier|cheaper|faster|slower|nicer|cleaner|smarter|.{4,}est)$/u.test(word);
const isAdverb = (word: string): boolean => /^.{3,}ly$/u.test(word) && !NAMES_LIKE_ADVERBS.has(word);
export const isParticiple = (word: string): boolean => /^(?:.{3,}ed|.{3,}ing)$/u.test(word) && !NAMES_LIKE_PARTICIPLES.has(word);
/** True for what names nothing: such a word is no part of a mailbox of several words. */
export const isFunctionWord = (word: string): boolean => !NAMES.has(word) && (PRONOUNS.has(word) || NO_MAILBOX.has(word) || vagueness(word) !== undefined);
/** True for a verb, or a noun of what is on the web, before `at` and the address of a site. */
export const isBeforeSite = (word: string): boolean => VERBS.has(word) || PLACES.has(word) || isParticiple(word) || isAdverb(word) || isComparative(word);
export const isPlace = (word: string): boolean => PLACES.has(word);
