/** Headers by which a file of a job is sent. */
export interface FileDelivery {
  /** `inline`: a browser shows the file where it can; `attachment`: it saves the file. */
  disposition: 'inline' | 'attachment';
  /** Further headers, such as how long it may be kept. */
  headers: Readonly<Record<string, string>>;
}

/** To a caller with a key. */
export const FILE_DELIVERY: FileDelivery = { disposition: 'attachment', headers: { 'cache-control': 'private, no-cache', 'cross-origin-resource-policy': 'same-origin' } };
