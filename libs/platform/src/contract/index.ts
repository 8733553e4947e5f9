export { chanceFor, fixedSeed, seedOf, randomFrom } from './chance.js';
export { eventually } from './eventually.js';
export { reserveAddresses, reservePort, reservePorts } from './reserve-ports.js';
