import { normalizePath } from "#src/domain/workspaces/files/index.ts";
import { AppError } from "#src/lib/errors.ts";

/**
 * Normalises a path from a model: `./src/app.ts` becomes `src/app.ts`. An absolute path is refused with a sentence,
 * because guessing what `/` stands for would write to the wrong place. Throws `invalid_input`.
 */
export function toProjectPath(path: string): string {
  if (path.startsWith("/")) {
    throw new AppError(
      "invalid_input",
      `"${path.slice(0, 200)}" is absolute: paths are relative to the project root, such as src/app.ts`,
    );
  }
  const relative = path.replace(/^(?:\.\/+)+/, "");
  return relative === "" || relative === "." ? "" : normalizePath(relative);
}

/** Same as `toProjectPath` for a path of a file, which cannot be the project root. */
export function toFilePath(path: string): string {
  const filePath = toProjectPath(path);
  if (filePath === "") throw new AppError("invalid_input", "The path names the project root, not a file");
  return filePath;
}
