import type { FieldError } from '@parlance/platform';
import { invalidFields } from '../http/field-errors.js';
import type { AccountPlans } from './account-plans.js';
import type { Retention } from './plan.js';

/** As a job asks for, and as it gets. */
interface JobRetention {
  retention_hours?: number | undefined;
  media_retention_hours?: number | undefined;
}

/** The retention of a job and its media: by the job, else its account, else the plan, else the operator's settings. */
export class RetentionRules {
  /** @param settings the operator's */
  constructor(
    private readonly accounts: { get(id: string): Promise<{ retention?: Retention } | undefined> },
    private readonly plans: Pick<AccountPlans, 'of'>,
    private readonly settings: Retention,
  ) {}

  /** @throws AppError invalid_request when the job asks for more than the account may have */
  async of(accountId: string, asked: JobRetention): Promise<JobRetention> {
    const levels = [(await this.accounts.get(accountId))?.retention, (await this.plans.of(accountId)).limits.retention, this.settings];
    const first = (name: keyof Retention) => levels.map((level) => level?.[name]).find((hours) => hours !== undefined);
    const maxHours = Math.min(...levels.map((level) => level?.maxHours ?? Infinity));
    const errors = [...tooLong('/retention_hours', asked.retention_hours, maxHours), ...tooLong('/media_retention_hours', asked.media_retention_hours, maxHours)];
    if (errors.length > 0) throw invalidFields(errors);
    return {
      retention_hours: atMost(asked.retention_hours ?? first('defaultHours'), maxHours),
      media_retention_hours: asked.media_retention_hours ?? first('mediaHours'),
    };
  }
}

const tooLong = (pointer: string, hours: number | undefined, maxHours: number): FieldError[] =>
  hours !== undefined && hours > maxHours ? [{ pointer, code: 'too_large', detail: `The account may keep jobs for at most ${maxHours} hours.` }] : [];

/** A missing retention becomes the maximum. */
function atMost(hours: number | undefined, maxHours: number): number | undefined {
  const bounded = Math.min(hours ?? Infinity, maxHours);
  return bounded === Infinity ? undefined : bounded;
}
