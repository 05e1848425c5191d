import { PreconditionFailedError } from "@agent-workspace/client";
import { shownPath } from "../../parts/shown-path.ts";
import { stale } from "../../service/reads.ts";
import { workspace } from "../../service/workspace.ts";
import { joined } from "../../parts/files/paths.ts";
import { treeKey } from "../../parts/files/tree.ts";

/** Uploads files into a directory, one after the other. Throws at the first that is refused; the others stay. */
export async function upload(project: string, directory: string, files: readonly File[]): Promise<void> {
  try {
    for (const file of files) {
      // oxlint-disable-next-line no-await-in-loop -- one at a time: each may be large
      await uploadOne(project, joined(directory, file.name), file);
    }
  } finally {
    stale(treeKey(project));
  }
}

async function uploadOne(project: string, path: string, file: File): Promise<void> {
  const timeoutMs = 600_000;
  try {
    await workspace.files.write(project, path, file, { timeoutMs, headers: { "if-none-match": "*" } });
  } catch (error) {
    if (!(error instanceof PreconditionFailedError)) throw error;
    if (!confirm(`${shownPath(path)} exists already. Replace it?`)) return;
    await workspace.files.write(project, path, file, { timeoutMs });
  }
}
