import type { Bench } from "./bench.ts";
import { NotPossible, type Measurement } from "./measurement.ts";
import type { Result } from "./report.ts";
import { killServices } from "./service.ts";

/** No measurement takes nearly as long; one that does waits for something that does not come. */
const LONGEST_MINUTES = 30;

/**
 * Makes a measurement. One that fails, or does not end, is reported in the result, and the services that it started are killed:
 * the next measurement begins with a new one.
 */
export async function attempt(measurement: Measurement, bench: Bench): Promise<Result> {
  const trouble = Promise.withResolvers<never>();
  const late = setTimeout(
    () => trouble.reject(new Error(`it did not end within ${LONGEST_MINUTES} minutes`)),
    LONGEST_MINUTES * 60_000,
  );
  // An error that nothing awaits, such as that of a socket, would end the whole run.
  process.on("uncaughtException", trouble.reject);
  try {
    return { measurement, figures: await Promise.race([measurement.run(bench), trouble.promise]) };
  } catch (error) {
    if (error instanceof NotPossible) return { measurement, figures: [], notRun: error.message };
    killServices();
    bench.forget();
    const problem = error instanceof Error ? error.message : String(error);
    return { measurement, figures: [], notRun: `it failed: ${problem}`, hasFailed: true };
  } finally {
    clearTimeout(late);
    process.off("uncaughtException", trouble.reject);
  }
}
