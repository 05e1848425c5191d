import * as fc from "fast-check";
import { inject } from "vitest";

/** What property tests begin from, unless they name a seed of their own. */
fc.configureGlobal({ seed: inject("fuzzSeed") });
