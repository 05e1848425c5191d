import { AppError } from "#src/lib/errors.ts";

export function normalizePath(path: string): string {
  if (path.split("/").includes("..")) throw new AppError("invalid_input", "Path traversal is not allowed");
  return path.replace(/^\.\//u, "");
}
