import type { z } from "zod";
import { withRules } from "./rules.ts";
import { Variables } from "./variables/index.ts";

export interface ConfigurationProblem {
  variable: string;
  problem: string;
}

/** The variables alone, for programs outside the Worker: the local stack and the deploy check. All problems at once. */
export function checkVariables(values: object): ConfigurationProblem[] {
  const result = withRules(Variables).safeParse(values);
  return result.success ? [] : problemsOf(result.error);
}

export function problemsOf(error: z.core.$ZodError): ConfigurationProblem[] {
  return error.issues.map((issue) => ({ variable: issue.path.join("."), problem: issue.message }));
}
