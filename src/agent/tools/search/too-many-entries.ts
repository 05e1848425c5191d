import { failure, type ToolFailure } from "../tool.ts";

/** The failure for a directory with more entries than one listing holds. */
export function tooManyEntries(directory: string): ToolFailure {
  const where = directory === "" ? "The project" : directory;
  return failure(
    `${where} holds more than 100,000 files and directories.`,
    "Name a directory below it in path, or add what tools generate to .gitignore.",
  );
}
