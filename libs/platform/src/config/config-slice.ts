import { z } from 'zod';

/** A module's settings: one zod schema an environment variable; `.describe()` is the line on the reference page. */
export type ConfigShape = Record<string, z.ZodType>;
export type ConfigOf<S extends ConfigShape> = { [K in keyof S]: z.output<S[K]> };

/** Wrong settings, each with a line of its own; the process does not start. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  constructor(readonly problems: string[]) {
    super(problems.join('\n'));
  }
}

export interface ConfigSource {
  env: Record<string, string | undefined>;
  /** Reads the file that `NAME_FILE` points at. */
  readFile(path: string): string;
}

/**
 * Reads the given slices from the environment. `NAME_FILE` gives the value of NAME from a file (a mounted secret).
 * @throws ConfigError listing every wrong value at once.
 */
export function readConfig<S extends ConfigShape>(shape: S, source: ConfigSource): ConfigOf<S> {
  const problems: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(shape)) {
    const raw = rawValue(name, source, problems);
    const parsed = schema.safeParse(raw === '' ? undefined : raw);
    if (parsed.success) values[name] = parsed.data;
    else for (const issue of parsed.error.issues) problems.push(`${name}: ${issue.message}`);
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return values as ConfigOf<S>;
}

function rawValue(name: string, { env, readFile }: ConfigSource, problems: string[]): string | undefined {
  const direct = env[name];
  const file = env[`${name}_FILE`];
  if (file === undefined || file === '') return direct;
  if (direct !== undefined && direct !== '') {
    problems.push(`${name}: set ${name} or ${name}_FILE, not both`);
    return direct;
  }
  try {
    return readFile(file).trim();
  } catch (error) {
    problems.push(`${name}_FILE: cannot read ${file} (${(error as NodeJS.ErrnoException).code ?? 'error'})`);
    return undefined;
  }
}

/** An integer written in decimal. */
export const integer = (min: number, max = Number.MAX_SAFE_INTEGER) =>
  z
    .string()
    .regex(/^-?\d+$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().min(min).max(max));

/** A list with commas between. */
export const list = () =>
  z.string().transform((value) =>
    value
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== ''),
  );

/** A list of integers; an invalid list is reported in one line, however many of its items are wrong. */
export const integers = (min: number, max: number) =>
  list().transform((items, context): number[] => {
    if (items.every((item) => integer(min, max).safeParse(item).success)) return items.map(Number);
    context.addIssue({ code: 'custom', message: `must be whole numbers, comma-separated, each from ${min} to ${max}` });
    return z.NEVER;
  });
