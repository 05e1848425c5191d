export { checkVariables } from "./check.ts";
export { problemsOf, type ConfigurationProblem } from "./problem.ts";
export { withRules } from "./rules.ts";
export { Variables } from "./variables/index.ts";
