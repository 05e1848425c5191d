import type { DeploymentMode } from "#src/platform/hosting/hosting.ts";
import type { InventoryEntry } from "#src/platform/runtime/project-storage.ts";
import type { ProjectTree } from "./project-tree.ts";

/** A file that is sent to a provider. */
export interface SentFile {
  /** Relative to the directory that is sent. */
  path: string;
  /** Where its content is, relative to the project's root: another path for a link. */
  source: string;
  size: number;
  isExecutable: boolean;
  /** Changes when the content may have changed. */
  version: string;
}

/** What builds make, beside the `package.json` of what is built. */
const OUTPUTS = new Set(["out", "dist", "build", ".next"]);

/**
 * The files of a directory that are sent, sorted by path: without git's data, packages, env files, and hidden files and
 * directories except `.well-known` (RFC 8615). A link is sent as the file that it leads to, if that is sent, too;
 * others are left out. Sources are sent without what was built from them.
 */
export function sentFiles(tree: ProjectTree, directory: string, mode: DeploymentMode): SentFile[] {
  const base = directory === "" ? "" : `${directory}/`;
  const inside = tree.entries
    .filter(({ path, kind }) => path.startsWith(base) && kind !== "directory")
    .map((entry) => ({ entry, path: entry.path.slice(base.length) }));
  const packages = new Set(
    mode === "source" ? inside.flatMap(({ path }) => directoryOfPackage(path) ?? []) : [],
  );
  const shown = inside.filter(({ path }) => !isLeftOut(path, packages));
  const files = shown.filter(({ entry }) => entry.kind === "file");
  const sources = new Map(files.map(({ entry }) => [entry.path, entry]));
  const links = shown.flatMap(({ entry, path }) => {
    const target = entry.kind === "symlink" ? sources.get(tree.resolve(entry.path) ?? "") : undefined;
    return target ? [{ entry: target, path }] : [];
  });
  return [...files, ...links]
    .map(({ entry, path }) => ({
      path,
      source: entry.path,
      size: entry.size,
      isExecutable: (entry.mode & 0o100) !== 0,
      version: versionOf(entry),
    }))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

/** The directory whose `package.json` this is, with a slash at its end; the root is the empty string. */
function directoryOfPackage(path: string): string[] | undefined {
  const [, directory] = /^((?:.*\/)?)package\.json$/su.exec(path) ?? [];
  return directory === undefined ? undefined : [directory];
}

function isLeftOut(path: string, packages: ReadonlySet<string>): boolean {
  const names = path.split("/");
  let directory = "";
  return names.some((name, depth) => {
    const isOutput = depth < names.length - 1 && OUTPUTS.has(name) && packages.has(directory);
    directory += `${name}/`;
    return isOutput || isPrivate(name);
  });
}

function isPrivate(name: string): boolean {
  if (name === ".well-known" || name === ".env.example") return false;
  return name.startsWith(".") || name === "node_modules" || name.endsWith(".env");
}

/**
 * A file that its owner may not read is made readable for the moment of reading, which changes the runtime's
 * fingerprint.
 */
function versionOf({ mode, size, modifiedAt, fingerprint }: InventoryEntry): string {
  return (mode & 0o400) === 0 ? `${size} ${modifiedAt}` : fingerprint;
}
