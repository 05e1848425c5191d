/** A directory from the project's root down to the one that is built. */
export interface Level {
  directory: string;
  names: ReadonlySet<string>;
  /** Whether its packages include those of directories below it. */
  isWorkspace: boolean;
}

export interface Install {
  command: string;
  directory: string;
}

/** Exists while packages are being installed: those of an interrupted installation are not used. */
export const UNFINISHED = ".deployment-install";

/** By the lockfile that is there, first match. */
const BY_LOCKFILE: readonly [lockfile: string, command: string][] = [
  ["bun.lock", "bun install"],
  ["bun.lockb", "bun install"],
  ["pnpm-lock.yaml", "pnpm install"],
  ["yarn.lock", "yarn install"],
  // Development dependencies contain the build tools.
  ["package-lock.json", "npm ci --include=dev"],
];

/**
 * How the packages of a directory are installed; undefined when they are there, or none are needed. `levels` are the
 * directory and those above it, the directory first. In a workspace with several packages the lockfile is above.
 */
export function planInstall(levels: readonly Level[]): Install | undefined {
  const [own, ...above] = levels;
  if (!own?.names.has("package.json")) return undefined;
  const shared = above.find((level) => level.isWorkspace && lockedCommand(level) !== undefined);
  const level = lockedCommand(own) === undefined && shared ? shared : own;
  if (level.names.has("node_modules") && !level.names.has(UNFINISHED)) return undefined;
  const command = lockedCommand(level) ?? "npm install --include=dev";
  return { command, directory: level.directory };
}

function lockedCommand({ names }: Level): string | undefined {
  return BY_LOCKFILE.find(([lockfile]) => names.has(lockfile))?.[1];
}
