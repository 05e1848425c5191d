import { AppError } from "#src/lib/errors.ts";
import type { IgnoreRules } from "#src/lib/ignore-rules.ts";
import type { DeploymentMode } from "#src/platform/hosting/hosting.ts";
import type { InventoryEntry } from "#src/platform/runtime/project-storage.ts";
import type { ProjectTree } from "./project-tree.ts";
import { isSecretName } from "./secret-names.ts";

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

/** The files of a directory that are sent, and the paths of those that are left out because a secret may be in them. */
interface Selection {
  files: SentFile[];
  secrets: string[];
}

/** Most steps of comparing paths with `.deployignore`: some seconds. */
const MAX_STEPS = 200_000_000;

/**
 * Selects the files of a directory that are sent, sorted by path: without git's data, packages, files with the names of
 * secrets, and hidden files and directories except `.well-known` (RFC 8615). A link is sent as the file that it leads to, if
 * that is sent, too; others are left out. Sources are sent without what was built from them. `rules`, whose paths are those
 * of the project, leave out more, and decide otherwise about all of these but git's data and packages. Throws
 * `invalid_input` when comparing with them takes too long.
 */
export function sentFiles(
  tree: ProjectTree,
  directory: string,
  mode: DeploymentMode,
  rules?: IgnoreRules,
): Selection {
  const base = directory === "" ? "" : `${directory}/`;
  const inside = tree.entries
    .filter(({ path, kind }) => path.startsWith(base) && kind !== "directory")
    .map((entry) => ({ entry, path: entry.path.slice(base.length) }));
  const packages = new Set(
    mode === "source" ? inside.flatMap(({ path }) => directoryOfPackage(path) ?? []) : [],
  );
  const secrets: string[] = [];
  let steps = 0;
  const shown = inside.filter(({ entry, path }) => {
    const why = whyLeftOut(path, { packages, verdict: (at) => rules?.verdict(base + at.path, at) });
    steps += rules?.takeSteps() ?? 0;
    if (steps > MAX_STEPS)
      throw new AppError("invalid_input", "Comparing the files with .deployignore takes too long");
    if (why === "secret" && entry.kind === "file") secrets.push(path);
    return why === undefined;
  });
  const files = shown.filter(({ entry }) => entry.kind === "file");
  const sources = new Map(files.map(({ entry }) => [entry.path, entry]));
  const links = shown.flatMap(({ entry, path }) => {
    const target = entry.kind === "symlink" ? sources.get(tree.resolve(entry.path) ?? "") : undefined;
    return target ? [{ entry: target, path }] : [];
  });
  const selected = [...files, ...links]
    .map(({ entry, path }) => ({
      path,
      source: entry.path,
      size: entry.size,
      isExecutable: (entry.mode & 0o100) !== 0,
      version: versionOf(entry),
    }))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
  return { files: selected, secrets: secrets.toSorted() };
}

/** The directory whose `package.json` this is, with a slash at its end; the root is the empty string. */
function directoryOfPackage(path: string): string[] | undefined {
  const [, directory] = /^((?:.*\/)?)package\.json$/su.exec(path) ?? [];
  return directory === undefined ? undefined : [directory];
}

/** Why a path is left out: a directory above it or its own name; undefined for one that is sent. */
function whyLeftOut(
  path: string,
  {
    packages,
    verdict,
  }: {
    packages: ReadonlySet<string>;
    verdict: (at: { path: string; isDirectory: boolean }) => ReturnType<IgnoreRules["verdict"]>;
  },
): "hidden" | "secret" | undefined {
  const names = path.split("/");
  let directory = "";
  for (const [depth, name] of names.entries()) {
    const isDirectory = depth < names.length - 1;
    if (NEVER.has(name)) return "hidden";
    const said = verdict({ path: directory + name, isDirectory });
    if (said === "ignored") return "hidden";
    if (said === undefined) {
      if (isDirectory && OUTPUTS.has(name) && packages.has(directory)) return "hidden";
      if (isSecret(name, isDirectory)) return "secret";
      if (isHidden(name)) return "hidden";
    }
    directory += `${name}/`;
  }
  return undefined;
}

/** What no rule brings back: no site is made of them, and they have many files. */
const NEVER = new Set([".git", "node_modules"]);

function isSecret(name: string, isDirectory: boolean): boolean {
  return !isDirectory && name !== ".env.example" && isSecretName(name);
}

function isHidden(name: string): boolean {
  return (name.startsWith(".") && name !== ".well-known" && name !== ".env.example") || name.endsWith(".env");
}

/**
 * A file that its owner may not read is made readable for the moment of reading, which changes the runtime's
 * fingerprint.
 */
function versionOf({ mode, size, modifiedAt, fingerprint }: InventoryEntry): string {
  return (mode & 0o400) === 0 ? `${size} ${modifiedAt}` : fingerprint;
}
