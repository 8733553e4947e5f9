/** How many event ids a document remembers: far more than can be on their way to it twice, as delivery is in order per key. */
export const INBOX_SIZE = 128;

/** The ids of the events that a document has taken in, oldest first. */
export type Inbox = readonly string[];

export const hasTakenIn = (inbox: Inbox, eventId: string): boolean => inbox.includes(eventId);

/** The inbox with one id more, without the oldest when it is full. */
export const takeIn = (inbox: Inbox, eventId: string): Inbox => [...inbox, eventId].slice(-INBOX_SIZE);
