import { Inject, Injectable } from '@nestjs/common';
import { AppError } from '@parlance/platform';
import type { FastifyRequest } from 'fastify';
import { KeyEndings } from '../keys/key-endings.js';
import { watchUpload } from './upload-pace.js';
import { UploadStore } from './upload-store.js';

interface RequestWatch {
  /** Aborted when the upload is too slow, its key ends, its account is disabled, or its client goes away. */
  signal: AbortSignal;
  stop(): void;
}

/** Watches requests whose bodies may take days. */
@Injectable()
export class RequestWatches {
  constructor(
    @Inject(KeyEndings) private readonly keys: Pick<KeyEndings, 'watch'>,
    @Inject(UploadStore) private readonly uploads: Pick<UploadStore, 'limits'>,
  ) {}

  /** @param credentialId the id of the key or token that the request was made with @param maxBytes what it may have when it does not say how long it is */
  start({ raw }: FastifyRequest, credentialId: string, maxBytes = this.uploads.limits.maxBytes): RequestWatch {
    const paceWatch = watchUpload(raw, this.uploads.limits.pace, maxBytes);
    const end = new AbortController();
    const unwatchKey = this.keys.watch(credentialId, (why) => end.abort(why));
    const onClose = () => {
      if (!raw.complete) end.abort(new AppError({ kind: 'invalid', code: 'malformed_request', message: 'The request ended before it was complete.' }));
    };
    raw.once('close', onClose);
    const stop = () => {
      raw.off('close', onClose);
      unwatchKey();
      paceWatch.stop();
    };
    return { signal: AbortSignal.any([paceWatch.signal, end.signal]), stop };
  }
}
