import type { Provider } from '@nestjs/common';
import { DocumentWriter } from '@parlance/documents';
import { SERVICE_CONTEXT, type ServiceContext } from '@parlance/runtime';
import type { transcriptionConfig } from '../transcription.config.js';

/** Writes DOCX and PDF files. */
export const documentWriter: Provider = {
  provide: DocumentWriter,
  useFactory: ({ config, scratchFolder }: ServiceContext<typeof transcriptionConfig>) =>
    new DocumentWriter({
      concurrency: config.DOCUMENT_CONCURRENCY,
      maxWaitMs: config.DOCUMENT_WAIT_SECONDS * 1000,
      scratchFolder,
      spoolBytes: config.DOCUMENT_SPOOL_MAX_BYTES,
    }),
  inject: [SERVICE_CONTEXT],
};
