import { isIPv6 } from 'node:net';
import type { AddressLookup } from './permitted-lookup.js';

/** For tests: a resolver with the given answers, look-up by look-up; the last one is repeated. */
export function scriptedLookup(names: Readonly<Record<string, readonly (readonly string[])[]>>): AddressLookup {
  const calls = new Map<string, number>();
  return (name, _options, callback) => {
    const answers = names[name] ?? [[]];
    const call = calls.get(name) ?? 0;
    calls.set(name, call + 1);
    const answer = answers[Math.min(call, answers.length - 1)] ?? [];
    callback(null, answer.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 })));
  };
}
