import type { SplitPoint } from '@parlance/transcript';

/** A change of segments, as an editor asks for it. */
export type SegmentOperation =
  | { kind: 'edit'; segmentId: string; text?: string | undefined; speakerId?: string | undefined }
  | { kind: 'split'; segmentId: string; point: SplitPoint }
  | { kind: 'merge'; segmentIds: readonly string[] }
  | { kind: 'assign_speaker'; segmentIds: readonly string[]; speakerId: string }
  | { kind: 'delete'; segmentId: string };

/** An operation that cannot be done, with the field that is wrong. */
export class OperationRefused extends Error {
  override readonly name = 'OperationRefused';

  constructor(
    readonly field: string,
    readonly code: 'not_found' | 'invalid_value' | 'too_long',
    message: string,
  ) {
    super(message);
  }
}
