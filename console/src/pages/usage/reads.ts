import { keys, stale, useChanged, useListed, useRead } from "../../service/reads.ts";
import { workspace } from "../../service/workspace.ts";
import type { Call } from "./daily.ts";
import { spanOf, type Days } from "./periods.ts";

/** Entries of one page of the log. */
export const LOGS = 50;
const PAGE = 500;
const MOST_PAGES = 10;

/** The sums of a period. A call changes them, and with them all that is told of the calls. */
export function useUsage(days: Days) {
  const sums = useListed(["usage", "sums", days], (signal) => workspace.usage.get(spanOf(days), { signal }));
  useChanged(sums.data && JSON.stringify(sums.data.by_model), () =>
    stale(["usage", "calls", days], ["usage", "log", days], keys.credits),
  );
  return sums;
}

export const useLog = (days: Days, page: number) =>
  useRead(["usage", "log", days, page], (signal) =>
    workspace.usage.logs({ ...spanOf(days), limit: LOGS, offset: (page - 1) * LOGS }, { signal }),
  );

/** Calls of a period, newest first; `isWhole` is false where there are too many to read. */
export const useCalls = (days: Days) =>
  useRead(["usage", "calls", days], async (signal) => {
    const calls: Call[] = [];
    for (let page = 0; page < MOST_PAGES; page += 1) {
      // oxlint-disable-next-line no-await-in-loop -- the length of a page tells whether there is another
      const { logs } = await workspace.usage.logs(
        { ...spanOf(days), limit: PAGE, offset: page * PAGE },
        { signal },
      );
      calls.push(...logs);
      if (logs.length < PAGE) return { calls, isWhole: true };
    }
    return { calls, isWhole: false };
  });
