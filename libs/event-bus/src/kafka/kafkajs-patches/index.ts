/** The only version that the patches below were written for and tested with. README.md has their faults, tests and ends. */
export const PATCHED_VERSION = '2.2.4';

import './produce-request.js';
import './quiet-request-queue.js';
import './record-headers.js';
