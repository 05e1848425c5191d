import { PreconditionFailedError, type Workspace } from "@agent-workspace/client";
import { signal } from "@preact/signals";
import { shownPath } from "../../parts/shown-path.ts";
import { stale } from "../../service/reads.ts";
import { uploading } from "../../service/upload.ts";
import { joined } from "../../parts/files/paths.ts";
import { treeKey } from "../../parts/files/tree.ts";

/** The file that is on its way, and how much of it was sent, from 0 to 1. */
export const onItsWay = signal<{ name: string; sent: number }>();

/** Uploads files into a directory, one after the other. Throws at the first that is refused; the others stay. */
export async function upload(project: string, directory: string, files: readonly File[]): Promise<void> {
  try {
    for (const file of files) {
      const onSent = (sent: number) => (onItsWay.value = { name: file.name, sent });
      onSent(0);
      // oxlint-disable-next-line no-await-in-loop -- one at a time: each may be large
      await uploadOne(uploading(onSent), project, joined(directory, file.name), file);
    }
  } finally {
    onItsWay.value = undefined;
    stale(treeKey(project));
  }
}

async function uploadOne(workspace: Workspace, project: string, path: string, file: File): Promise<void> {
  const timeoutMs = 600_000;
  try {
    await workspace.files.write(project, path, file, { timeoutMs, headers: { "if-none-match": "*" } });
  } catch (error) {
    if (!(error instanceof PreconditionFailedError)) throw error;
    if (!confirm(`${shownPath(path)} exists already. Replace it?`)) return;
    await workspace.files.write(project, path, file, { timeoutMs });
  }
}
