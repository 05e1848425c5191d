import { problemsOf, type ConfigurationProblem } from "./problem.ts";
import { withRules } from "./rules.ts";
import { unservedProblems } from "./unserved.ts";
import { Variables } from "./variables/index.ts";

export { problemsOf, Variables, withRules, type ConfigurationProblem };

/**
 * Checks the variables alone and returns all problems, for programs outside the Worker: the local stack and the deploy
 * check.
 */
export function checkVariables(values: object): ConfigurationProblem[] {
  const result = withRules(Variables).safeParse(values);
  return [...(result.success ? [] : problemsOf(result.error)), ...unservedProblems(values)];
}
