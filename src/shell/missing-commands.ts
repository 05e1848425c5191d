const MISSING = /^(?<name>bash: \S+: command not) (?:found$|available in browser environments\..*$)/gmu;
const WHAT_TO_DO =
  "This runtime has built-in commands only, and no installed programs.\n" +
  "Its operator can change that with PROJECT_RUNTIME=host or sandbox.\n";

/** The output of a shell; where a command is not there it says, once, what to do. The library blames the browser. */
export function sayWhatIsMissing(output: string): string {
  if (output.search(MISSING) === -1) return output;
  return output.replaceAll(MISSING, "$<name> found") + WHAT_TO_DO;
}
