import { isIP } from 'node:net';
import { buildConnector } from 'undici';
import type { AddressPolicy } from './address-policy.js';
import { forbidden, portOf } from './checked-url.js';
import { permittedLookup, type AddressLookup } from './permitted-lookup.js';

/** Opens sockets to permitted addresses only, exactly those that were checked. @param timeout milliseconds for look-up, TCP and TLS together */
export function guardedConnector(policy: AddressPolicy, lookup: AddressLookup, timeout: number): buildConnector.connector {
  const byPort = new Map<number, buildConnector.connector>();
  const connectorFor = (port: number) => {
    const known = byPort.get(port) ?? buildConnector({ timeout, lookup: permittedLookup(policy, lookup, port), autoSelectFamily: true });
    byPort.set(port, known);
    return known;
  };
  return (options, callback) => {
    const port = portOf(options);
    // A literal address is connected to without any look-up.
    const verdict = isIP(options.hostname) === 0 ? 'permitted' : policy.judge(options.hostname, port);
    if (verdict === 'permitted') connectorFor(port)(options, callback);
    else callback(forbidden(verdict), null);
  };
}
