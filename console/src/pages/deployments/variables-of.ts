import { WorkspaceError } from "@agent-workspace/client";

/** Variables that a person wrote as `NAME=value`, one a line. Throws at a line that is none. */
export function variablesOf(text: string): Record<string, string> {
  const variables: Record<string, string> = {};
  for (const line of text.split(/\r?\n/u)) {
    if (line.trim() === "") continue;
    const at = line.indexOf("=");
    if (at < 1) throw new WorkspaceError("Each line of the variables is NAME=value.");
    variables[line.slice(0, at).trim()] = line.slice(at + 1);
  }
  return variables;
}
