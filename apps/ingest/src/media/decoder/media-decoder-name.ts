/** Name of the program, in logs, metrics and the image's entry point. */
export const MEDIA_DECODER = 'media-decoder';
