import { createHash } from "node:crypto";
import { bundlesOf, openBundle, storeBundle, type BundleInput } from "#src/domain/hosting/bundles/index.ts";
import { memoryArchives } from "#test/domain/workspaces/archives/memory-archives.ts";
import { ProjectInMemory } from "./project-in-memory.ts";

export const MEBIBYTE = 1024 * 1024;
const LIMITS = { DEPLOYMENT_MAX_FILES: 100, DEPLOYMENT_MAX_FILE_MB: 1, DEPLOYMENT_MAX_TOTAL_MB: 2 };
export const sha1 = (bytes: Uint8Array) => createHash("sha1").update(bytes).digest("hex");
const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

/** A project, an archive, and a deployment of the project. */
export function newScene(files: Record<string, string> = {}) {
  const project = new ProjectInMemory();
  for (const [name, content] of Object.entries(files)) project.write(name, content);
  const archives = memoryArchives();
  const deps = { archives, config: { ...LIMITS, DEPLOYMENT_BUILD_DIR: "dist" } };
  const prefix = bundlesOf("one");
  const input: BundleInput = {
    prefix,
    directory: "",
    outputDirectory: null,
    mode: "pre-built",
    digest: async (_, content) => sha1(content),
  };
  const store = (change: Partial<BundleInput> = {}) => storeBundle(deps, project, { ...input, ...change });
  const keys = () => [...archives.objects.keys()];
  return { project, archives, deps, prefix, input, store, keys };
}

/** The contents of a bundle by path. */
export async function contentsOf(
  { archives }: ReturnType<typeof newScene>,
  bundle: Awaited<ReturnType<typeof storeBundle>>,
) {
  const files = await openBundle(archives, bundle);
  const read = files.list.map(async (file) => [file.path, text(await files.read(file))] as const);
  return Object.fromEntries(await Promise.all(read));
}
