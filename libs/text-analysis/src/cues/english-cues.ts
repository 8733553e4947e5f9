/** What an utterance does, by the words it does it with. English, as it is spoken. */

const VERBS =
  'send|write|call|e-?mail|mail|phone|check|prepare|schedule|book|order|fix|repair|update|review|share|finish|complete|deliver|draft|organi[sz]e|arrange|ask|tell|talk to|speak (?:to|with)|' +
  'set|create|make|build|buy|contact|confirm|submit|add|remove|test|investigate|look (?:into|at)|follow|report|bring|find|get back|get in touch|take care|move|pay|invite|post|publish|present|' +
  'research|sign|upload|handle|plan|print|coordinate|document|implement|deploy|put together|reach out|circulate|forward|file|clean|install|hire|read|change|start|help|work on|provide|give|have|do|' +
  'come back|summari[sz]e|collect|compare|measure|order|reserve|rewrite|translate|train|verify|visit';
const FILLER = /^\s+(?:also|then|just|probably|definitely|certainly|please|have to|need to|try to|go and)/;

/** What is to be done, from the beginning of what follows a lead. Leads are matched on their own, so that each pattern reads a text once. */
const DOES_AT_ONCE = new RegExp(String.raw`^\s+(?:${VERBS})\b`);
/** Characters after a lead in which the verb stands. */
const REACH = 200;

const COMMITMENT = /\b(?:i'?ll|i will|i shall|i(?:'m| am) (?:going to|gonna)|let me)/g;
const REQUEST = /\b(?:can|could|would|will) you/g;
const REQUEST_AT_ONCE = /\b(?:please|you (?:should|need to|have to|must)|(?:make sure|remember|don'?t forget) to)/g;
const SHARED = /\bwe (?:need to|have to|should|must)/g;
const SHARED_AT_ONCE = /\blet'?s/g;
const NAMED = /\b(?:action item|to-?do|next steps?|follow[- ]?up|deadline|is responsible for|takes care of)\b/;
/** Somebody who is neither the speaker nor the listener: `Ann will send`. The word before is looked at by whoever knows names. */
const THIRD = /(?<![\p{L}'-])['-]*(\p{L}[\p{L}'-]*),?\s+(?:will|is going to|needs to|has to|should|must|please|can you|could you|would you)/gu;
const HEDGED = /\b(?:i'?ll|let me) (?:tell you|be honest|give you (?:an|one) example|have (?:a|the) (?:coffee|tea|beer))\b|\bif i were\b|\bplease (?:have a seat|come in)\b/;

const DECISION =
  /\b(?:we(?:'ve| have)? (?:all )?(?:decided|agreed|chosen|chose|settled|approved|concluded|resolved|voted)|(?:it'?s|it is|that'?s|that is|so) (?:agreed|decided|settled|approved)|(?:our|the|my|final) decision|let'?s go (?:with|ahead)|we(?:'ll| will|'re going to| are going to) (?:go (?:with|ahead)|use|adopt|choose|switch|stop|start with|launch|cancel|postpone|keep|drop|move (?:to|forward))|i approve|was approved|motion (?:is )?(?:passed|carried)|signed off on|(?:has|have|got|get) the green light)\b/;

const INSIGHT: readonly [pattern: RegExp, weight: number][] = [
  [/\b(?:turns? out|we (?:learned|learnt|found(?: out)?|noticed|discovered|realized|realised)|i (?:learned|learnt|found(?: out)?|noticed|discovered|realized|realised))\b/, 2],
  [/\bthe (?:main|real|biggest|key|most important|only) (?:reason|problem|issue|point|challenge|thing|risk|benefit|question|difference|lesson)\b/, 2],
  [/\b(?:key takeaway|lesson|as a result|(?:which|that|this) means|(?:data|numbers|figures|results) (?:show|suggest|say|tell)s?)\b/, 2],
  [/\b(?:because|therefore|so that is why|that'?s why|in fact|surpris\w+|interesting(?:ly)?|important(?:ly)?|problems? with|depends on)\b/, 1],
  [/\b(?:percent|per cent|twice|double[ds]?|half of|increas\w+|decreas\w+|grew|grown|dropped|fell|more than|less than|million|billion|thousand)\b/, 1],
];

export interface ActionCue {
  /** Who is to do it. */
  by: 'speaker' | 'listener' | 'everybody' | { name: string };
  /** How surely something is to be done. */
  weight: number;
}

const plain = (text: string): string => text.toLowerCase().replaceAll('’', "'");

const doesAtOnce = (text: string): boolean => DOES_AT_ONCE.test(text);

/** The same behind words such as `just` and `probably`. */
function does(text: string): boolean {
  if (doesAtOnce(text)) return true;
  const filler = FILLER.exec(text)?.[0];
  return filler !== undefined && does(text.slice(filler.length));
}

/** The first place where the lead is followed by what is to be done. */
function followed(lead: RegExp, isNext: (text: string) => boolean, said: string): RegExpExecArray | undefined {
  lead.lastIndex = 0;
  for (let match = lead.exec(said); match; match = lead.exec(said)) {
    if (isNext(said.slice(lead.lastIndex, lead.lastIndex + REACH))) return match;
    lead.lastIndex = match.index + 1;
  }
  return undefined;
}

/** undefined: nobody is to do anything. @param isName whether a word, in lower case, is somebody's name */
export function actionCue(text: string, isName: (word: string) => boolean): ActionCue | undefined {
  const said = plain(text);
  if (HEDGED.test(said)) return undefined;
  const name = followed(THIRD, does, said)?.[1];
  if (name !== undefined && isName(name)) return { by: { name }, weight: 3 };
  if (followed(COMMITMENT, does, said)) return { by: 'speaker', weight: 3 };
  if (NAMED.test(said)) return { by: 'everybody', weight: 2 };
  if (followed(REQUEST, does, said) ?? followed(REQUEST_AT_ONCE, doesAtOnce, said)) return { by: 'listener', weight: 2 };
  return (followed(SHARED, does, said) ?? followed(SHARED_AT_ONCE, doesAtOnce, said)) ? { by: 'everybody', weight: 1 } : undefined;
}

/** The word that would have to be a name for `actionCue` to take it for the owner. */
export const possibleOwner = (text: string): string | undefined => followed(THIRD, does, plain(text))?.[1];

export const isDecision = (text: string): boolean => DECISION.test(plain(text));

/** 0: nothing points to an insight. */
export const insightWeight = (text: string): number => {
  const said = plain(text);
  return INSIGHT.reduce((sum, [pattern, weight]) => sum + (pattern.test(said) ? weight : 0), 0);
};

/** Whether something is asked and not stated. */
export const isQuestion = (text: string): boolean =>
  /\?\s*$/.test(text) || /^(?:who|what|when|where|why|how|which|do|does|did|is|are|was|were|can|could|would|will|should|have|has)\b/.test(plain(text).trim());
