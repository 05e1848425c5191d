/** Whether this is the long form, `npm run soak`: every row of the tables, and more inputs, rounds and kills. */
export const IS_SOAK = process.env["FUZZ_RUNS"] !== undefined;

/** How many inputs are tried: `usually`, or those of `FUZZ_RUNS` in the long form. */
export function runs(usually: number): number {
  return Number(process.env["FUZZ_RUNS"] ?? usually);
}
