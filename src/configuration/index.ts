export { checkVariables, problemsOf, type ConfigurationProblem } from "./check.ts";
export { withRules } from "./rules.ts";
export { Variables } from "./variables/index.ts";
