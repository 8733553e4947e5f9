export * from './folded-terms.js';
export * from './language-hint.js';
export * from './language-tag.js';
export * from './scripts.js';
export * from './text-direction.js';
export * from './whisper-languages.js';
export * from './written-words.js';
