import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** The tables of TCP sockets of this network namespace. Source: proc(5), /proc/net/tcp. */
const TABLES = ["/proc/self/net/tcp", "/proc/self/net/tcp6"];
/** TCP_LISTEN of the kernel's tcp_states.h, as the tables write it. */
const LISTEN = "0A";

/**
 * Whether one of these processes has a socket that listens on the port. A process that cannot be inspected counts as
 * having none.
 */
export function haveListener(pids: readonly number[], port: number): boolean {
  const sockets = new Set(TABLES.flatMap((table) => listenersIn(read(table), port)));
  return sockets.size > 0 && pids.some((pid) => filesOf(pid).some((file) => sockets.has(file)));
}

/** Returns the sockets that listen on a port, as `/proc/<pid>/fd` names them. */
function listenersIn(table: string, port: number): string[] {
  const wanted = port.toString(16).toUpperCase().padStart(4, "0");
  return table
    .split("\n")
    .slice(1)
    .flatMap((line) => {
      const [, local = "", , state, , , , , , inode] = line.trim().split(/\s+/u);
      return state === LISTEN && local.endsWith(`:${wanted}`) ? [`socket:[${inode}]`] : [];
    });
}

function filesOf(pid: number): string[] {
  const folder = `/proc/${pid}/fd`;
  try {
    return readdirSync(folder).map((name) => linkAt(`${folder}/${name}`));
  } catch {
    return [];
  }
}

function linkAt(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}

/** Empty where the kernel has no such table, for example without IPv6. */
function read(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}
