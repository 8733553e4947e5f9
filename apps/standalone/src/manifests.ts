import { manifest as diarization } from '@parlance/diarization';
import { manifest as gateway } from '@parlance/gateway';
import { manifest as ingest } from '@parlance/ingest';
import type { AnyServiceManifest } from '@parlance/runtime';
import { manifest as search } from '@parlance/search';
import { manifest as summary } from '@parlance/summary';
import { manifest as transcription } from '@parlance/transcription';
import { manifest as webhookDispatcher } from '@parlance/webhook-dispatcher';

/** All seven, in the order of start; they stop the other way round, so the gateway first stops taking. */
export const manifests: readonly AnyServiceManifest[] = [
  webhookDispatcher,
  search,
  summary,
  diarization,
  transcription,
  ingest,
  gateway,
];
