import { addressLadder } from '@parlance/egress';

interface AddressLimit {
  group: string;
  limit: number;
}

/** Each wider group of addresses may do this many times as much as the one within it. */
const FACTOR = 4;

/** The limits of an address and of each wider group around it, from the narrowest to the widest. */
export const addressLimits = (address: string, limit: number): AddressLimit[] => addressLadder(address).map((group, rung) => ({ group, limit: limit * FACTOR ** rung }));
