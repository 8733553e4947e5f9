export { eventually } from './eventually.js';
export { freePorts } from './free-ports.js';
