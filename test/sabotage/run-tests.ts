import { TestRun } from "./test-run.ts";

/** `run-tests.ts FILES`: runs test files in the folder of this process until one fails. Prints its name as a last line of JSON. */
const run = await TestRun.create();
const failed = await run.firstFailure(process.argv.slice(2));
process.stdout.write(`\n${JSON.stringify({ failed: failed ?? null })}\n`);
await run.close();
process.exit(0);
