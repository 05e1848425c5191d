import { normalizePath } from "#src/domain/workspaces/files/index.ts";
import { AppError } from "#src/lib/errors.ts";

/**
 * A path as a model writes it. `./src/app.ts` is `src/app.ts`; an absolute path is refused with a sentence, because
 * guessing what `/` stands for would write to the wrong place. Throws `invalid_input`.
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

/** As `toProjectPath`, for a path that names a file: the project root does not. */
export function toFilePath(path: string): string {
  const filePath = toProjectPath(path);
  if (filePath === "") throw new AppError("invalid_input", "The path names the project root, not a file");
  return filePath;
}
