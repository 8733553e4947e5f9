import { constants } from 'node:zlib';
import compress from '@fastify/compress';
import type { FastifyInstance } from 'fastify';

/** Bytes below which an answer is sent as it is: it fits into one packet either way. */
const THRESHOLD_BYTES = 1024;
/** Bytes of an answer that is compressed at once, which takes less than a millisecond. Longer ones are compressed by zlib's threads, beside the event loop. */
const SYNC_BYTES = 16_384;

/** Answers that become shorter: not DOCX and PDF, which are compressed already, and not event streams, of which each event is sent at once. */
const COMPRESSIBLE = /^(?:text\/(?!event-stream)|application\/(?:json|javascript|x-subrip|xml|[\w.-]+\+xml)(?:;|$))/;

/**
 * Compresses answers by Accept-Encoding. Without cookies no other site can make a browser send a request with a key, which
 * the BREACH attack needs; answers with secrets (`no-store`) are nevertheless sent as they are.
 */
export function compressAnswers(server: FastifyInstance): void {
  server.addHook('onSend', (request, reply, _payload, done) => {
    // The plugin reads this header before it compresses; it has no option for a single answer.
    if (reply.getHeader('cache-control') === 'no-store') request.headers['x-no-compression'] = 'no-store';
    done();
  });
  void server.register(compress, {
    globalDecompression: false,
    encodings: ['br', 'gzip'],
    threshold: THRESHOLD_BYTES,
    syncThreshold: SYNC_BYTES,
    customTypes: COMPRESSIBLE,
    // A window of 512 kB instead of 4 MB, for many answers at a time.
    brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_LGWIN]: 19 } },
  });
}
