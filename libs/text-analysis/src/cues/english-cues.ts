/** What an utterance does, by the words it does it with. English, as it is spoken. */

const VERBS =
  'send|write|call|e-?mail|mail|phone|check|prepare|schedule|book|order|fix|repair|update|review|share|finish|complete|deliver|draft|organi[sz]e|arrange|ask|tell|talk to|speak (?:to|with)|' +
  'set|create|make|build|buy|contact|confirm|submit|add|remove|test|investigate|look (?:into|at)|follow|report|bring|find|get back|get in touch|take care|move|pay|invite|post|publish|present|' +
  'research|sign|upload|handle|plan|print|coordinate|document|implement|deploy|put together|reach out|circulate|forward|file|clean|install|hire|read|change|start|help|work on|provide|give|have|do|' +
  'come back|summari[sz]e|collect|compare|measure|order|reserve|rewrite|translate|train|verify|visit';
const FILLER = String.raw`(?:\s+(?:also|then|just|probably|definitely|certainly|please|have to|need to|try to|go and))*`;

const COMMITMENT = new RegExp(String.raw`\b(?:i'?ll|i will|i shall|i(?:'m| am) (?:going to|gonna)|let me)${FILLER}\s+(?:${VERBS})\b`);
const REQUEST = new RegExp(String.raw`(?:\b(?:can|could|would|will) you${FILLER}|\bplease|\byou (?:should|need to|have to|must)|\b(?:make sure|remember|don'?t forget) to)\s+(?:${VERBS})\b`);
const SHARED = new RegExp(String.raw`(?:\bwe (?:need to|have to|should|must)${FILLER}|\blet'?s)\s+(?:${VERBS})\b`);
const NAMED = /\b(?:action item|to-?do|next steps?|follow[- ]?up|deadline|is responsible for|takes care of)\b/;
/** Somebody who is neither the speaker nor the listener: `Ann will send`. The word before is looked at by whoever knows names. */
const THIRD = new RegExp(String.raw`\b([\p{L}'-]+),?\s+(?:will|is going to|needs to|has to|should|must|please|can you|could you|would you)${FILLER}\s+(?:${VERBS})\b`, 'u');
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

/** undefined: nobody is to do anything. @param isName whether a word, in lower case, is somebody's name */
export function actionCue(text: string, isName: (word: string) => boolean): ActionCue | undefined {
  const said = plain(text);
  if (HEDGED.test(said)) return undefined;
  const name = THIRD.exec(said)?.[1];
  if (name !== undefined && isName(name)) return { by: { name }, weight: 3 };
  if (COMMITMENT.test(said)) return { by: 'speaker', weight: 3 };
  if (NAMED.test(said)) return { by: 'everybody', weight: 2 };
  if (REQUEST.test(said)) return { by: 'listener', weight: 2 };
  return SHARED.test(said) ? { by: 'everybody', weight: 1 } : undefined;
}

/** The word that would have to be a name for `actionCue` to take it for the owner. */
export const possibleOwner = (text: string): string | undefined => THIRD.exec(plain(text))?.[1];

export const isDecision = (text: string): boolean => DECISION.test(plain(text));

/** 0: nothing points to an insight. */
export const insightWeight = (text: string): number => {
  const said = plain(text);
  return INSIGHT.reduce((sum, [pattern, weight]) => sum + (pattern.test(said) ? weight : 0), 0);
};

/** Whether something is asked and not stated. */
export const isQuestion = (text: string): boolean =>
  /\?\s*$/.test(text) || /^(?:who|what|when|where|why|how|which|do|does|did|is|are|was|were|can|could|would|will|should|have|has)\b/.test(plain(text).trim());
