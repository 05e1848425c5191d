import path from "node:path";
import { asSandboxUser, isRoot } from "./host-user.ts";
import { SPARE_TASKS, type ProjectLimits } from "./limits.ts";
import { machineFiles, SANDBOX_UID } from "./machine-files.ts";

/** Files of the service that every sandbox gets, read-only. */
export interface SandboxPrograms {
  /** The Node binary. */
  node: string;
  /** npm's package, if it is outside of /usr. */
  npm: string | undefined;
  /** The folder with the workspace server's bundle, the generated /etc and the socket of the outbound proxy. */
  folder: string;
  /** Whether the folder contains a filter of system calls for this machine; see seccomp.ts. */
  isFiltered: boolean;
  /** Folders of the machine that no sandbox may see. */
  hidden: readonly string[];
}

/**
 * `programs`: programs can use the outbound proxy, but need not for local addresses; `all`: all requests go through it.
 */
export type WayOut = "none" | "programs" | "all";

/** Files that the sandbox may only read; `doors` are relative paths of pipes and sockets, which are covered. */
export interface ReadOnlyFiles {
  doors: readonly string[];
}

export interface SandboxOptions {
  programs: SandboxPrograms;
  /** The project's files, at /app inside. */
  files: string;
  /** Writable if `undefined`. */
  readOnly?: ReadOnlyFiles | undefined;
  /** A folder that both sides may write to, at /run/workspace inside; for the server's socket. */
  run: string | undefined;
  limits: ProjectLimits;
  wayOut: WayOut;
  /** The command inside. */
  command: readonly string[];
  /** Files to which the process writes its id before it becomes the sandbox. */
  cgroups: readonly string[];
}

export const SERVER_FILE = "workspace-server.mjs";
export const ETC_FOLDER = "etc";
export const FILTER_FILE = "seccomp.bpf";
export const OUTBOUND_SOCKET = "outbound.sock";

const INSIDE = "/opt/workspace";
/** The workspace server, as a command inside. */
export const WORKSPACE_SERVER: readonly string[] = [`${INSIDE}/bin/node`, `${INSIDE}/${SERVER_FILE}`];
/** Address of the outbound relay inside; see workspace-server/outbound-relay.ts. */
const PROXY = "http://127.0.0.1:3128";
const OUTBOUND_INSIDE = "/run/outbound.sock";
const SHARED_MEMORY_BYTES = 64 * 1024 * 1024;
/** Largest share of the memory limit that /tmp may take. */
const TMP_SHARE = 0.5;
/** Memory that a program may map above the common limit: mapped memory is not necessarily used. */
const SPARE_MAPPED_BYTES = 2 * 1024 ** 3;

/**
 * Bash reads ~/.bashrc when its input is a socket, as Node's pipes are: outside that is the operator's file, inside the
 * project's, which would run beside git and its credentials. So every bash here has `--norc`.
 *
 * Joins the cgroups, then becomes the command. 0 stands for the writing process. Open files that the service inherited,
 * such as a supervisor's, would be usable by a sandbox; sh names no descriptor above 9, so bash closes them.
 */
const JOIN = `for file in /proc/self/fd/*; do n=\${file##*/}; if [ "$n" -gt 2 ]; then eval "exec $n>&-"; fi; done
while [ "$1" != -- ]; do echo 0 > "$1" || exit 1; shift; done; shift; exec "$@"`;

/**
 * Bubblewrap runs as a user who may be unable to enter the folders above the project's: root binds what it needs in one
 * place, in a separate mount namespace. /sys is a folder that every machine has and no sandbox needs.
 */
const STAGE = "/sys";
const SHOW = `mount -t tmpfs -o mode=755,size=1m tmpfs ${STAGE} || exit 1
while [ "$1" != -- ]; do
  if [ -d "$2" ]; then mkdir "${STAGE}/$1"; else : > "${STAGE}/$1"; fi
  mount --bind "$2" "${STAGE}/$1" || exit 1
  shift 2
done
shift; exec "$@"`;

/** Bubblewrap reads the filter from an open file; it is opened after the step that closes all inherited files. */
const OPEN_FILTER = `exec 9< "$1" || exit 1; shift; exec "$@"`;
const FILTER_FD = "9";

/** A limit that the machine does not allow to be set is left unchanged. */
const LIMIT = `ulimit -c 0; ulimit -u "$1"; ulimit -f "$2"; ulimit -d "$3"; shift 3; exec "$@"`;

/**
 * Returns the command line of a sandbox, which sees the machine's programs and libraries, and only the server of the
 * service.
 */
