/** Longest name and path that common file systems take, in UTF-8 bytes. */
const MAX_NAME_BYTES = 255;
const MAX_PATH_BYTES = 4096;

/**
 * Folders that a sync neither reads nor writes. A hook in `.git` is run by git, and what is in `.workspace` decides with
 * which project this folder is synced: neither may come from the service.
 */
const OWN_FOLDERS: ReadonlySet<string> = new Set([".git", ".workspace"]);
/** Names under which file systems of Windows and macOS show `.git`, besides that in any case. */
const SHORT_NAMES: ReadonlySet<string> = new Set(["git~1", "worksp~1"]);
/** Names of devices of Windows, with any extension. */
const DEVICES = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(?:\.|$)/iu;
// oxlint-disable-next-line no-control-regex
const CONTROLS = /[\u0000-\u001F\u007F-\u009F]/u;
/** Characters that HFS+ ignores in names, so that `.g‌it` is `.git` there. Source: CVE-2014-9390. */
const IGNORED_BY_HFS = /[\u200C-\u200F\u202A-\u202E\u206A-\u206F\uFEFF]/gu;

/**
 * Why a path cannot be synced, in a few words; undefined for a path that can. It comes from the service, which is not
 * trusted with anything outside the folder, or from the local folder, whose names the service may not take.
 */
export function problemOfPath(
  path: string,
  platform: NodeJS.Platform = process.platform,
): string | undefined {
  if (path === "") return "an empty path";
  if (path.startsWith("/")) return "an absolute path";
  if (path.includes("\\")) return "a backslash in the path";
  if (CONTROLS.test(path)) return "a control character in the path";
  if (!path.isWellFormed()) return "not well-formed Unicode";
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) return "a path that is too long";
  for (const name of path.split("/")) {
    const problem = problemOfName(name, platform);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function problemOfName(name: string, platform: NodeJS.Platform): string | undefined {
  if (name === "") return "an empty name in the path";
  if (name === "." || name === "..") return `${name} in the path`;
  if (Buffer.byteLength(name) > MAX_NAME_BYTES) return "a name that is too long";
  if (isOwnFolder(name)) return "a path in a folder that is not synced";
  if (platform !== "win32") return undefined;
  if (/[<>:"|?*]/u.test(name)) return "a character that Windows does not take";
  if (/[. ]$/u.test(name)) return "a name that Windows does not take";
  return DEVICES.test(name) ? "the name of a device" : undefined;
}

/** Whether a name is `.git` or `.workspace` on any file system: in any case, with what some of them ignore. */
export function isOwnFolder(name: string): boolean {
  const plain = name
    .replaceAll(IGNORED_BY_HFS, "")
    .normalize("NFKC")
    .toLowerCase()
    .replace(/(?::.*|[. ]+)$/u, "");
  return OWN_FOLDERS.has(plain) || SHORT_NAMES.has(plain);
}

/** The paths of which a file system that ignores case, or composition, would make one. */
export function colliding(paths: Iterable<string>): ReadonlySet<string> {
  const first = new Map<string, string>();
  const found = new Set<string>();
  for (const path of paths) {
    const key = path.normalize("NFC").toLowerCase();
    const other = first.get(key);
    if (other === undefined) first.set(key, path);
    else found.add(other).add(path);
  }
  return found;
}
