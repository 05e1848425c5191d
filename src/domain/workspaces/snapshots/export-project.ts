import type { Caller } from "#src/domain/access/permissions/index.ts";
import {
  packEntries,
  projectContents,
  requireZippable,
  zipEntries,
} from "#src/domain/workspaces/archives/index.ts";
import { withRuntime } from "#src/domain/workspaces/lifecycle/index.ts";
import type { RuntimeDeps } from "./runtime-deps.ts";

export const EXPORT_FORMATS = ["tar.gz", "tar", "zip"] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/**
 * All files of a project as an archive, read one after the other; the stream breaks off when a read fails. Throws
 * `too_large` for a project that does not fit a zip archive, and as `withRuntime` does.
 */
export async function exportProject(
  deps: RuntimeDeps,
  caller: Caller,
  input: { project: string; format: ExportFormat },
): Promise<{ slug: string; body: ReadableStream<Uint8Array> }> {
  const access = { caller, project: input.project, scope: "file.read" } as const;
  return withRuntime(deps, access, async (runtime, { slug }) => {
    const contents = await projectContents(runtime);
    if (input.format === "zip") {
      requireZippable(contents.entries);
      return { slug, body: zipEntries(await contents.read()) };
    }
    const tar = packEntries(await contents.read());
    return { slug, body: input.format === "tar" ? tar : tar.pipeThrough(new CompressionStream("gzip")) };
  });
}