export function sandboxCommand(options: SandboxOptions): string[] {
  const { programs, files, run, readOnly, limits, wayOut, command, cgroups } = options;
  const sources = {
    node: programs.node,
    service: programs.folder,
    files,
    ...(run !== undefined && { run }),
    ...(programs.npm !== undefined && { npm: programs.npm }),
  };
  const shown = isRoot ? show(sources) : { command: [], at: sources };
  return [
    ["nice", "-n", "5"],
    ["/bin/bash", "--norc", "-c", JOIN, "bash", ...cgroups, "--"],
    shown.command,
    asSandboxUser,
    programs.isFiltered ? openFilter(path.join(shown.at.service, FILTER_FILE)) : [],
    bubblewrap({ ...shown.at, readOnly, wayOut, programs, limits }),
    ["/bin/bash", "--norc", "-c", LIMIT, "bash", ...limitArguments(limits)],
    command,
  ].flat();
}

function openFilter(file: string): string[] {
  return ["/bin/bash", "--norc", "-c", OPEN_FILTER, "bash", file];
}

/** bash takes these limits in kilobytes. */
const kilobytes = (bytes: number) => Math.ceil(bytes / 1024);

function limitArguments({ tasks, diskBytes, memoryBytes }: ProjectLimits): string[] {
  return [tasks + SPARE_TASKS, kilobytes(diskBytes), kilobytes(memoryBytes + SPARE_MAPPED_BYTES)].map(String);
}

interface Sources {
  node: string;
  service: string;
  files: string;
  run?: string;
  npm?: string;
}

function show(sources: Sources): { command: string[]; at: Sources } {
  const at: Sources = { ...sources };
  const shown: string[] = [];
  for (const name of ["node", "service", "files", "run", "npm"] as const) {
    const source = sources[name];
    if (source === undefined) continue;
    shown.push(name, source);
    at[name] = `${STAGE}/${name}`;
  }
  return { command: ["unshare", "--mount", "sh", "-c", SHOW, "sh", ...shown, "--"], at };
}

function bubblewrap(
  options: Sources & Pick<SandboxOptions, "readOnly" | "wayOut" | "limits" | "programs">,
): string[] {
  const { node, service, files, readOnly, run, npm, wayOut, programs, limits } = options;
  const variables = {
    PATH: `${INSIDE}/bin:/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin`,
    HOME: "/app",
    USER: "user",
    LANG: "C.UTF-8",
    ...(wayOut !== "none" && proxyVariables(wayOut)),
  };
  const tmpBytes = Math.floor(limits.memoryBytes * TMP_SHARE);
  return [
    ["bwrap", "--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts"],
    ["--unshare-cgroup-try", "--disable-userns", "--die-with-parent", "--new-session"],
    programs.isFiltered ? ["--seccomp", FILTER_FD] : [],
    ["--uid", String(SANDBOX_UID), "--gid", String(SANDBOX_UID), "--hostname", "project"],
    ["--clearenv", ...Object.entries(variables).flatMap(([name, value]) => ["--setenv", name, value])],
    machineFiles(path.join(service, ETC_FOLDER), programs.hidden),
    ["--proc", "/proc", "--dev", "/dev"],
    ["--size", String(SHARED_MEMORY_BYTES), "--tmpfs", "/dev/shm", "--remount-ro", "/dev"],
    ["--perms", "1777", "--size", String(tmpBytes), "--tmpfs", "/tmp"],
    ["--ro-bind", node, `${INSIDE}/bin/node`],
    ["--ro-bind", path.join(service, SERVER_FILE), `${INSIDE}/${SERVER_FILE}`],
    npm === undefined ? [] : npmAt(npm),
    wayOut !== "none" ? ["--ro-bind", path.join(service, OUTBOUND_SOCKET), OUTBOUND_INSIDE] : [],
    run === undefined ? [] : ["--bind", run, "/run/workspace"],
    readOnly ? readOnlyAt(files, readOnly) : ["--bind", files, "/app"],
    ["--remount-ro", "/", "--chdir", "/", "--"],
  ].flat();
}

/** Binds files read-only. A device that is bound this way cannot be opened. */
function readOnlyAt(files: string, { doors }: ReadOnlyFiles): string[] {
  const covers = doors.flatMap((door) => ["--ro-bind", "/dev/null", path.posix.join("/app", door)]);
  return ["--ro-bind", files, "/app", ...covers];
}

function proxyVariables(wayOut: "programs" | "all"): Record<string, string> {
  const beside = wayOut === "programs" ? "localhost,127.0.0.1,::1" : "";
  return {
    HTTP_PROXY: PROXY,
    HTTPS_PROXY: PROXY,
    http_proxy: PROXY,
    https_proxy: PROXY,
    NO_PROXY: beside,
    no_proxy: beside,
    // Programs get it from the workspace server, which makes no requests itself and would start more slowly with it.
    ...(wayOut === "all" && { NODE_USE_ENV_PROXY: "1" }),
    WORKSPACE_OUTBOUND: OUTBOUND_INSIDE,
  };
}

function npmAt(npm: string): string[] {
  const inside = `${INSIDE}/lib/node_modules/npm`;
  return [
    ["--ro-bind", npm, inside],
    ["--symlink", `${inside}/bin/npm-cli.js`, `${INSIDE}/bin/npm`],
    ["--symlink", `${inside}/bin/npx-cli.js`, `${INSIDE}/bin/npx`],
  ].flat();
}
