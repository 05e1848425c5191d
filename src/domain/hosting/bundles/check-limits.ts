import { AppError } from "#src/lib/errors.ts";
import type { SentFile } from "./sent-files.ts";

export interface BundleLimits {
  DEPLOYMENT_MAX_FILES: number;
  DEPLOYMENT_MAX_FILE_MB: number;
  DEPLOYMENT_MAX_TOTAL_MB: number;
}

const MEBIBYTE = 1024 * 1024;

/** Throws `too_large` with the limit, its variable, and the file or directory that exceeds it. */
export function checkLimits(files: readonly Pick<SentFile, "path" | "size">[], limits: BundleLimits): void {
  const { DEPLOYMENT_MAX_FILES, DEPLOYMENT_MAX_FILE_MB, DEPLOYMENT_MAX_TOTAL_MB } = limits;
  const [largest] = files.toSorted((a, b) => b.size - a.size);
  if (largest && largest.size > DEPLOYMENT_MAX_FILE_MB * MEBIBYTE) {
    throw new AppError(
      "too_large",
      `"${largest.path}" has ${megabytes(largest.size)} MB; a file of a deployment may have at most ` +
        `${DEPLOYMENT_MAX_FILE_MB} MB (DEPLOYMENT_MAX_FILE_MB)`,
    );
  }
  if (files.length > DEPLOYMENT_MAX_FILES) {
    throw new AppError(
      "too_large",
      `The deployment has ${files.length} files, most of them in "${fullest(files)}"; at most ` +
        `${DEPLOYMENT_MAX_FILES} are sent (DEPLOYMENT_MAX_FILES)`,
    );
  }
  const total = files.reduce((sum, { size }) => sum + size, 0);
  if (largest && total > DEPLOYMENT_MAX_TOTAL_MB * MEBIBYTE) {
    throw new AppError(
      "too_large",
      `The files of the deployment have ${megabytes(total)} MB, the largest is "${largest.path}" with ` +
        `${megabytes(largest.size)} MB; together they may have at most ${DEPLOYMENT_MAX_TOTAL_MB} MB ` +
        "(DEPLOYMENT_MAX_TOTAL_MB)",
    );
  }
}

/** Rounded up, so that an excess of one byte shows. */
function megabytes(bytes: number): string {
  return (Math.ceil((bytes / MEBIBYTE) * 10) / 10).toFixed(1);
}

/** The directory of the first level with the most files, or the root. */
function fullest(files: readonly Pick<SentFile, "path">[]): string {
  const counts = new Map<string, number>();
  for (const { path } of files) {
    const directory = path.slice(0, path.indexOf("/") + 1);
    counts.set(directory, (counts.get(directory) ?? 0) + 1);
  }
  const [first] = [...counts].toSorted((a, b) => b[1] - a[1]);
  return first?.[0] || "/";
}
