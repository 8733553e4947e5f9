import type { TrackFile, UploadOptions } from './job-options-schema.js';

/** The options of a job whose participants have a file each: these are its channels, in their order. */
export const trackOptions = (files: readonly TrackFile[], options: UploadOptions): UploadOptions => ({
  ...options,
  channels: 'split',
  channel_names: files.map(({ speaker }, index) => speaker ?? `Speaker ${index + 1}`),
});
