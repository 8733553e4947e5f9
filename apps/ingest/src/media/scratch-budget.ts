import { AppError } from '@parlance/platform';
import { storageFull, type DiskReserve, type RoomReservation } from '@parlance/storage';

/** Share of the room on the disk; the rest is for uploads and other files. */
const SCRATCH_SHARE = 3 / 4;
/** Share of that for one account: its recordings cannot keep the others waiting. */
const ACCOUNT_SHARE = 2 / 3;

/** Scratch room of one job. */
export interface ScratchRoom {
  /** So many bytes of it were written. */
  wrote(bytes: number): void;
  /** So many bytes of it are for other files, which are written now. */
  give(bytes: number): void;
  /** @throws AppError scratch_busy, storage_full when there is not so much more now */
  extend(bytes: number): Promise<void>;
  /** Once its files are gone. */
  release(): void;
}

/**
 * Room for the scratch files of jobs, each reserved whole before it begins. A job that finds none waits outside: it is tried
 * again later, and holds neither room nor a place to decode meanwhile.
 */
export class ScratchBudget {
  private readonly held = new Map<string, number>();

  /** @param maxBytes of all scratch files of this process together */
  constructor(
    private readonly disk: Pick<DiskReserve, 'capacity' | 'room' | 'reserve'>,
    private readonly maxBytes = Infinity,
  ) {}

  /** @throws AppError scratch_busy when other jobs hold what the account needs; storage_full when the disk is full, not retryable when it never fits */
  async reserve(accountId: string, bytes: number): Promise<ScratchRoom> {
    await this.admit(accountId, bytes, bytes);
    try {
      return this.roomOf(accountId, bytes, await this.disk.reserve(bytes));
    } catch (error) {
      this.hold(accountId, -bytes);
      throw error;
    }
  }

  private roomOf(accountId: string, bytes: number, room: RoomReservation): ScratchRoom {
    let own = bytes;
    const giveBack = (count: number) => {
      const given = Math.min(count, own);
      own -= given;
      this.hold(accountId, -given);
    };
    return {
      wrote: (count) => room.consume(count),
      give: (count) => {
        room.consume(count);
        giveBack(count);
      },
      extend: async (more) => {
        await this.admit(accountId, more, own + more);
        own += more;
        // Room that is held and not on the disk is given back with the rest.
        if (!(await room.extend(more))) throw storageFull();
      },
      release: () => {
        room.release();
        giveBack(own);
      },
    };
  }

  /** Counts the bytes as held when they fit, in one step: two that ask at once must not get the same room. */
  private async admit(accountId: string, bytes: number, ofJob: number): Promise<void> {
    const ever = Math.min((await this.disk.capacity()) * SCRATCH_SHARE, this.maxBytes) * ACCOUNT_SHARE;
    if (ofJob > ever) throw neverFits();
    const room = await this.disk.room();
    const all = [...this.held.values()].reduce((sum, each) => sum + each, 0);
    const budget = Math.min((room + all) * SCRATCH_SHARE, this.maxBytes);
    const ofAccount = (this.held.get(accountId) ?? 0) + bytes;
    if (all + bytes > budget || ofAccount > budget * ACCOUNT_SHARE) {
      // A recording that would fit if no other job held room waits for jobs, and not for an operator.
      throw room > 0 && ofJob <= budget * ACCOUNT_SHARE ? scratchBusy() : storageFull();
    }
    this.hold(accountId, bytes);
  }

  private hold(accountId: string, bytes: number): void {
    const left = (this.held.get(accountId) ?? 0) + bytes;
    if (left > 0) this.held.set(accountId, left);
    else this.held.delete(accountId);
  }
}

const scratchBusy = () => new AppError({ kind: 'unavailable', code: 'scratch_busy', message: 'Other recordings occupy the scratch space.' });

const neverFits = () =>
  new AppError({ kind: 'unavailable', code: 'storage_full', message: 'Decoding the recording needs more space than this server has. Split it into parts.', retryable: false });
