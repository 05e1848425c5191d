import { HostingFailure } from "./failure.ts";
import type { RequestBudget } from "./hosting.ts";

/** The counting side of a `RequestBudget`. */
export interface Budget extends RequestBudget {
  /** Counts one request. Throws when none is left: the next delivery goes on at once. */
  take(): void;
}

export function createBudget(requests: number): Budget {
  let left = requests;
  return {
    get left() {
      return left;
    },
    take() {
      if (left <= 0) throw new HostingFailure("unavailable", "The deployment continues in a moment", 0);
      left -= 1;
    },
  };
}
