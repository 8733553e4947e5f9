/** Sounds of hesitation in English, as recognisers write them. Words with a meaning, such as like, are none. */
export const ENGLISH_FILLERS: ReadonlySet<string> = new Set('um umm uh uhh uhm er err erm hm hmm mm mmm'.split(' '));

/** Common English swear words. The list is short: it finds neither spellings that hide a word nor insults that are also common words. */
export const ENGLISH_PROFANITY: ReadonlySet<string> = new Set(
  (
    'fuck fucks fucked fucker fuckers fucking motherfucker motherfuckers motherfucking shit shits shitty bullshit bitch bitches bastard bastards ' +
    'asshole assholes arsehole arseholes cunt cunts damn damned goddamn goddamned wanker wankers twat twats slut sluts whore whores'
  ).split(' '),
);
