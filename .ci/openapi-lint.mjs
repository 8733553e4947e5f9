// Each thing that Redocly finds in the API description named as its argument, in one line.
import { createConfig, lint } from '@redocly/openapi-core';

const config = await createConfig({ extends: ['recommended-strict'] });
const problems = await lint({ ref: process.argv[2], config });
for (const { ruleId, message, location } of problems) console.log(`${ruleId}: ${message} ${location[0]?.pointer ?? ''}`);
process.exitCode = problems.length === 0 ? 0 : 1;
