import { runProgram } from '@parlance/runtime/process';
import { MEDIA_DECODER } from './media-decoder-name.js';
import { runMediaDecoder } from './media-decoder-process.js';

await runProgram(MEDIA_DECODER, runMediaDecoder);
