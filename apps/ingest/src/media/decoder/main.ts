import { runProgram } from '@parlance/runtime';
import { MEDIA_DECODER } from './media-decoder-name.js';
import { runMediaDecoder } from './media-decoder-process.js';

await runProgram(MEDIA_DECODER, runMediaDecoder);
