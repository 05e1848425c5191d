import type { StoredBundle } from "#src/db/schema/deployments.ts";
import { AppError } from "#src/lib/errors.ts";
import { newId } from "#src/lib/ids.ts";
import { toStream } from "#src/lib/to-stream.ts";
import type { ArchiveStore } from "#src/platform/archives/archive-store.ts";
import type { DeploymentMode, HostingProvider } from "#src/platform/hosting/hosting.ts";
import type { EntryWithContent, ProjectStorage } from "#src/platform/runtime/project-storage.ts";
import { checkLimits, type BundleLimits } from "./check-limits.ts";
import { bundleOf, loadManifest, manifestKey, packKey, storeManifest, type BundledFile } from "./manifest.ts";
import { deployRules } from "./deploy-rules.ts";
import { ProjectTree } from "./project-tree.ts";
import { builtDirectory, sourceDirectory } from "./sent-directory.ts";
import { sentFiles, type SentFile } from "./sent-files.ts";

/** Attempts to read files that change meanwhile. */
const ATTEMPTS = 3;

export interface BundleDeps {
  archives: ArchiveStore;
  config: BundleLimits & { DEPLOYMENT_BUILD_DIR: string };
}

export interface BundleInput {
  /** `bundlesOf` the deployment. */
  prefix: string;
  /** Relative to the project's root. */
  directory: string;
  /** Of a built site, relative to the directory; null for where its `index.html` is. */
  outputDirectory: string | null;
  mode: DeploymentMode;
  digest: HostingProvider["digest"];
  signal?: AbortSignal | undefined;
  /** Called with the paths of files that are left out because a secret may be in them. */
  onSecrets?: ((paths: string[]) => Promise<unknown>) | undefined;
}

type Files = Pick<ProjectStorage, "inventory" | "readEntries">;

/**
 * Stores the files of a deployment, all as they were at one moment, and returns the bundle that the deployment's row
 * must name: it never changes. A deployment that has a bundle already gets that one, so a repetition sends the same
 * bytes. Holds one file in memory at a time. Throws `invalid_input` when there is nothing to send, `too_large` beyond a
 * limit, `unavailable` when the files do not stop changing, and the signal's reason.
 */
export async function storeBundle(
  deps: BundleDeps,
  runtime: Files,
  input: BundleInput,
): Promise<StoredBundle> {
  const stored = await storedBundle(deps.archives, input.prefix);
  if (stored) return stored;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const bundle = await storeOnce(deps, runtime, input);
    if (bundle) return bundle;
  }
  throw new AppError(
    "unavailable",
    "The project's files kept changing while they were read; stop what writes to them and deploy again",
  );
}

/** The oldest whole bundle of a deployment. An executor that was superseded may have stored another one. */
async function storedBundle(archives: ArchiveStore, prefix: string): Promise<StoredBundle | undefined> {
  const prefixes: string[] = [];
  for await (const { key } of archives.list(prefix)) {
    const bundle = key.slice(0, key.lastIndexOf("/") + 1);
    if (key === manifestKey(bundle)) prefixes.push(bundle);
  }
  const [oldest] = prefixes.toSorted();
  return oldest === undefined ? undefined : bundleOf(oldest, await loadManifest(archives, oldest));
}

/** Returns undefined if the files changed meanwhile. */
async function storeOnce(
  { archives, config }: BundleDeps,
  runtime: Files,
  { prefix, directory, outputDirectory, mode, digest, signal, onSecrets }: BundleInput,
): Promise<StoredBundle | undefined> {
  signal?.throwIfAborted();
  const tree = new ProjectTree(await runtime.inventory());
  const defaultDirectory = config.DEPLOYMENT_BUILD_DIR;
  const sent =
    mode === "source"
      ? sourceDirectory(tree, directory)
      : builtDirectory(tree, { directory, outputDirectory, defaultDirectory });
  const rules = await deployRules(runtime, tree, directory);
  const { files, secrets } = sentFiles(tree, sent, mode, rules);
  if (files.length === 0) {
    throw new AppError(
      "invalid_input",
      `There are no files to deploy in ${sent === "" ? "the project" : `"${sent}"`}`,
    );
  }
  checkLimits(files, config);

  const bundle = `${prefix}${newId()}/`;
  const bundled: BundledFile[] = [];
  let hasChanged = false;
  const contents = async function* () {
    let offset = 0;
    for await (const { file, content } of readFiles(runtime, files)) {
      signal?.throwIfAborted();
      if (!content) {
        hasChanged = true;
        throw new Error("The files have changed");
      }
      const { path, size, isExecutable } = file;
      bundled.push({ path, size, offset, digest: await digest(path, content), isExecutable });
      offset += size;
      if (size > 0) yield content;
    }
  };
  const isUnchanged = async () =>
    isSame(files, sentFiles(new ProjectTree(await runtime.inventory()), sent, mode, rules).files);
  try {
    const pack = await archives.put(packKey(bundle), toStream(contents()));
    signal?.throwIfAborted();
    if (await isUnchanged()) {
      if (secrets.length > 0) await onSecrets?.(secrets);
      return await storeManifest(archives, bundle, { version: 1, pack, files: bundled });
    }
  } catch (error) {
    signal?.throwIfAborted();
    // A runtime breaks off its stream when a large file changes its size.
    const isBroken = error instanceof AppError && error.code === "unavailable";
    if (!hasChanged && (!isBroken || (await isUnchanged()))) throw error;
  }
  // What cannot be deleted now, the daily sweep deletes.
  await archives.delete([packKey(bundle)]).catch(() => undefined);
  return undefined;
}

/** Reads files one after the other, each whole; without its content one that is gone or has another size. */
async function* readFiles(
  runtime: Files,
  files: readonly SentFile[],
): AsyncGenerator<{ file: SentFile; content: Uint8Array | undefined }> {
  const entries = await runtime.readEntries(files.map(({ source }) => source));
  let at = 0;
  for await (const each of entries) {
    const file = files[at];
    at += 1;
    if (!file) break;
    yield { file, content: await contentOf(each, file) };
  }
  const missing = files[at];
  if (missing) yield { file: missing, content: undefined };
}

async function contentOf(
  { entry, content }: EntryWithContent,
  { source, size }: SentFile,
): Promise<Uint8Array | undefined> {
  if (entry.path !== source || entry.kind !== "file" || entry.size !== size) return undefined;
  const whole = new Uint8Array(size);
  let filled = 0;
  for await (const chunk of content) {
    whole.set(chunk, filled);
    filled += chunk.byteLength;
  }
  return filled === size ? whole : undefined;
}

function isSame(before: readonly SentFile[], after: readonly SentFile[]): boolean {
  return (
    before.length === after.length &&
    before.every((file, at) => {
      const now = after[at];
      return now?.path === file.path && now.source === file.source && now.version === file.version;
    })
  );
}
