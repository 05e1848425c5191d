export { listRuns, statsOfRuns } from "./list-runs.ts";
export { runCommand } from "./run-command.ts";
