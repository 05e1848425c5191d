import type { Reporter } from "vitest/node";

/** Says at the end of a run how to repeat what was random in it. */
export class RunSeed implements Reporter {
  onTestRunEnd(): void {
    process.stdout.write(`\nTo repeat what was random in this run: FUZZ_SEED=${process.env["FUZZ_SEED"]}\n`);
  }
}
