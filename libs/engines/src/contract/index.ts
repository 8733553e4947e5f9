export * from './language-model-contract.js';
export * from './speaker-diarizer-contract.js';
export * from './speech-recognizer-contract.js';
export * from './streaming-recognizer-contract.js';
export * from './text-embedder-contract.js';
