/** How many times slower this machine is than a quiet one, 1 at least: .ci/runner measures it, and the time limits of tests grow with it. */
export const TIME_FACTOR = Number(process.env['TIME_FACTOR'] ?? 1);
