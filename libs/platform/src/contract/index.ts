export { chanceFor, fixedSeed, seedOf, randomFrom } from './chance.js';
export { eventually } from './eventually.js';
export { TIME_FACTOR } from './time-factor.js';
export { reserveAddresses, reservePort, reservePorts } from './reserve-ports.js';
