export { chanceFor, fixedSeed, seedOf, randomFrom } from './chance.js';
export { eventually } from './eventually.js';
export { freePorts } from './free-ports.js';
