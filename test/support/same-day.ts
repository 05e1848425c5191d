/** The date in a time zone, as `2026-01-31`. */
export const dateIn = (timeZone: string) => new Intl.DateTimeFormat("en-CA", { timeZone }).format(new Date());

/** Runs a test that has to begin and end on one day of a time zone; once more when midnight made it fail. */
export async function onOneDay(timeZone: string, run: () => Promise<void>): Promise<void> {
  const day = dateIn(timeZone);
  try {
    await run();
  } catch (error) {
    if (dateIn(timeZone) === day) throw error;
    await run();
  }
}
