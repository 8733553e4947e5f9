/** Injection tokens of what the module wires. */
export const SEARCH_INDEX = Symbol('SearchIndex');
export const PARTS = Symbol('SearchParts');
export const EMBEDDER = Symbol('TextEmbedder');
export const TRANSCRIPT_SEARCH = Symbol('TranscriptSearch');
export const CHAT = Symbol('TranscriptChat');
export const CONVERSATIONS = Symbol('Conversations');
