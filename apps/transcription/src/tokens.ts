/** Injection tokens: ports and parts are types, which Nest cannot see. */
export const RECOGNIZER = Symbol('SpeechRecognizer');
export const CHECKPOINTS = Symbol('ChunkCheckpoints');
export const TRANSCRIPTS_STORE = Symbol('TranscriptStore');
export const PARTS = Symbol('TranscriptionParts');
export const DOCUMENTS = Symbol('DocumentWriter');
