import type { ConfigurationProblem } from "./problem.ts";

/**
 * Variables that documented configurations contain and this version does not implement. Setting one is an error,
 * because the operator relies on its effect. Remove a name from the list when it is implemented.
 */
const UNSERVED: ReadonlySet<string> = new Set([
  ...namesOf("MAGIC_LINK", "CODE_LENGTH CODE_EXPIRY_SECONDS MAX_ATTEMPTS TEMP_TOKEN_EXPIRY_SECONDS"),
  ...namesOf("MAGIC_LINK_RATE_LIMIT", "WINDOW_SECONDS MAX_REQUESTS"),
  ...namesOf("WORKER", "MAX_JOBS JOB_TIMEOUT MAX_TRIES"),
  ...namesOf("GATEWAY", "LOCK_DIR"),
  "SIGNAL_CLI_URL",
  "STRIPE_CONNECT_CLIENT_ID",
  ...["BASIC", "PRO", "ULTRA"].map((tier) => `STRIPE_${tier}_MONTHLY_PRICE_ID`),
  "USAGE_INVOICE_DAY",
  "LOCAL_PORT_RANGE_START",
  "LOCAL_PORT_RANGE_END",
  "DEPLOYMENT_MODE",
  ...namesOf("CONTAINER_PUSH", "TIMEOUT DEFAULT_CPU DEFAULT_MEMORY"),
  "NODE_CONFIG_INPUT_TIMEOUT_SECONDS",
  ...namesOf("COMPACTION", "SUMMARY_MODEL PROTECT_LAST_N TARGET_RATIO"),
  ...namesOf("WORKSPACE", "REPAIR_MODEL AGENT_APPROVAL_POLICY"),
]);

/** A problem for each variable that is set although this version does not implement it. */
export function unservedProblems(values: object): ConfigurationProblem[] {
  return Object.entries(values)
    .filter(([name, value]) => value !== "" && value !== undefined && UNSERVED.has(name))
    .map(([variable]) => ({ variable, problem: "is not served by this version: leave it out" }));
}

function namesOf(prefix: string, endings: string): string[] {
  return endings.split(" ").map((ending) => `${prefix}_${ending}`);
}
