/** What the operations of a tag are about; a tag that is not here stands in the description without words. */
export const TAG_DESCRIPTIONS: Readonly<Record<string, string>> = {
  Transcriptions: 'Jobs: made, watched, canceled, retried, deleted.',
  Transcripts: 'What was said, as JSON, text, captions or a document.',
  Speakers: 'Who speaks; named and merged.',
  'Summaries and highlights': 'What was derived from a transcript, each item with its evidence.',
  Search: 'Passages of all transcripts, by words and by meaning.',
  Chat: 'Questions to one transcript or to all, answered with citations.',
  Languages: 'What the speech engine takes.',
  Webhooks: 'Deliveries of events, their receivers and the secret that signs them.',
  Events: 'What happened to the jobs of the account, to be read again.',
  Keys: 'API keys: made, rotated, revoked.',
  Account: 'The account itself.',
  Accounts: 'Signing up.',
  'Sign-up': 'Signing up.',
  Usage: 'Seconds of audio transcribed, and the limits.',
};
