import type { z } from "zod";

/** Why a variable or a binding cannot be used. */
export interface ConfigurationProblem {
  variable: string;
  problem: string;
}

/** One problem for each issue that a schema found. */
export function problemsOf(error: z.core.$ZodError): ConfigurationProblem[] {
  return error.issues.map((issue) => ({ variable: issue.path.join("."), problem: issue.message }));
}
